"""What lies in the scope of a grant: whole folders, compared byte for byte, by keys that no decoding changes."""

import pytest

from dashboard.tokens.scope import Scope, outermost

FOLDER = Scope("storage", "abc", frozenset({"read"}), folders=("photos/inside/",))
WHOLE = Scope("storage", "abc", frozenset({"read"}))


@pytest.mark.parametrize("key", ["inside/a.txt", "inside/deep/a b+c.txt", "inside/...", "inside/%41.txt", "inside/50%.txt"])
def test_a_key_below_the_folder_is_in_scope(key: str) -> None:
    assert FOLDER.holds_key("photos", key)


@pytest.mark.parametrize(
    "key",
    [
        "",
        "inside",
        "insides/a.txt",
        "Inside/a.txt",
        "beside/a.txt",
        "a.txt",
        "inside/",
        "inside//a.txt",
        "inside/../a.txt",
        "inside/./a.txt",
        "inside/%2e%2e/a.txt",
        "inside/%252e%252e/a.txt",
        "inside/..%2fa.txt",
        "inside/%2fa.txt",
        "/inside/a.txt",
        "inside/..",
        "inside/%" + "25" * 3000,
    ],
)
def test_no_other_key_is_in_scope(key: str) -> None:
    assert not FOLDER.holds_key("photos", key)
    assert not FOLDER.holds_key("other", key)


def test_the_whole_space_has_no_ambiguous_keys_either() -> None:
    assert WHOLE.holds_key("photos", "a/b.txt")
    assert not WHOLE.holds_key("photos", "a/../b.txt")
    assert not WHOLE.holds_key("photos", "a/%2e%2e/b.txt")


def test_folders_are_in_scope_whole_or_not_at_all() -> None:
    assert FOLDER.holds_folder("photos", "inside/")
    assert FOLDER.holds_folder("photos", "inside/deep/")
    for folder in ("", "insides/", "Inside/", "inside/../", "inside//", "inside/%2e%2e/"):
        assert not FOLDER.holds_folder("photos", folder)
    assert WHOLE.holds_folder("photos", "")
    assert not FOLDER.holds_bucket("photos")
    assert FOLDER.shows_bucket("photos")
    assert not FOLDER.shows_bucket("photo")


def test_the_folders_above_lead_to_the_scope() -> None:
    scope = Scope("storage", "abc", frozenset(), folders=("photos/a/b/", "photos/c/"))
    assert scope.leads("photos", "") == ["a", "c"]
    assert scope.leads("photos", "a/") == ["b"]
    assert scope.leads("photos", "a/b/") == []
    assert outermost(["photos/a/b/", "photos/a/", "other/", "photos/a/"]) == ("other/", "photos/a/")
