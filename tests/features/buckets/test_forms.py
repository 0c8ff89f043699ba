"""Sizes and types, from what people type and in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.features.buckets.forms import SizeField
from dashboard.features.buckets.rules import UNITS, split, type_problem


@pytest.mark.parametrize(
    ("size", "unit", "number"),
    [
        (0, "B", "0"),
        (999, "B", "999"),
        (1000, "KB", "1"),
        (1024, "KB", "1.024"),
        (5_000_000, "MB", "5"),
        (50_000_000, "MB", "50"),
        (52_428_800, "MB", "52.4288"),
        (1_073_741_824, "GB", "1.073741824"),
    ],
)
def test_a_form_shows_a_size_to_the_byte(size: int, unit: str, number: str) -> None:
    assert split(size) == (unit, number)


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
