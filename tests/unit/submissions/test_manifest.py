"""The manifest: entries whose form is right, and what is said of the others."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from eval_tiers.submissions.codes import CODES
from eval_tiers.submissions.manifest import Declaration, parse_manifest

HASH = "0123456789abcdef" * 4
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
ENTRY = st.fixed_dictionaries(
    {},
    optional={
        "path": st.sampled_from(["a.csv", "A.csv", "./a.csv", "../a", "/a", "b/", "", "c"]) | JSON,
        "sha256": st.sampled_from([HASH, HASH.upper(), HASH[:-1]]) | JSON,
        "description": JSON,
    },
)


def entries(*items: object) -> bytes:
    return json.dumps({"artifacts": items}).encode()


def test_entries() -> None:
    declared, checks = parse_manifest(
        entries(
            {"path": "./a.csv", "sha256": HASH.upper(), "description": "x", "more": 1},
            {"path": "b.csv", "sha256": "x"},
            {"path": "../c.csv", "sha256": HASH},
            "d.csv",
            {"path": "e.csv", "sha256": HASH},
        ),
        100,
    )
    assert declared == [Declaration("a.csv", HASH, "x"), Declaration("e.csv", HASH)]
    assert [(check.code, check.path) for check in checks] == [
        ("manifest_malformed", "analysis_manifest.json"),
        ("escapes_root", "../c.csv"),
        ("manifest_malformed", "analysis_manifest.json"),
    ]
    assert checks[0].message == "artifact 2: 'sha256' of 'b.csv' has to be 64 hexadecimal digits"


def test_of_one_name_none_is_usable() -> None:
    declared, checks = parse_manifest(
        entries(*({"path": path, "sha256": HASH} for path in ("a", "b", "A", "a"))), 100
    )
    assert declared is not None
    assert [(item.path, item.usable) for item in declared] == [
        ("a", False), ("b", True), ("A", False), ("a", False),
    ]  # fmt: skip
    assert [check.message for check in checks] == [
        "it differs from 'a' by case or Unicode form alone",
        "it is declared twice",
    ]


def test_the_limit_of_entries() -> None:
    whole = [{"path": str(number), "sha256": HASH} for number in range(100)]
    declared, checks = parse_manifest(entries(*whole), 100)
    assert declared is not None and len(declared) == 100 and not checks
    declared, checks = parse_manifest(entries(*whole, whole[0]), 100)
    assert declared is None and [check.code for check in checks] == ["manifest_malformed"]


def test_hashes_are_not_asked_for_in_a_draft() -> None:
    declared, checks = parse_manifest(entries({"path": "a", "sha256": 7}), 100, hashed=False)
    assert declared == [Declaration("a", "")] and not checks


@given(st.binary(max_size=60) | JSON.map(lambda value: json.dumps(value).encode()))
def test_any_bytes(data: bytes) -> None:
    declared, checks = parse_manifest(data, 100)
    assert checks or declared == []
    assert {check.code for check in checks} <= set(CODES)


@given(st.lists(ENTRY | JSON, max_size=6))
def test_any_entries(items: list[object]) -> None:
    declared, checks = parse_manifest(entries(*items), 100)
    assert declared is not None
    usable = [item for item in declared if item.usable]
    assert len({item.path.casefold() for item in usable}) == len(usable)
    assert all(len(item.sha256) == 64 and item.sha256 == item.sha256.lower() for item in declared)
    assert len(declared) + len(checks) >= len(items)
    for check in checks:
        assert check.code in CODES
        json.dumps(check.as_dict())
