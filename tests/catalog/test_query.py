"""What is typed to search."""

from datetime import UTC, datetime, timedelta

import pytest

from dashboard.catalog.lookup import read_whole
from dashboard.catalog.query import Filter
from dashboard.catalog.walk import Entry
from dashboard.features.search.forms import FieldsForm, read_query, text_of
from tests.catalog.conftest import Shelf

DAY = timedelta(days=1)


def test_it_understands_words_and_filters() -> None:
    read = Filter.parse(
        'invoice "two words" ext:PDF,.Docx size:>10mb size:<=1gb type:Image/ path:2024 path:"my folder/" name:Draft'
    )
    assert read.problems == ()
    assert read.words == ("invoice", "two words")
    assert read.endings == ("pdf", "docx")
    assert (read.least, read.most) == (10_000_001, 10**9)
    assert (read.types, read.folders, read.names) == (("image/",), ("2024/", "my folder/"), ("draft",))


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("size:0", 0, 0),
        ("size:=5", 5, 5),
        ("size:1kb..2kb", 1000, 2000),
        ("size:>=1.5mb", 1_500_000, None),
        ("size:<1KiB", None, 1023),
        ("size:>1kb size:>2kb size:<9kb size:<5kb", 2001, 4999),
    ],
)
def test_sizes_count_by_1000_unless_a_unit_says_otherwise(text: str, least: int | None, most: int | None) -> None:
    read = Filter.parse(text)
    assert (read.least, read.most, read.problems) == (least, most, ())


def test_times_are_spans_or_days() -> None:
    now = datetime.now(UTC)
    older = Filter.parse("older:90d").changed_before
    assert older
    assert abs(older - (now - 90 * DAY)) < timedelta(seconds=5)
    assert Filter.parse("newer:2026-01-31").changed_after == datetime(2026, 1, 31, tzinfo=UTC)
    assert Filter.parse("older:99999y").changed_before == datetime(1970, 1, 2, tzinfo=UTC)
    assert Filter.parse("older:1y newer:2w").problems == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("colour:red", "There is no filter called “colour:”"),
        ("ext:", "“ext:” needs a value, for example ext:pdf"),
        ("ext:a,,b", "is not a list of endings"),
        ("size:big", "“big” is not a size"),
        ("size:1..x", "“1..x” is not a size"),
        ("size:<0", "No object is smaller than nothing"),
        ("size:>5 size:<3", "No object is both that large and that small"),
        ("older:soon", "“soon” is not a time"),
        ("newer:2026-02-31", "“2026-02-31” is not a time"),
        ('"open', "A quotation mark is not closed"),
        ("x" * 1001, "1,000 characters at most"),
    ],
)
def test_it_says_what_it_does_not_understand(text: str, said: str) -> None:
    problems = Filter.parse(text).problems
    assert len(problems) == 1
    assert said in problems[0]


@pytest.mark.parametrize("text", ["", "  ", "*", " * "])
def test_nothing_or_a_star_finds_everything(text: str) -> None:
    assert Filter.parse(text).finds_all


@pytest.mark.parametrize("text", ["12:30.txt", '"ext:pdf"', "a:b", '"*"', "5%_off", "it's"])
def test_text_that_is_no_filter_is_a_word(text: str) -> None:
    read = Filter.parse(text)
    assert (read.words == (text.strip('"'),)) is not bool(read.problems)


def test_it_knows_a_place_from_a_search() -> None:
    assert Filter.parse("path:2024/").is_one_folder
    assert Filter.parse("").is_one_folder
    assert not Filter.parse("path:2024/ path:2025/").is_one_folder
    assert not Filter.parse("path:2024/ x").is_one_folder


@pytest.mark.parametrize(
    "text",
    [
        "invoice ext:pdf size:>=10mb path:2024/",
        'a "b c" name:d type:image/ older:90d newer:2026-01-31',
        "size:>=1 size:<=1025",
        "",
    ],
)
def test_the_fields_write_the_same_text_again(text: str) -> None:
    form = FieldsForm.showing(Filter.parse(text))
    again = text_of({name: str(value) for name, value in form.initial.items()})
    first, second = Filter.parse(text), Filter.parse(again)
    assert second.problems == ()
    assert (second.words, second.least, second.most, second.older, second.newer) == (
        first.words,
        first.least,
        first.most,
        first.older,
        first.newer,
    )
    assert (second.endings, second.folders, second.types, second.names) == (
        first.endings,
        first.folders,
        first.types,
        first.names,
    )


@pytest.mark.parametrize("path", [" a/", "a /", "two  spaces/", "  "])
def test_spaces_of_a_folder_are_kept_by_the_fields_and_the_address(path: str) -> None:
    asked = read_query({"q": text_of({"path": path, "words": " a  b "})})
    assert Filter.parse(asked.q).folders == (path if path.endswith("/") else f"{path}/",)
    assert FieldsForm.showing(Filter.parse(asked.q)).initial["path"] == Filter.parse(asked.q).folders[0]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("invoice", {"2024/Invoice 1.PDF", "2024/invoices/a.txt"}),
        ("2024 invoice", {"2024/Invoice 1.PDF", "2024/invoices/a.txt"}),
        ("name:invoice", {"2024/Invoice 1.PDF"}),
        ("name:INVOICE ext:pdf", {"2024/Invoice 1.PDF"}),
        ("ext:pdf,jpg", {"2024/Invoice 1.PDF", "b.jpg"}),
        ("path:2024/invoices", {"2024/invoices/a.txt"}),
        ("path:2024 path:b.jpg/", {"2024/Invoice 1.PDF", "2024/invoices/a.txt"}),
        ("type:image/", {"b.jpg"}),
        ("size:3", {"b.jpg"}),
        ("size:>0", {"2024/Invoice 1.PDF", "2024/invoices/a.txt", "b.jpg"}),
        ("size:<2", {"2024/invoices/a.txt"}),
        ("newer:1d ext:jpg", {"b.jpg"}),
        ("older:1d", set()),
        ("nothing", set()),
        ("size:x", set()),
    ],
)
def test_it_finds_what_the_index_finds(shelf: Shelf, text: str, found: set[str]) -> None:
    shelf.put("2024/Invoice 1.PDF", body=b"ab", content_type="application/pdf")
    shelf.put("2024/invoices/a.txt")
    shelf.put("b.jpg", body=b"abc", content_type="image/jpeg")
    shelf.put("empty/.emptyFolderPlaceholder", body=b"")
    shelf.crawl()
    asked = Filter.parse(text)
    entries = list(read_whole(shelf.storage, shelf.bucket, "").entries)
    for folder in ("2024/", "2024/invoices/", "empty/"):
        entries += read_whole(shelf.storage, shelf.bucket, folder).entries
    assert {entry.key for entry in entries if asked.finds(entry)} == found
    assert set(shelf.known(text)) == found


def test_what_is_unknown_is_in_no_range() -> None:
    assert [Filter.parse(text).finds(Entry("a")) for text in ("a", "size:<9", "size:>0", "older:1d", "newer:1d")] == [
        True,
        *[False] * 4,
    ]
