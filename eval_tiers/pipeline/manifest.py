"""What every manifest says of the run itself."""

from __future__ import annotations

import platform
import sys
from importlib import metadata
from typing import Any, Final

from eval_tiers import __version__

_LIBRARIES: Final = ("numpy", "scipy", "pyarrow", "pandas", "networkx", "orjson")


def environment(run_id: str, arguments: list[str]) -> dict[str, Any]:
    """Return run id, arguments and versions."""
    return {
        "run_id": run_id,
        "arguments": arguments,
        "eval_tiers_version": __version__,
        "python_version": platform.python_version(),
        "platform": sys.platform,
        "library_versions": {name: metadata.version(name) for name in _LIBRARIES},
    }
