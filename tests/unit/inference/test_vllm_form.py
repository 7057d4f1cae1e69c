"""Between the OpenAI form and vLLM's, without vLLM."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from eval_tiers.inference.backends.vllm_offline import model_name
from eval_tiers.inference.backends.vllm_sampling import completion, sampling_options
from eval_tiers.inference.backends.vllm_settings import VllmOptions, engine_options
from eval_tiers.inference.request_file import read_requests
from tests.openai_server import chat_request

SCHEMA = {"type": "object", "properties": {}}


def body(**options: object) -> dict[str, Any]:
    found: dict[str, Any] = chat_request("a", **options)["body"]
    return found


def test_options_of_a_request() -> None:
    asked = body(
        max_tokens=7, seed=3, top_p=0.5, stop=["x"], logprobs=True, top_logprobs=20, user="u",
        response_format={"type": "json_schema", "json_schema": {"name": "n", "schema": SCHEMA}},
    )  # fmt: skip
    assert sampling_options(asked, without_gpu=False) == {
        "temperature": 0, "max_tokens": 7, "seed": 3, "top_p": 0.5, "stop": ["x"], "logprobs": 20,
        "structured_outputs": {"json": SCHEMA},
    }  # fmt: skip


def test_no_limit_is_the_models_own_and_the_newer_name_counts() -> None:
    assert sampling_options(body(max_tokens=None), without_gpu=False)["max_tokens"] is None
    found = sampling_options(body(max_completion_tokens=5), without_gpu=False)
    assert found["max_tokens"] == 5


@pytest.mark.parametrize(
    ("temperature", "without_gpu", "kept"),
    [(0, True, True), (0.7, True, False), (None, True, False), (0.7, False, True)],
)
def test_a_seed_above_temperature_0_is_left_out_on_a_cpu(
    temperature: float | None, without_gpu: bool, kept: bool
) -> None:
    found = sampling_options(body(temperature=temperature, seed=1), without_gpu)
    assert ("seed" in found) is kept


@pytest.mark.parametrize(
    "options",
    [
        {"tools": [{}]}, {"stream": True}, {"guided_json": SCHEMA},
        {"response_format": {"type": "xml"}}, {"response_format": {"type": "json_schema"}},
        {"response_format": "json"},
    ],
)  # fmt: skip
def test_what_can_not_be_run_is_not_left_out_without_a_word(options: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        sampling_options(body(**options), without_gpu=False)


def test_options_that_are_off_are_no_fault() -> None:
    sampling_options(body(stream=False, tools=None), without_gpu=False)


@pytest.mark.parametrize(
    ("form", "bound"), [({"type": "json_object"}, {"json_object": True}), ({"type": "text"}, None)]
)
def test_other_forms(form: dict[str, str], bound: object) -> None:
    found = sampling_options(body(response_format=form), without_gpu=False)
    assert found.get("structured_outputs") == bound


@dataclass
class Logprob:
    """As vLLM gives it."""

    logprob: float
    decoded_token: str | None


@dataclass
class Choice:
    """As vLLM gives it."""

    index: int = 0
    text: str = "ab"
    token_ids: tuple[int, ...] = (1, 2)
    logprobs: list[dict[int, Logprob]] | None = None
    finish_reason: str = "stop"


@dataclass
class Output:
    """As vLLM gives it."""

    prompt_token_ids: tuple[int, ...] = (5, 6, 7)
    outputs: list[Choice] = field(default_factory=lambda: [Choice()])


def test_a_completion(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    path.write_text(json.dumps(chat_request("a")))
    (request,) = read_requests(str(path))
    listed = [
        {1: Logprob(-1.0, "a"), 9: Logprob(-0.5, "c")},
        {2: Logprob(0.0, "b"), 8: Logprob(float("-inf"), None)},
    ]
    found = completion(request, Output(outputs=[Choice(logprobs=listed)]), "m")
    json.dumps(found, allow_nan=False)
    assert found["model"] == "m"
    assert found["usage"] == {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
    (choice,) = found["choices"]  # type: ignore[misc]
    assert choice["message"] == {"role": "assistant", "content": "ab"}
    first, second = choice["logprobs"]["content"]
    assert (first["token"], first["logprob"]) == ("a", -1.0)
    assert [one["token"] for one in first["top_logprobs"]] == ["c", "a"]
    assert second["top_logprobs"][1] == {"token": "", "logprob": -9999.0}
    (choice,) = completion(request, Output(), "m")["choices"]  # type: ignore[misc]
    assert choice["logprobs"] is None


def test_engine_options_of_a_gpu_know_nothing_of_the_cpus() -> None:
    options = VllmOptions("m", tp_size=2, max_model_len=100, gpu_memory=0.5)
    found = engine_options(options, without_gpu=False)
    assert found["tensor_parallel_size"] == 2
    assert found["max_model_len"] == 100
    assert found["gpu_memory_utilization"] == 0.5
    on_cpu = engine_options(options, without_gpu=True)
    assert on_cpu.keys() - found.keys() == {"enforce_eager", "kv_cache_memory_bytes", "dtype"}
    assert "gpu_memory_utilization" not in on_cpu


def test_names_of_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "Qwen3-8B"
    folder.mkdir()
    assert model_name(str(folder)) == "Qwen3-8B"
    monkeypatch.chdir(folder)
    assert model_name(".") == "Qwen3-8B"
    assert model_name("../Qwen3-8B/") == "Qwen3-8B"
    assert model_name("Qwen/Qwen3-8B") == "Qwen/Qwen3-8B"
