"""Keys become paths that stay in their folder and never meet."""

from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.snapshots.paths import Paths


@pytest.mark.parametrize(
    ("keys", "paths"),
    [
        (["a/b.txt", "A.txt"], ["a/b.txt", "A.txt"]),
        (["../up", "/root", "a//b", "a/./b"], ["_/up", "_/root", "a/_/b", "a/_/b~2"]),
        (["a.txt", "A.txt", "a.TXT"], ["a.txt", "A~2.txt", "a~3.TXT"]),
        (["x", "x/y", "X/z"], ["x", "x~2/y", "X~2/z"]),
        (["d/", "d/e"], ["d/_", "d/e"]),
        (["c:\\windows", "nul.txt", "end. "], ["c__windows", "_nul.txt", "end"]),
    ],
)
def test_unsafe_and_taken_names_are_renamed(keys: list[str], paths: list[str]) -> None:
    renamed = Paths()
    assert [renamed.path_of(key) for key in keys] == paths


def test_a_long_name_is_cut_and_stays_its_own() -> None:
    renamed = Paths()
    first, second = renamed.path_of("x" * 900), renamed.path_of("x" * 901)
    assert first != second
    assert max(len(first), len(second)) < 255


@given(st.lists(st.text("aA./\\~2 ", min_size=1, max_size=8), unique=True, max_size=12))
def test_no_path_leaves_its_folder_or_meets_another(keys: list[str]) -> None:
    renamed = Paths()
    files = [renamed.path_of(key) for key in sorted(keys)]
    folders = {str(parent).casefold() for path in files for parent in PurePosixPath(path).parents}
    assert len({path.casefold() for path in files}) == len(files)
    for path in files:
        assert not path.startswith("/")
        assert not {"", ".", ".."} & set(path.split("/"))
        assert path.casefold() not in folders
