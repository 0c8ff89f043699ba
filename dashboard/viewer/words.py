"""Render Markdown and source as HTML without scripts, styles or anything that browsers fetch. Only `process` imports this."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from html import unescape
from importlib import import_module
from pkgutil import iter_modules

import nh3
import pygments.lexers
from django.utils.html import conditional_escape
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from pygments.lexers import find_lexer_class_for_filename

from dashboard.web.pages.code import coloured

# The page already has its only first-level heading.
TAGS = {
    "a", "abbr", "b", "blockquote", "br", "code", "dd", "del", "details", "dl", "dt", "em", "h2", "h3", "h4", "h5", "h6", "hr",
    "i", "ins", "kbd", "li", "mark", "ol", "p", "pre", "q", "s", "samp", "small", "strong", "sub", "summary", "sup", "table",
    "tbody", "td", "tfoot", "th", "thead", "tr", "ul", "var",
}  # fmt: skip
ATTRIBUTES = {"a": {"href"}, "ol": {"start"}}
ADDRESSES = ("http://", "https://", "mailto:")
REL = "noopener noreferrer nofollow"
WITHOUT_ADDRESS = re.compile(rf'<a (?:rel="{REL}" target="_blank"|target="_blank" rel="{REL}")>(.*?)</a>', re.DOTALL)
LOWEST = 6
# Cleaning time grows with the product of both: each block reopens all unclosed tags.
MOST_TAGS = 20_000
MOST_UNCLOSED_TAGS = 100
TAG = re.compile(r"<(/?)([a-z][a-z0-9-]*)", re.IGNORECASE)
# These have no content, or end where the next one begins.
NEVER_CLOSED = {"br", "col", "dd", "dt", "hr", "img", "input", "li", "p", "source", "td", "th", "tr", "wbr"}


def markdown(text: str) -> str:
    """Render CommonMark with tables; "" if nothing would be visible or its HTML is too complex to clean.

    Pictures are replaced by their alternative texts, since they would be fetched from elsewhere.
    """
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    parser.add_render_rule("image", _in_words)
    parser.add_render_rule("heading_open", _lower_heading)
    parser.add_render_rule("heading_close", _lower_heading)
    tokens = parser.parse(text)
    if _is_too_complex(_html(tokens)):
        return ""
    clean = nh3.clean(
        parser.renderer.render(tokens, parser.options, {}),
        tags=TAGS,
        attributes=ATTRIBUTES,
        attribute_filter=_absolute,
        url_schemes={address.partition(":")[0] for address in ADDRESSES},
        link_rel=REL,
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )
    return WITHOUT_ADDRESS.sub(r"\1", clean) if _is_visible(clean) else ""


def code(text: str, name: str) -> str:
    """Render source, in the language of its file name, as coloured HTML."""
    lexer = find_lexer_class_for_filename(name)
    # Long texts are returned without colours.
    return conditional_escape(coloured(text, lexer.aliases[0]) if lexer and lexer.aliases else text)


@cache
def load_lexers() -> None:
    """Import all lexers and everything they import later: a lexer may call any other for quoted source."""
    for module in iter_modules(pygments.lexers.__path__, "pygments.lexers."):
        import_module(module.name)
    # It caches what it reads, including plug-ins.
    find_lexer_class_for_filename("")


def _html(tokens: Iterable[Token]) -> Iterator[str]:
    """Yield the author's HTML, without what is quoted as code."""
    for token in tokens:
        if token.type in ("html_block", "html_inline"):
            yield token.content
        yield from _html(token.children or ())


def _is_too_complex(html: Iterable[str]) -> bool:
    tags = nested = 0
    unclosed = Counter[str]()
    for closing, name in (match.groups() for part in html for match in TAG.finditer(part.lower())):
        tags += not closing
        step = -min(unclosed[name], 1) if closing else int(name not in NEVER_CLOSED)
        unclosed[name] += step
        nested += step
        if tags > MOST_TAGS or nested > MOST_UNCLOSED_TAGS:
            return True
    return False


def _is_visible(clean: str) -> bool:
    return "<hr" in clean or bool(unescape(nh3.clean(clean, tags=set())).strip())


def _in_words(renderer: RendererHTML, tokens: list[Token], at: int, options: OptionsDict, env: EnvType) -> str:
    return str(conditional_escape(renderer.renderInlineAsText(tokens[at].children or [], options, env)))


def _lower_heading(renderer: RendererHTML, tokens: list[Token], at: int, options: OptionsDict, env: EnvType) -> str:
    tokens[at].tag = f"h{min(int(tokens[at].tag[1]) + 1, LOWEST)}"
    return renderer.renderToken(tokens, at, options, env)


def _absolute(_tag: str, name: str, value: str) -> str | None:
    """Drop relative links, which would lead to pages of ours."""
    return value if name != "href" or value.lower().startswith(ADDRESSES) else None
