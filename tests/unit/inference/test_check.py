"""``infer --check`` on model folders that hold a config and empty weights of a given size."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from eval_tiers.exceptions import BadInputError, MissingResourceError
from eval_tiers.inference.backends.vllm_settings import VllmOptions
from eval_tiers.inference.check import Check, check_run
from eval_tiers.inference.shards import Shard
from tests.openai_server import chat_request

OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1"}
# As Qwen3-8B's config says.
QWEN3_8B = {
    "num_attention_heads": 32, "num_key_value_heads": 8, "num_hidden_layers": 36, "head_dim": 128,
    "hidden_size": 4096, "max_position_embeddings": 40960, "torch_dtype": "bfloat16",
}  # fmt: skip
WEIGHTS = 16_400_000_000


@pytest.fixture
def model(tmp_path: Path) -> Path:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(QWEN3_8B))
    (folder / "tokenizer.json").write_text("{}")
    (folder / "tokenizer_config.json").write_text('{"chat_template": "x"}')
    with (folder / "model.safetensors").open("wb") as handle:
        handle.truncate(WEIGHTS)  # a sparse file
    return folder


def check(model: Path, *lengths: int, shard_n: int = 1, **options: Any) -> Check:
    requests = model.parent / "requests.jsonl"
    rows = [chat_request(f"r{n}", "abcd" * length, max_tokens=512)
            for n, length in enumerate(lengths or (100,))]  # fmt: skip
    requests.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return check_run(str(requests), VllmOptions(str(model), **options), Shard(0, shard_n), OFFLINE)


def codes(found: Check, *levels: str) -> list[str]:
    return [finding.code for finding in found.findings if finding.level in (levels or ("error",))]


def test_what_fits(model: Path) -> None:
    found = check(model, 100, 200, gpu_memory=72.0)
    assert found.passed
    assert codes(found) == []
    assert (found.request_n, found.context_n) == (2, 40960)
    assert found.longest_n == 200 + 2 * 8
    assert not found.counted
    # 2 (keys and values) x 36 layers x 8 heads x 128 numbers x 2 bytes
    assert found.cache_token_bytes == 147_456
    assert found.weight_bytes == WEIGHTS


def test_what_tensor_parallel_leaves_on_each_gpu(model: Path) -> None:
    found = check(model, tp_size=4)
    assert found.cache_token_bytes == 147_456 // 4
    assert found.weight_bytes == WEIGHTS // 4
    assert check(model, tp_size=16).cache_token_bytes == 147_456 // 8  # a head isn't shared


@pytest.mark.parametrize(
    ("tp_size", "fails"), [(2, False), (8, False), (3, True), (5, True), (6, True)]
)
def test_heads(model: Path, tp_size: int, fails: bool) -> None:
    assert ("heads-not-divisible" in codes(check(model, tp_size=tp_size))) is fails


def test_prompts_over_the_length(model: Path) -> None:
    found = check(model, 100, 2000, 1500, max_model_len=2048)
    assert codes(found) == []
    assert codes(found, "warning")[:1] == ["reply-cut-off"]
    found = check(model, 100, 2040, max_model_len=2048)
    assert codes(found) == ["prompt-too-long"]
    assert found.findings[0].where.sample == "r1"
    assert "over-model-length" in codes(check(model, max_model_len=50_000))


def test_memory(model: Path) -> None:
    # 16.4 GB of weights and 3 GB for the engine; 40,960 tokens x 147,456 bytes = 6.04 GB
    assert codes(check(model, gpu_memory=19.0)) == ["out-of-memory"]
    assert codes(check(model, gpu_memory=25.0)) == ["out-of-memory"]
    assert codes(check(model, gpu_memory=26.0)) == []
    assert codes(check(model, gpu_memory=22.0, max_model_len=8192)) == []
    assert codes(check(model, gpu_memory=19.0, tp_size=2)) == []


def test_latent_attention_is_not_shared(model: Path) -> None:
    config = QWEN3_8B | {"kv_lora_rank": 512, "qk_rope_head_dim": 64}
    (model / "config.json").write_text(json.dumps(config))
    assert check(model, tp_size=4).cache_token_bytes == 36 * 576 * 2


def test_numbers_of_a_nested_config(model: Path) -> None:
    (model / "config.json").write_text(json.dumps({"text_config": QWEN3_8B}))
    assert check(model).cache_token_bytes == 147_456


def test_files_that_are_missing(model: Path) -> None:
    index = {"weight_map": {"a": "model-00001-of-00002.safetensors", "b": "model.safetensors"}}
    (model / "model.safetensors.index.json").write_text(json.dumps(index))
    found = check(model)
    assert codes(found) == ["missing-model-file"]
    assert "model-00001-of-00002.safetensors" in found.findings[0].message
    (model / "model.safetensors.index.json").unlink()
    (model / "tokenizer.json").unlink()
    (model / "tokenizer_config.json").unlink()
    (model / "model.safetensors").unlink()
    found = check(model)
    assert codes(found) == ["missing-model-file", "no-chat-template"]
    assert "*.safetensors, tokenizer.json" in found.findings[0].message


def test_no_model_at_all(model: Path, tmp_path: Path) -> None:
    with pytest.raises(MissingResourceError, match="no-model"):
        check(tmp_path / "none")
    (model / "config.json").write_text("[]")
    with pytest.raises(BadInputError, match="bad-config"):
        check(model)
    (model / "config.json").unlink()
    with pytest.raises(MissingResourceError, match="no-config"):
        check(model)


def test_variables(model: Path) -> None:
    check(model)
    requests, options = str(model.parent / "requests.jsonl"), VllmOptions(str(model))
    found = check_run(requests, options, Shard(), {})
    assert "offline-variables" in codes(found, "note")
    found = check_run(requests, options, Shard(), OFFLINE | {"HF_HUB_OFFLINE": "0"})
    assert "hub-is-asked" in codes(found, "warning")
    assert "offline-variables" not in codes(found, "note")


def test_the_wall_time_of_a_shard(model: Path) -> None:
    whole, part = check(model, *[1000] * 400), check(model, *[1000] * 400, shard_n=4)
    assert whole.shard_seconds is not None
    assert part.shard_seconds is not None
    # all but the start of 90 s is shared by four
    assert part.shard_seconds - 90 == pytest.approx((whole.shard_seconds - 90) / 4, rel=0.02)
