"""Sizes and types, from what people type and in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.features.buckets.forms import SizeField
from dashboard.features.buckets.rules import UNITS, in_words, split, type_problem


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (999, "999 bytes"),
        (1000, "1 KB"),
        (1024, "1 KiB"),
        (1536, "1.5 KiB"),
        (5_000_000, "5 MB"),
        (5_242_880, "5 MiB"),
        (5_000_123, "5,000,123 bytes"),
        (1_073_741_824, "1 GiB"),
    ],
)
def test_a_size_in_words_names_every_byte(size: int, words: str) -> None:
    assert in_words(size) == words


@given(st.integers(min_value=0, max_value=2**53 - 1))
def test_a_size_survives_the_form(size: int) -> None:
    unit, number = split(size)
    assert unit in UNITS
    assert SizeField(required=False).clean([number, unit]) == size


@pytest.mark.parametrize(
    "entry", ["image/png", "image/*", "text/html; charset=utf-8", "application/vnd.ms-excel", "model/gltf+json"]
)
def test_a_type_is_fine(entry: str) -> None:
    assert type_problem(entry) is None


@pytest.mark.parametrize("entry", ["*/*", "*", "image", "image/", "/png", "image/png, image/gif", "Image/png", "a b/c"])
def test_a_type_is_refused_with_a_sentence(entry: str) -> None:
    assert type_problem(entry)
