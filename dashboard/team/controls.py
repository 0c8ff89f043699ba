"""Show the controls that a person's role doesn't allow as disabled, with the role that is missing.

Links, buttons and forms name the addresses that they lead to, and each address has its least role (`team.rights`). So this holds
on every page, no template can forget it, and the markup of those who may everything stays as it is.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from html import unescape
from urllib.parse import unquote

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import Resolver404, resolve

from dashboard.team.models import Person, Role
from dashboard.team.rights import least_at, needs_role

TAG = re.compile(r"<(/?)(a|button|form|div)\b((?:[^<>\"']|\"[^\"]*\"|'[^']*')*)>")
ATTRIBUTE = re.compile(r"\s+([\w-]+)(?:=\"([^\"]*)\")?")
ADDRESSES = frozenset({"href", "hx-get", "hx-post", "formaction", "action", "data-for-key", "data-for-folder", "data-send"})
# What makes a control act, or hides the reason. The script of the menu of objects hides entries without `data-for-…`.
DROPPED = frozenset(
    {"href", "hx-get", "hx-post", "formaction", "type", "form", "data-pick", "data-uploads", "data-send", "title"}
)
CACHED_PATHS = 2000

Attributes = dict[str, str]


class Controls:
    """Middleware, inside the one that compresses."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        person = getattr(request, "user", None)
        if not isinstance(response, HttpResponse) or not isinstance(person, Person) or person.is_owner:
            return response
        if response.get("Content-Type", "").startswith("text/html"):
            response.content = without_refused(response.content.decode(), Role(person.role)).encode()
        return response


def without_refused(page: str, role: Role) -> str:
    """Disable every control of a page that leads to an address that the role may not open."""
    return _Page(page, role).rewritten()


class _Page:
    def __init__(self, page: str, role: Role) -> None:
        self._page, self._role = page, role
        forms = (_attributes(raw) for closing, name, raw in TAG.findall(page) if name == "form" and not closing)
        self._forms = {form["id"]: least for form in forms if "id" in form and (least := self._missing(form))}
        self._form: Role | None = None  # what the form lacks that the text is in

    def rewritten(self) -> str:
        return TAG.sub(self._rewritten, self._page)

    def _rewritten(self, found: re.Match[str]) -> str:
        closing, name, raw = found.groups()
        attributes = {} if closing else _attributes(raw)
        if name == "form":
            self._form = self._missing(attributes)
            return found[0]
        least = self._missing(attributes) or (self._of_form(attributes) if name == "button" and not closing else None)
        if least is None:
            return found[0]
        kept = "".join(_kept(raw, least))
        if name == "div":
            return f"<div{kept}>"
        acts_as = ' type="button"' if name == "button" else "" if "role" in attributes else ' role="link"'
        return f'<{name}{kept}{acts_as} tabindex="0" aria-disabled="true" data-tip="{needs_role(least)}">'

    def _of_form(self, button: Attributes) -> Role | None:
        """Return what a button's form lacks, if the button sends it to the form's own address."""
        if button.get("type", "submit") != "submit" or "formaction" in button:
            return None
        return self._forms.get(button["form"]) if "form" in button else self._form

    def _missing(self, attributes: Attributes) -> Role | None:
        """Return the role that is missing for the addresses among these; None if none is."""
        for name in ADDRESSES & attributes.keys():
            least = _least(unescape(attributes[name]).partition("?")[0].partition("#")[0])
            if least.rank > self._role.rank:
                return least
        return None


def _attributes(raw: str) -> Attributes:
    return dict(ATTRIBUTE.findall(raw))


def _kept(raw: str, least: Role) -> Iterator[str]:
    for found in ATTRIBUTE.finditer(raw):
        if found[1] == "aria-label":
            yield f' aria-label="{found[2]}. {needs_role(least)}"'
        elif found[1] not in DROPPED:
            yield found[0]


@lru_cache(CACHED_PATHS)
def _least(path: str) -> Role:
    try:
        return least_at(resolve(unquote(path)).func) if path.startswith("/") else Role.VIEWER
    except Resolver404:
        return Role.VIEWER
