"""Highlight source code with pygments and the classes of our style sheet."""

from collections.abc import Iterator
from functools import cache
from itertools import groupby

from django.utils.html import format_html, format_html_join
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Number, String, _TokenType

COLOURED_UP_TO = 200_000

# The first family that matches decides. All other tokens keep the text colour.
_KINDS = (
    (Comment, "code__comment"),
    (Keyword, "code__keyword"),
    (String, "code__string"),
    (Number, "code__number"),
    (Name.Function, "code__name"),
    (Name.Class, "code__name"),
    (Name.Builtin, "code__name"),
    (Name.Decorator, "code__name"),
    (Name.Tag, "code__name"),
)


def coloured(text: str, language: str = "typescript") -> str:
    """Return the text as HTML with a class per token; plain beyond 200,000 characters."""
    if len(text) > COLOURED_UP_TO:
        return text
    return format_html_join("", "{}", ((_marked(kind, words),) for kind, words in _runs(text, language)))


def _marked(kind: str, words: str) -> str:
    return format_html('<span class="{}">{}</span>', kind, words) if kind else words


def _runs(text: str, language: str) -> Iterator[tuple[str, str]]:
    """Merge adjacent tokens of one kind."""
    found = ((_kind(token), words) for token, words in _lexer(language).get_tokens(text))
    for kind, pieces in groupby(found, key=lambda piece: piece[0]):
        yield kind, "".join(words for _, words in pieces)


@cache
def _kind(token: _TokenType) -> str:
    return next((kind for family, kind in _KINDS if token in family), "")


@cache
def _lexer(language: str) -> Lexer:
    return get_lexer_by_name(language, stripnl=False, ensurenl=False)
