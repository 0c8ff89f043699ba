"""The test client enforces the style guide: every HTML answer is checked for the house rules."""

import gzip
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, ClassVar
from urllib.parse import urlsplit

from django.conf import settings
from django.test import Client
from django.urls import Resolver404, resolve

from tests.markup import Element, Markup, parse
from tests.plugins.exhaustive import is_asked_here

SPEAKING = frozenset({"hx-get", "hx-post", "hx-put", "hx-patch", "hx-delete"})
LEADING = SPEAKING | {"href", "action", "formaction"}
POINTING = frozenset({"aria-describedby", "aria-labelledby", "aria-controls", "popovertarget", "for"})
SCRIPT = re.compile(r"\s*(javascript|js):", re.IGNORECASE)
FORBIDDEN = {
    "style": "no inline style: the content policy refuses it; give it a class",
    "hx-confirm": "destroying asks through confirm(), which the server checks",
    "hx-boost": "links are links; name what htmx should fill",
}
CSRF_TOKEN = re.compile(r'(csrfmiddlewaretoken" value="|X-CSRFToken&quot;: &quot;|"X-CSRFToken": ")\w+')
UNLABELLED = frozenset({"hidden", "submit", "button", "reset", "image"})
FIELDS = ("input", "select", "textarea")
# Buttons in a row that aren't its actions: those in a menu, that load more rows, or that reveal a value.
ELSEWHERE = ("menu", "more__cell", "value")


class PageClient(Client):
    """A client that fails on pages that break a house rule. `tokens` are texts that must not be in any answer.

    `asked` holds the paths of its requests. In a run of samples it reads the markup of some answers only.
    """

    tokens: ClassVar[set[str]] = set()

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.asked: list[str] = []

    def request(self, **request: Any) -> Any:
        self.asked.append(request.get("PATH_INFO", "/"))
        response = super().request(**request)
        if not getattr(response, "streaming", False) and response.get("Content-Type", "").startswith("text/html"):
            text = (gzip.decompress(response.content) if "Content-Encoding" in response else response.content).decode()
            where = f"{request.get('REQUEST_METHOD', 'GET')} {request.get('PATH_INFO', '/')}"
            shown = {token[:6] for token in self.tokens if token and token in text}
            assert not shown, f"{where} shows tokens of the fixtures: {shown}"
            if is_asked_here():
                check(text, where=where)
            whole = text.lstrip()[:15].lower() == "<!doctype html>"
            wants_page = request.get("HTTP_HX_HISTORY_RESTORE_REQUEST") or request.get("HTTP_HX_TARGET") == "main"
            nested = whole and request.get("HTTP_HX_REQUEST") and not wants_page
            assert not nested, (
                f"{request.get('PATH_INFO')}: a whole page would land in #{request.get('HTTP_HX_TARGET')}; name it in `parts`"
            )
            assert "Content-Security-Policy" in response.headers, "an answer without a content policy"
            assert "Cache-Control" in response.headers, "an answer that a cache may keep"
        return response

    def part(self, path: str, target: str, **data: Any) -> Any:
        """Get a part as htmx does, to fill the element with the id `target`."""
        return self.get(path, data or None, headers=htmx(target))

    def send(self, path: str, target: str = "dialog", **data: Any) -> Any:
        """Post a form as htmx does, to fill `target` with the answer."""
        return self.post(path, data, headers=htmx(target))


def htmx(target: str, current: str = "http://testserver/") -> dict[str, str]:
    return {"HX-Request": "true", "HX-Target": target, "HX-Current-URL": current}


def check(text: str, *, where: str = "") -> None:
    """Check the markup of a page or fragment. Raises `AssertionError` with every broken rule, each with a hint."""
    broken = _broken(CSRF_TOKEN.sub(r"\1", text), settings.ROOT_URLCONF)
    assert not broken, f"{where} breaks house rules:\n- " + "\n- ".join(broken)


@lru_cache(maxsize=512)
def _broken(text: str, _table: str) -> tuple[str, ...]:
    """Return the rules that the text breaks. Half of all answers are the same as one before."""
    return tuple(_rules(parse(text)))


def _rules(markup: Markup) -> Iterator[str]:
    root = markup.root
    yield from _page(root) if markup.whole else _fragment(root)
    yield from _ids(root)
    yield from _fields(root)
    yield from _forms(root)
    yield from _names(root)
    yield from _inline(root)
    yield from _addresses(root)
    yield from _row_actions(root)
    yield from _buttons_of_forms(root)
    yield from _heads(root)


