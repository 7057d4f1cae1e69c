"""A random two-layer Qwen3 in a folder that vLLM loads, made on the spot in some seconds.

    .venv-vllm/bin/python tests/tiny_model.py FOLDER

Its tokenizer is trained on this repository's own words; its weights are random from a fixed seed.
What it writes means nothing, so it is good for the plumbing alone: with a schema its replies are
valid JSON. Needs torch, transformers and tokenizers, which come with vLLM.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

CHAT_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
END = "<|im_end|>"
SPECIAL = ("<|endoftext|>", "<|im_start|>", END)
VOCABULARY_N = 2_000
CONTEXT_N = 8_192


def train_tokenizer() -> Any:
    """A byte-level BPE trained on the repository's pages, with a chat template."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY_N,
        special_tokens=list(SPECIAL),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    pages = sorted((Path(__file__).parents[1] / "docs").glob("*.md"))
    tokenizer.train_from_iterator((page.read_text("utf-8") for page in pages), trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token=END,
        pad_token=SPECIAL[0],
        model_max_length=CONTEXT_N,
        chat_template=CHAT_TEMPLATE,
    )


def build_tiny_model(folder: Path, *, heads: int = 2) -> None:
    """Write the model and its tokenizer into `folder` (Hugging Face layout)."""
    import torch
    from transformers import Qwen3Config, Qwen3ForCausalLM

    tokenizer = train_tokenizer()
    torch.manual_seed(0)
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=heads,
        num_key_value_heads=1,
        head_dim=32,
        max_position_embeddings=CONTEXT_N,
        tie_word_embeddings=True,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    model = Qwen3ForCausalLM(config).to(torch.bfloat16)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


if __name__ == "__main__":
    build_tiny_model(Path(sys.argv[1]))
