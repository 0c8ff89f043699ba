"""Which rows a table has."""

import pytest

from dashboard.viewer.content import table_of

MOST_CELL = 500
MOST_COLUMNS = 50
MOST_ROWS = 500


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("a,b\n1,2\n", (("a", "b"), ("1", "2"))),
        ("a;b\r\n1,5;2\r\n", (("a", "b"), ("1,5", "2"))),
        ("a\tb\n\n1\t2", (("a", "b"), ("1", "2"))),
        ('a,"b, ""c"""\n"1\n2",3\n', (("a", 'b, "c"'), ("1\n2", "3"))),
        ("a,b\n1\n1,2,3\n", (("a", "b", ""), ("1", "", ""), ("1", "2", "3"))),
        ("", ()),
        ("one\n", (("one",),)),
    ],
)
def test_rows_of_a_table(text: str, rows: tuple[tuple[str, ...], ...]) -> None:
    assert table_of(text, is_whole=True) == rows


def test_a_row_that_was_cut_is_left_out() -> None:
    assert table_of("a,b\n1,2\n3,", is_whole=False) == (("a", "b"), ("1", "2"))


def test_a_table_made_to_attack_stays_small() -> None:
    assert table_of("x" * 200_000 + ",b\n", is_whole=True) == ()
    wide = table_of(",".join(["x" * 2000] * 100_000)[:120_000], is_whole=True)
    assert len(wide[0]) <= MOST_COLUMNS
    assert len(wide[0][0]) == MOST_CELL
    assert len(table_of("a\n" * 100_000, is_whole=True)) == MOST_ROWS + 1
