"""Paths of manifests: hand-picked ones are in the tests of hostile submissions."""

from __future__ import annotations

import posixpath
from typing import Final, Literal
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_tiers.submissions.paths import PathFault, folded_path, plain_path

FORMS: Final[tuple[Literal["NFC", "NFD"], ...]] = ("NFC", "NFD")


@pytest.mark.parametrize(
    ("path", "plain"),
    [
        ("results.csv", "results.csv"),
        ("./results.csv", "results.csv"),
        ("a/./b//c.csv", "a/b/c.csv"),
        (" a .csv", " a .csv"),
        ("...", "..."),
        ("a/..b/c..", "a/..b/c.."),
        ("ab:c.csv", "ab:c.csv"),
        ("~", "~"),
        ("-rf", "-rf"),
        ("=cmd.csv", "=cmd.csv"),
        ("тест/表.csv", "тест/表.csv"),
        ("x" * 1024, "x" * 1024),
    ],
    ids=lambda text: ascii(text[:12]),
)
def test_plain_paths(path: str, plain: str) -> None:
    assert plain_path(path) == plain


@given(st.text(st.sampled_from("ab./\\:C \0é~"), max_size=12))
def test_what_is_let_through_stays_inside(path: str) -> None:
    codes = {"absolute_path", "escapes_root", "not_regular", "manifest_malformed"}
    try:
        plain = plain_path(path)
    except PathFault as fault:
        plain = None
        code = fault.code
    if plain is None:
        assert code in codes
        return
    assert plain == posixpath.normpath(path)
    assert not plain.startswith("/") and ".." not in plain.split("/") and "\\" not in plain
    assert plain_path(plain) == plain


@given(st.text(st.sampled_from("aAéÉe\u0301ßẞKK/."), max_size=12))
def test_folding(path: str) -> None:
    for other in (path.upper(), path.lower(), *(normalize(form, path) for form in FORMS)):
        assert folded_path(other) == folded_path(path)
