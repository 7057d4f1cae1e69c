"""How vLLM is started: what is asked for, and what a machine without a GPU needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

_CPU_CACHE_BYTES: Final = 512 << 20
_MOST_SHARE: Final = 0.98


@dataclass(frozen=True, slots=True)
class VllmOptions:
    """What the user says about the engine.

    Attributes
    ----------
    model : str
        Folder, or name on a hub.
    tp_size : int
        GPUs that share the model.
    max_model_len : int or None
        Longest prompt and reply together, in tokens; None: the model's own.
    gpu_memory : float or None
        What vLLM may use of each GPU: a share up to 1, or gigabytes above; None: vLLM's default.
    batch_size : int or None
        Requests a batch; None: 256, without a GPU 64.
    """

    model: str
    tp_size: int = 1
    max_model_len: int | None = None
    gpu_memory: float | None = None
    batch_size: int | None = None

    def environment(self, is_local: bool) -> dict[str, str]:
        """Return variables to set where the user hasn't: no telemetry, no hub, logs on stderr."""
        found = {
            "VLLM_NO_USAGE_STATS": "1",
            "DO_NOT_TRACK": "1",
            "VLLM_LOGGING_STREAM": "ext://sys.stderr",
            "VLLM_LOGGING_LEVEL": "WARNING",
        }
        if is_local:
            found |= {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
        if on_cpu():
            found |= {
                "VLLM_ENABLE_V1_MULTIPROCESSING": "0",  # starts in 4 s instead of 20
                "VLLM_CPU_NUM_OF_RESERVED_CPU": "0",
                "VLLM_HOST_IP": "127.0.0.1",
            }
        return found


def on_cpu() -> bool:
    """Whether PyTorch sees no accelerator here; raises ImportError without PyTorch."""
    import torch

    accelerators = [torch.cuda, getattr(torch, "xpu", None)]
    return not any(found is not None and found.is_available() for found in accelerators)


def engine_options(options: VllmOptions, without_gpu: bool) -> dict[str, Any]:
    """Return the arguments of ``vllm.LLM``."""
    found: dict[str, Any] = {
        "model": options.model,
        "tensor_parallel_size": options.tp_size,
        "seed": 0,
        # else a weak model fills its reply with blanks, which a JSON schema allows
        "structured_outputs_config": {"backend": "xgrammar", "disable_any_whitespace": True},
    }
    if options.max_model_len is not None:
        found["max_model_len"] = options.max_model_len
    if without_gpu:
        found |= {"enforce_eager": True, "kv_cache_memory_bytes": _CPU_CACHE_BYTES}
        found["dtype"] = "float32"  # bfloat16 is slow on processors that only emulate it
    elif options.gpu_memory is not None:
        found["gpu_memory_utilization"] = _share(options.gpu_memory)
    return found


def _share(gpu_memory: float) -> float:
    """Return the share of a GPU's memory that so many gigabytes are; a share stays as it is."""
    if gpu_memory <= 1:
        return gpu_memory
    import torch

    total: int = torch.cuda.get_device_properties(0).total_memory
    return min(gpu_memory * 1e9 / total, _MOST_SHARE)
