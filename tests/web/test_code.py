"""Source text in colours, and the difference of two texts."""

from dashboard.web.pages.code import coloured
from dashboard.web.pages.diff import difference

COLOURED_UP_TO = 200_000
MOST_LINES = 6_000
SHOWN_LINES = 1_500


def kinds(old: str, new: str) -> list[str]:
    return [line.sign + line.text for group in difference(old, new).groups for line in group]


def test_words_get_their_kind_and_nothing_is_lost() -> None:
    markup = coloured("// hi\nconst a = 'x';")
    assert '<span class="code__comment">// hi' in markup
    assert '<span class="code__keyword">const' in markup
    assert '<span class="code__string">&#x27;x&#x27;</span>' in markup


def test_markup_in_a_source_stays_text() -> None:
    assert "<b>" not in coloured("<b>`${1}</b>")
    assert "&lt;" in coloured("<b>")


def test_white_space_stays() -> None:
    assert coloured("\n\n  a\n\n") == "\n\n  a\n\n"


def test_a_large_source_has_no_colours() -> None:
    text = "const a = 1;\n" * (COLOURED_UP_TO // 12)
    assert coloured(text) == text


def test_it_shows_what_went_and_what_came() -> None:
    assert kinds("a\nb\nc", "a\nx\nc") == [" a", "-b", "+x", " c"]
    found = difference("a\nb\nc", "a\nx\ny\nc")
    assert (found.added, found.removed, found.same) == (2, 1, False)


def test_far_changes_are_groups_of_their_own() -> None:
    old = [str(number) for number in range(100)]
    new = [*old[:10], "x", *old[11:90], "y", *old[91:]]
    assert len(difference("\n".join(old), "\n".join(new)).groups) == 2


def test_equal_texts_and_texts_that_differ_in_their_line_ends_only() -> None:
    assert difference("a\n", "a\n").same
    assert difference("a\r\nb", "a\nb").line_ends


def test_it_does_not_compare_what_would_take_too_long() -> None:
    assert difference("a\n" * MOST_LINES, "b").too_large
    assert difference("a" * 1_000_000, "b").too_large


def test_it_cuts_what_is_too_much_to_show() -> None:
    found = difference("\n".join(f"a{n}" for n in range(2000)), "\n".join(f"b{n}" for n in range(2000)))
    assert found.cut
    assert sum(len(group) for group in found.groups) == SHOWN_LINES
    assert found.added == 2000


def test_a_long_line_is_cut() -> None:
    assert "400 more characters" in kinds("", "x" * 1000)[-1]
