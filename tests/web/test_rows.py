"""The loop of long lists draws what Django's own loop would."""

from typing import NamedTuple

import pytest
from django.template import Context, Engine, TemplateSyntaxError
from django.utils.safestring import SafeString

ENGINE = Engine(builtins=["dashboard.web.templatetags.rows"])
BODY = (
    '<tr{% if row.current %} aria-current="true"{% endif %}><td title="{{ row.name }}">{{ row.name }}, {{ place }} {50%}</td>'
    "{% if not row.size and row.current %}<td>none</td>{% else %}<td>{{ row.size }}</td>{% endif %}</tr>"
)


class Row(NamedTuple):
    name: str
    size: str
    current: bool


ROWS = [
    Row("a.txt", "1 byte", False),
    Row("<b> & 'c' \"d\".txt", "2 %s {0} {{ x }} \\1", True),
    Row("\0" + "0\0", "", True),
    Row("", "", False),
    Row(SafeString("<i>said to be safe</i>"), "3", False),
    Row("e", "", True),
]


def drawn(body: str, *, rows: list[Row], loop: str) -> str:
    template = ENGINE.from_string(f"{{% {loop} row in rows %}}{body}{{% end{loop} %}}|{{{{ row }}}}")
    return template.render(Context({"rows": rows, "place": "<here>"}))


def test_it_draws_what_the_usual_loop_draws() -> None:
    assert drawn(BODY, rows=ROWS, loop="each") == drawn(BODY, rows=ROWS, loop="for")


def test_a_template_draws_other_rows_the_next_time() -> None:
    template = ENGINE.from_string("{% each row in rows %}{{ row.name }}{{ place }};{% endeach %}")
    assert template.render(Context({"rows": ROWS[:1], "place": "1"})) == "a.txt1;"
    assert template.render(Context({"rows": [ROWS[5]] * 2, "place": "2"})) == "e2;e2;"
    assert template.render(Context({"rows": []})) == ""


@pytest.mark.parametrize(
    "source",
    [
        "{% each row in rows %}{{ row.name|upper }}{% endeach %}",
        "{% each rows %}{{ row.name }}{% endeach %}",
        "{% each row of rows %}{{ row.name }}{% endeach %}",
    ],
)
def test_it_refuses_what_it_would_draw_wrong(source: str) -> None:
    with pytest.raises(TemplateSyntaxError, match="each"):
        ENGINE.from_string(source)
