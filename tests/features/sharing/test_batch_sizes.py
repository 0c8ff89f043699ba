"""S15 for any number of keys, against services that take fewer, or dislike one of them."""

from collections.abc import Callable, Sequence

import pytest

from dashboard.features.sharing.forms.batch import read_keys
from dashboard.features.sharing.services.batch import Batches
from dashboard.interfaces.errors import Rejected
from dashboard.interfaces.storage.signed_links import SignedItem, SignedLink

KEYS = [f"{number}.txt" for number in range(2500)]


def service(refuses: Callable[[Sequence[str]], bool]) -> tuple[list[int], Callable[[Sequence[str]], list[SignedItem]]]:
    asked: list[int] = []

    def sign(keys: Sequence[str]) -> list[SignedItem]:
        asked.append(len(keys))
        if refuses(keys):
            raise Rejected("No.", operation="S15", service="storage", status=400, text="the service's words")
        return [SignedItem(path=key, link=SignedLink(f"/object/sign/b/{key}?token=t")) for key in keys]

    return asked, sign


def test_a_thousand_at_once() -> None:
    asked, sign = service(lambda keys: len(keys) > 1000)
    found = [item for items in Batches(sign).run(KEYS) for item in items]
    assert [item.path for item in found] == KEYS
    assert asked == [1000, 1000, 500]


def test_fewer_where_the_service_takes_fewer() -> None:
    asked, sign = service(lambda keys: len(keys) > 100)
    batches = Batches(sign)
    found = [item for items in batches.run(KEYS) for item in items]
    assert [item.path for item in found] == KEYS
    assert all(item.link for item in found)
    assert asked[:5] == [1000, 500, 250, 125, 62]
    assert set(asked[5:]) <= {62, 20}
    assert batches.most == 62


def test_one_key_at_fault_is_found_and_named_and_the_others_are_signed() -> None:
    asked, sign = service(lambda keys: "700.txt" in keys)
    found = [item for items in Batches(sign).run(KEYS[:1000]) for item in items]
    assert [item.path for item in found] == KEYS[:1000]
    assert [(item.path, item.error) for item in found if not item.link] == [("700.txt", "the service's words")]
    assert len(asked) < 30


def test_a_service_that_refuses_everything_is_not_asked_for_every_key() -> None:
    asked, sign = service(lambda _: True)
    found = [item for items in Batches(sign).run(KEYS) for item in items]
    assert [item.path for item in found] == KEYS
    assert {item.error for item in found} == {"the service's words"}
    assert len(asked) < 20


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("a.txt\r\n b/c d.txt \n\na.txt", ["a.txt", " b/c d.txt "]),
        ("one, two.txt\nthree,four.txt", ["one, two.txt", "three,four.txt"]),
        ('\ufeffkey,bytes\n"a,b.txt",1\n\'=c.txt,2', ["a,b.txt", "=c.txt"]),
        ("a.txt\t12\nb.txt\t13", ["a.txt", "b.txt"]),
        ("name;size\na.txt;1", ["name;size", "a.txt;1"]),
        ("", []),
    ],
)
def test_keys_are_read_from_lines_and_from_tables(text: str, keys: list[str]) -> None:
    assert read_keys(text) == keys


def test_a_file_of_a_table_gives_its_first_column() -> None:
    assert read_keys('"a ""b"".txt",1\nc.txt,2', table=True) == ['a "b".txt', "c.txt"]
    assert read_keys("path;size\na.txt;1", table=True) == ["a.txt"]
