"""What a model's folder says of it, without loading it: ``config.json`` and the sizes of files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson

from eval_tiers.exceptions import BadInputError, MissingResourceError, Problem, SourceRef
from eval_tiers.io.sources import reason_of

_WEIGHTS: Final = ("*.safetensors", "*.bin", "*.pt", "*.gguf")
_TOKENIZERS: Final = ("tokenizer.json", "tokenizer.model", "vocab.json", "tekken.json")
_BYTES_OF: Final = {"float32": 4, "float16": 2, "bfloat16": 2, "half": 2, "float": 4}


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What can be known of a model on any machine; None where its config doesn't say.

    Attributes
    ----------
    context_n : int or None
        Tokens of prompt and reply together, at most.
    head_n, kv_head_n, layer_n, head_width, hidden_n, vocabulary_n : int or None
    latent_n : int or None
        Numbers a token and layer in the cache of a model with latent attention.
    value_bytes : int
        Bytes a number in the cache.
    weight_bytes : int
        Of all weight files.
    missing : tuple of str
        Files that have to be there and aren't.
    has_chat_template : bool
    """

    context_n: int | None
    head_n: int | None
    kv_head_n: int | None
    layer_n: int | None
    head_width: int | None
    latent_n: int | None
    value_bytes: int
    weight_bytes: int
    missing: tuple[str, ...]
    has_chat_template: bool

    def cache_bytes(self, tp_size: int) -> int | None:
        """Return the bytes of KV cache a token on each of so many GPUs; None: not known."""
        if self.layer_n is None:
            return None
        if self.latent_n is not None:  # every GPU holds all of it
            return self.layer_n * self.latent_n * self.value_bytes
        if self.kv_head_n is None or self.head_width is None:
            return None
        heads = max(-(-self.kv_head_n // tp_size), 1)
        return 2 * self.layer_n * heads * self.head_width * self.value_bytes


def read_model_facts(folder: Path) -> ModelFacts:
    """Read a folder in the Hugging Face layout.

    Raises
    ------
    MissingResourceError
        There is no such folder, or no config in it.
    BadInputError
        The config is no JSON object.
    """
    config = _read_config(folder)
    text = config.get("text_config")
    numbers = config | text if isinstance(text, dict) else config
    weights = _weight_files(folder)
    missing = [] if weights else ["*.safetensors"]
    missing += [name for name in _indexed(folder) if not (folder / name).is_file()]
    if not any((folder / name).is_file() for name in _TOKENIZERS):
        missing.append("tokenizer.json")
    heads, hidden = _number(numbers, "num_attention_heads"), _number(numbers, "hidden_size")
    width = _number(numbers, "head_dim")
    if width is None and heads and hidden:
        width = hidden // heads
    latent = _number(numbers, "kv_lora_rank")
    if latent is not None:
        latent += _number(numbers, "qk_rope_head_dim") or 0
    kind = numbers.get("dtype") or numbers.get("torch_dtype")
    return ModelFacts(
        context_n=_number(numbers, "max_position_embeddings"),
        head_n=heads,
        kv_head_n=_number(numbers, "num_key_value_heads") or heads,
        layer_n=_number(numbers, "num_hidden_layers"),
        head_width=width,
        latent_n=latent,
        value_bytes=min(_BYTES_OF.get(str(kind), 2), 2),  # vLLM runs float32 models in half of it
        weight_bytes=sum(path.stat().st_size for path in weights),
        missing=tuple(missing),
        has_chat_template=_has_chat_template(folder),
    )


def token_counter(folder: Path | None) -> tuple[Callable[[str], int], bool]:
    """Return a function that counts a text's tokens, and whether it is the model's own.

    Without the model's ``tokenizer.json``, or without the package ``tokenizers``, a token is taken
    for four characters.
    """
    path = None if folder is None else folder / "tokenizer.json"
    if path is not None and path.is_file():
        try:
            from tokenizers import Tokenizer

            tokenizer = Tokenizer.from_file(str(path))
        except Exception:  # not installed, or a file that it can't read: its errors have no base
            tokenizer = None
        if tokenizer is not None:
            return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids), True
    return lambda text: -(-len(text) // 4), False


def _read_config(folder: Path) -> dict[str, Any]:
    path = folder / "config.json"
    if not folder.is_dir():
        fix = "name the model's folder, the one that holds config.json"
        raise MissingResourceError(
            Problem("no-model", "there is no such model folder", SourceRef(str(folder)), fix)
        )
    try:
        config = orjson.loads(path.read_bytes())
    except FileNotFoundError as error:
        fix = "copy the whole model; config.json comes with it"
        problem = Problem("no-config", "the model has no config.json", SourceRef(str(folder)), fix)
        raise MissingResourceError(problem) from error
    except OSError as error:
        problem = Problem("unreadable-path", reason_of(error), SourceRef(str(path)))
        raise MissingResourceError(problem) from error
    except orjson.JSONDecodeError:
        config = None
    if not isinstance(config, dict):
        raise BadInputError(
            Problem("bad-config", "the model's config is no JSON object", SourceRef(str(path)),
                    "copy the model again")
        )  # fmt: skip
    return config


def _weight_files(folder: Path) -> list[Path]:
    """Return the weights as vLLM would load them: safetensors, else another form."""
    for form in _WEIGHTS:
        found = sorted(path for path in folder.glob(form) if path.is_file())
        if found:
            whole = [path for path in found if path.name.startswith("consolidated")]
            return [path for path in found if path not in whole] or found
    return []


def _indexed(folder: Path) -> list[str]:
    """Return the files that the index of weights names."""
    for path in sorted(folder.glob("*.safetensors.index.json")):
        try:
            names = orjson.loads(path.read_bytes()).get("weight_map", {}).values()
            return sorted({name for name in names if isinstance(name, str)})
        except (OSError, orjson.JSONDecodeError, AttributeError):
            return [path.name]
    return []


def _has_chat_template(folder: Path) -> bool:
    if any((folder / name).is_file() for name in ("chat_template.jinja", "chat_template.json")):
        return True
    try:
        config = orjson.loads((folder / "tokenizer_config.json").read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return False
    return isinstance(config, dict) and bool(config.get("chat_template"))


def _number(config: Mapping[str, Any], name: str) -> int | None:
    found = config.get(name)
    return found if isinstance(found, int) and not isinstance(found, bool) and found > 0 else None