def _page(root: Element) -> Iterator[str]:
    headings = [heading for heading in root.all("h1") if not _in_template(heading)]
    titles = [title.text for title in root.all("title") if title.parent and title.parent.tag == "head"]
    if len(headings) != 1:
        yield f"a page has one h1, this one has {len(headings)}: {[heading.text for heading in headings]}"
    elif len(titles) != 1 or not headings[0].text or not titles[0].startswith(headings[0].text):
        yield f"the title begins with the h1: {titles} and {headings[0].text!r}"
    ids = {element.get("id") for element in root if element.has("id")}
    for element in root:
        for name in POINTING & element.attributes.keys():
            for wanted in element.get(name).split():
                if wanted not in ids and wanted != "dialog-title":
                    yield f"{element} points at #{wanted} by {name}, and nothing has that id"
        target = element.get("hx-target")
        if target.startswith("#") and target[1:] not in ids:
            yield f"{element} fills {target}, and nothing has that id"
    if not root.all("main"):
        yield "a page has a main"


def _fragment(root: Element) -> Iterator[str]:
    roots = [child for child in root.children if isinstance(child, Element) and not child.has("hx-swap-oob")]
    beside = [child.strip() for child in root.children if isinstance(child, str) and child.strip()]
    if len(roots) > 1:
        yield f"a fragment has one root element, this one has {len(roots)}: {', '.join(map(str, roots[:4]))}"
    if beside:
        yield f"a fragment has one root element, and text beside it: {beside[0][:60]!r}"


def _ids(root: Element) -> Iterator[str]:
    counts = Counter(element.get("id") for element in root if element.has("id"))
    for name, count in counts.items():
        if count > 1:
            yield f"the id {name!r} is there {count} times"
        if not name or name.split() != [name]:
            yield f"the id {name!r} is empty or has spaces"


def _fields(root: Element) -> Iterator[str]:
    labelled = {label.get("for") for label in root.all("label") if label.text}
    for control in root.all(*FIELDS):
        if control.get("type") in UNLABELLED:
            continue
        named = control.get("aria-label") or control.get("aria-labelledby") or control.get("id") in labelled
        if not named and not any(above.tag == "label" and above.text for above in control.ancestors):
            yield f"{control} has no label"


def _forms(root: Element) -> Iterator[str]:
    for form in root.all("form"):
        if any(above.tag == "form" for above in form.ancestors):
            yield f"{form} is inside another form"
        if form.get("method").lower() != "post":
            continue
        if not any(control.get("name") == "csrfmiddlewaretoken" for control in form.all("input")):
            yield f"{form} posts without {{% csrf_token %}}"
        if urlsplit(form.get("action")).netloc:
            yield f"{form} posts to another origin"
    for button in root.all("button"):
        if button.get("type") not in ("submit", "button", "reset"):
            yield f"{button} {button.text!r} does not say its type"


def _names(root: Element) -> Iterator[str]:
    for element in root.all("button", "a", "summary"):
        # A refused link is kept in its place, disabled, with the role that it needs (team/controls.py).
        is_refused = element.get("role") == "link" and element.get("aria-disabled") == "true"
        if element.tag == "a" and not element.has("href") and not is_refused:
            yield f"{element} {element.text!r} is a link that leads nowhere"
        described = element.text or element.get("aria-label") or element.get("aria-labelledby")
        if not described and not any(image.get("alt") for image in element.all("img")):
            yield f"{element} has no name: write a text or an aria-label"
    for image in root.all("img"):
        if not image.has("alt"):
            yield f"{image} has no alt"
    for head in root.all("th"):
        if not head.has("scope"):
            yield f"{head} {head.text!r} does not say its scope"


def _inline(root: Element) -> Iterator[str]:
    for element in root:
        if element.tag == "style":
            yield "no inline style sheet: the content policy refuses it"
        if element.tag == "script" and (not element.has("src") or element.text):
            yield "no inline script: the content policy refuses it"
        for name, value in element.attributes.items():
            if name in FORBIDDEN:
                yield f"{element.tag} has {name}: {FORBIDDEN[name]}"
            elif name.startswith(("on", "hx-on")):
                yield f"{element} has {name}: a script finds its elements by a data- attribute"
            elif SCRIPT.match(value):
                yield f"{element} has a script in {name}"
        if "[" in element.get("hx-trigger"):
            yield f"{element} has a trigger filter, which needs eval"


