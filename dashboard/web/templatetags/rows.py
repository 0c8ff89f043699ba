"""The loop of a long list, where what Django's nodes cost a cell would be most of what the page costs."""

import re
from html import escape
from typing import Any

from django import template
from django.template import Context, NodeList, TemplateSyntaxError
from django.template.base import FilterExpression, Node, Parser, Token, VariableNode
from django.utils.html import conditional_escape

register = template.Library()

Form = tuple[str, list[int]]

_PLACE = re.compile("\0(\\d+)\0")


@register.tag
def each(parser: Parser, token: Token) -> Node:
    """`{% each row in rows %}…{% endeach %}`: as `for`, at an eighth of its price, over named tuples of texts and truth values.

    Rows with the same empty cells share one form, which Django draws once. So a cell may be printed, as it is, and asked
    whether it is empty, and nothing else.
    """
    words = token.split_contents()
    if len(words) != 4 or words[2] != "in":
        raise TemplateSyntaxError("each: it is written {% each row in rows %}")
    body = parser.parse(("endeach",))
    parser.delete_first_token()
    printed = [node for node in body.get_nodes_by_type(VariableNode) if isinstance(node, VariableNode)]
    if any(node.filter_expression.filters for node in printed):
        raise TemplateSyntaxError("each: a filter would see the first row alone")
    return Each(words[1], parser.compile_filter(words[3]), body)


class Each(Node):
    child_nodelists = ("body",)

    def __init__(self, name: str, rows: FilterExpression, body: NodeList) -> None:
        self.name = name
        self.rows = rows
        self.body = body

    def render(self, context: Context) -> str:
        forms: dict[tuple[bool, ...], Form] = {}
        found = []
        for row in self.rows.resolve(context):
            filled = tuple(map(bool, row))
            if filled not in forms:
                forms[filled] = self._form(context, row)
            text, places = forms[filled]
            cells = [row[place] for place in places]
            # A plain text the short way: Django's own asks first whether it is a lazy one.
            found.append(text % tuple([escape(cell) if cell.__class__ is str else conditional_escape(cell) for cell in cells]))
        return "".join(found)

    def _form(self, context: Context, row: Any) -> Form:
        """The body, and which cells it has places for."""
        stand_in = row._make(f"\0{place}\0" if cell else cell for place, cell in enumerate(row))
        with context.push(**{self.name: stand_in}):
            pieces = _PLACE.split(self.body.render(context))
        return "%s".join(piece.replace("%", "%%") for piece in pieces[::2]), [int(place) for place in pieces[1::2]]
