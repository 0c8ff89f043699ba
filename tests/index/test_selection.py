"""What somebody chose."""

import json

from django.http import QueryDict

from dashboard.index.selection import Selection, read_selection


def test_it_reads_the_fields_of_every_selection_form() -> None:
    chosen = read_selection("s", "b", QueryDict("key=a.txt&key=a.txt&key=f/x.txt&folder=f&folder=f/g/&folder=h/&path=p"))
    assert chosen == Selection("s", "b", keys=("a.txt",), folders=("f/", "h/"), path="p/")
    assert chosen.sentence() == "1 object and 2 folders"


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
