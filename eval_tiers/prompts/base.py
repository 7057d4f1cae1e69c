"""What a format's prompts have to say about themselves, and the request that each becomes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from eval_tiers.formats.base import Record

Message = dict[str, str]


@dataclass(frozen=True, slots=True)
class PromptFormat:
    """How the questions of one benchmark format are put to a model.

    Attributes
    ----------
    name : str
        Name of the benchmark format.
    title : str
        The benchmark's name in a message.
    version : str
        Changes with every change of wording or schema.
    schema_name : str
        Name of the reply schema.
    schema : mapping
        JSON schema of a reply, of the kind that strict structured output takes everywhere: every
        field required, no others, no tuples.
    has_evidence : bool
        Whether a gold record brings evidence that can be shown.
    messages_of : callable
        (gold record, whether to show the evidence) to the messages; raises `RecordFault`.
    """

    name: str
    title: str
    version: str
    schema_name: str
    schema: Mapping[str, object]
    has_evidence: bool
    messages_of: Callable[[Record, bool], list[Message]]


def build_request(
    custom_id: str, messages: list[Message], prompt: PromptFormat, model: str, max_tokens: int
) -> dict[str, object]:
    """Return one request in the OpenAI Batch form, its reply bound to the schema.

    Parameters
    ----------
    custom_id : str
        See `eval_tiers.texts.custom_ids`.
    messages : list of dict
    prompt : PromptFormat
    model : str
        As the engine calls it.
    max_tokens : int
        Longest reply.
    """
    return {
        "custom_id": custom_id,
        "method": "POST",
        "url": "/v1/chat/completions",
        "body": {
            "model": model,
            "messages": messages,
            "temperature": 0,
            "max_tokens": max_tokens,
            "seed": 0,
            "response_format": {
                "type": "json_schema",
                "json_schema": {
                    "name": prompt.schema_name,
                    "strict": True,
                    "schema": prompt.schema,
                },
            },
        },
    }
