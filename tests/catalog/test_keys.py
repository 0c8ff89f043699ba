"""Keys and folders as text."""

import pytest

from dashboard.catalog.keys import folder, folder_of, name_of, numbered, printable, trail


@pytest.mark.parametrize(("typed", "meant"), [("", ""), ("/", "/"), ("a", "a/"), ("/a/b", "/a/b/"), ("a//", "a//")])
def test_a_folder_ends_in_a_slash_and_one_in_front_is_its_own(typed: str, meant: str) -> None:
    assert folder(typed) == meant


def test_a_key_falls_into_folder_and_name() -> None:
    assert (folder_of("a/b/c.txt"), name_of("a/b/c.txt")) == ("a/b/", "c.txt")
    assert (folder_of("c.txt"), name_of("c.txt")) == ("", "c.txt")
    assert (folder_of("a/"), name_of("a/")) == ("a/", "")


def test_a_path_is_walked_from_the_outside_in() -> None:
    assert trail("a//b/") == [("a", "a/"), ("", "a//"), ("b", "a//b/")]


def test_a_taken_name_gets_a_number_before_its_ending() -> None:
    assert numbered("a/b.txt", 2) == ["a/b (1).txt", "a/b (2).txt"]
    assert numbered("b (4).txt", 1) == ["b (5).txt"]
    assert numbered(".profile", 1) == [".profile (1)"]
    assert numbered("a.b/c", 1) == ["a.b/c (1)"]
    assert numbered(f"a/{'x' * 251}.txt", 1) == [f"a/{'x' * 247} (1).txt"]


def test_what_would_mislead_the_eye_is_written_out() -> None:
    assert printable("invoice\u202egpj.exe") == "invoice\\u202egpj.exe"
    assert printable("a b\tc") == "a b\\u0009c"
    assert (printable("  "), printable(" a "), printable("")) == ("␣␣", "␣a␣", "")
    assert printable("a b/ c  d /e") == "a b/␣c␣␣d␣/e"
    assert printable(" \t") == "␣\\u0009"