def _addresses(root: Element) -> Iterator[str]:
    for element in root:
        if element.tag == "link":
            continue
        for name in LEADING & element.attributes.keys():
            address = element.get(name)
            if not address:
                yield f"{element}: {name} is empty; {{% url … as x %}} is, where the names or values don't fit"
            elif name in SPEAKING and not address.startswith("/"):
                yield f"{element}: {name} needs a whole path of ours, not {address!r}"
            if address.startswith("/") and not _leads_somewhere(address):
                yield f"{element}: {name} leads nowhere ({address})"


def _row_actions(root: Element) -> Iterator[str]:
    """The frequent action of a row is a quiet button, the others are behind "…", or all are icons that are always visible.

    Rows with fields are forms.
    """
    for row in root.all("tr"):
        buttons = [one for one in row if _classes(one) & {"button", "icon-button"} and not _within(one, *ELSEWHERE)]
        if not buttons or any(field.get("type") not in ("hidden", "checkbox", "radio") for field in row.all(*FIELDS)):
            continue
        buttons = [one for one in buttons if not one.has("data-more")]  # object-list.js has one menu for all rows
        if all("icon-button" in _classes(one) and _within(one, "entry__actions--shown") for one in buttons):
            continue
        quiet = [one for one in buttons if {"button", "button--quiet", "button--small"} <= _classes(one)]
        menus = [one for one in buttons if one.has("data-menu")]
        if len(quiet) > 1 or len(menus) > 1 or len(quiet) + len(menus) < len(buttons):
            yield f"a row has one quiet small button and a {{% menu %}}, this one has {', '.join(map(str, buttons))}"
        if not all(_within(one, "entry__actions", "overview__row") for one in buttons):
            yield f"the actions of a row stand in .entry__actions: {', '.join(map(str, buttons))}"


def _buttons_of_forms(root: Element) -> Iterator[str]:
    """The buttons of a form with fields stand bottom right, primary last."""
    for form in root.all("form"):
        solid = [one for one in form.all("button") if _classes(one) & {"button--primary", "button--danger"}]
        typed = [
            field
            for field in form.all(*FIELDS)
            if field.get("type") not in UNLABELLED and not _within(field, "list", "selection")
        ]
        if form.get("method").lower() == "post" and solid and typed and "value" not in _classes(form):
            feet = [foot for foot in form if "form__foot" in _classes(foot)]
            if len(feet) != 1 or solid != [one for one in feet[0].children if isinstance(one, Element)][-1:]:
                yield f"{form} ends with one .form__foot, and that with the primary button: {', '.join(map(str, solid))}"


def _heads(root: Element) -> Iterator[str]:
    """The head of a page has a primary action, last, and up to two more; the rest is behind "…"."""
    for head in root:
        if "head__actions" in _classes(head):
            buttons = [one for one in head if "button" in _classes(one)]
            primary = [one for one in buttons if "button--primary" in _classes(one)]
            if len(buttons) > 3 or len(primary) > 1 or (primary and primary != buttons[-1:]):
                yield f"a head has up to three buttons, the primary one last: {', '.join(one.text for one in buttons)}"


def _classes(element: Element) -> set[str]:
    return set(element.get("class").split())


def _within(element: Element, *names: str) -> bool:
    return any(_classes(above) & set(names) for above in element.ancestors)


def _leads_somewhere(address: str) -> bool:
    if address.startswith("//"):
        return False
    path = urlsplit(address).path
    return path.startswith("/static/") or _resolves(path, settings.ROOT_URLCONF)


@lru_cache(maxsize=4096)
def _resolves(path: str, _table: str) -> bool:
    try:
        resolve(path)
    except Resolver404:
        return False
    return True


def _in_template(element: Element) -> bool:
    return any(above.tag == "template" for above in element.ancestors)


def kept(client: "PageClient", address: str, *, key: Sequence[str] = (), folder: Sequence[str] = (), **fields: str) -> str:
    """Post a selection as a list does; return the address that keeps it."""
    answer = client.post(address, {"key": list(key), "folder": list(folder), **fields})
    assert answer.status_code == 303, answer.text
    return str(answer["Location"])


def is_ticked(text: str, name: str) -> bool:
    """Whether a box or choice of this name, which must be there, is ticked."""
    drawn = re.findall(rf'<input[^>]*\sname="{name}"[^>]*>', text)
    assert drawn, f"{name} isn't there"
    return any(" checked" in one for one in drawn)
