"""What somebody chose."""

import json
from time import process_time

import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from dashboard.catalog.selection import Selection, read_selection


def test_it_reads_the_fields_of_every_selection_form() -> None:
    chosen = read_selection("s", "b", QueryDict("key=a.txt&key=a.txt&key=f/x.txt&folder=f&folder=f/g/&folder=h/&path=p"))
    assert chosen == Selection("s", "b", keys=("a.txt",), folders=("f/", "h/"), path="p/")
    assert chosen.sentence() == chosen.title() == "1 object and 2 folders"


@pytest.mark.parametrize(
    ("one", "title"),
    [
        ({"keys": ("f/a.txt",)}, "a.txt"),
        ({"folders": ("f/g/",)}, "g"),
        ({"folders": ("/",)}, "1 folder"),
        ({"keys": ("f/ ",)}, "␣"),
    ],
)
def test_a_single_thing_is_named(one: dict[str, tuple[str, ...]], title: str) -> None:
    assert Selection("s", "b", **one).title() == title  # type: ignore[arg-type] # either of two fields


def naive(folders: list[str], keys: list[str]) -> tuple[list[str], list[str]]:
    outer = [one for one in dict.fromkeys(folders) if not any(one != other and one.startswith(other) for other in folders)]
    return outer, [key for key in dict.fromkeys(keys) if not any(key.startswith(folder) for folder in outer)]


@given(
    st.lists(st.text("aB/.-", min_size=1, max_size=6), max_size=12),
    st.lists(st.text("aB/.-", min_size=1, max_size=8), max_size=12),
)
def test_what_lies_in_a_chosen_folder_is_not_chosen_again(names: list[str], keys: list[str]) -> None:
    folders = [f"{name.removesuffix('/')}/" for name in names]
    fields = QueryDict(mutable=True)
    fields.setlist("folder", folders)
    fields.setlist("key", keys)
    chosen = read_selection("s", "b", fields)
    assert (list(chosen.folders), list(chosen.keys)) == naive(folders, keys)


def test_as_many_folders_as_a_form_can_hold_are_read_at_once() -> None:
    fields = QueryDict(mutable=True)
    fields.setlist("folder", [f"photos/{number:05}/of/a/long/path/" for number in range(9_900)])
    fields.setlist("key", [f"photos/{number:05}.txt" for number in range(9_900)])
    began = process_time()
    chosen = read_selection("s", "b", fields)
    assert (len(chosen.folders), len(chosen.keys)) == (9_900, 9_900)
    assert process_time() - began < 2, "it took 36 seconds when every folder was compared with every other"


def test_all_that_match_is_a_filter_and_never_an_empty_one() -> None:
    assert read_selection("s", "b", QueryDict("all=1&filter=ext:pdf&key=a")).filter == "ext:pdf"
    assert read_selection("s", "b", QueryDict("all=1&filter=+&key=a")).keys == ("a",)
    assert read_selection("s", "b", QueryDict("filter=ext:pdf&key=a")).filter == ""
    assert read_selection("s", "b", QueryDict("all=1&filter=")).is_empty


def test_it_says_what_it_is() -> None:
    assert Selection("s", "b", filter="*").sentence() == "everything in the bucket"
    assert Selection("s", "b", filter="ext:pdf").sentence() == "everything that matches “ext:pdf”"
    assert Selection("s", "b", keys=tuple(map(str, range(1200)))).sentence() == "1,200 objects"
    assert Selection("s", "b").sentence() == "nothing"


def test_it_travels_through_a_job() -> None:
    chosen = Selection("s", "b", keys=("a", "b"), folders=("c/",), filter="x", path="p/")
    told = json.loads(json.dumps(chosen.as_parameters() | {"policy": "stop"}))
    assert Selection.from_parameters(told) == chosen
