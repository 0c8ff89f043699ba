"""Disable controls that a person's role or access doesn't allow, and show the reason.

Links, buttons and forms contain the addresses they lead to. Each address has its least role (`team.rights`), and upper layers
refuse others (`hooks.refusals`). So this covers every page, no template can forget it, and pages of people who may do everything
stay unchanged. A template tag could be forgotten unseen: many addresses in templates are variables that views fill.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from html import escape, unescape
from urllib.parse import unquote, urlencode

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import Resolver404, ResolverMatch, resolve

from dashboard.team import hooks
from dashboard.team.models import Person, Role
from dashboard.team.rights import least_at, needs_role

INSIDE = r"""((?:[^<>"']++|"[^"]*"|'[^']*')*+)"""
FORM = re.compile(rf"<form\b{INSIDE}>")
TAG = re.compile(rf"<(?:/form|(a|button|form|div)\b{INSIDE})>")
ATTRIBUTE = re.compile(r"\s+([\w-]+)(?:=\"([^\"]*)\")?")
ADDRESSES = frozenset({"href", "hx-get", "hx-post", "formaction", "action", "data-for-key", "data-for-folder", "data-send"})
LEADS = re.compile(rf"\s(?:{'|'.join(sorted(ADDRESSES))})=")
# Attributes that make a control act, or hide the reason. The script of the objects' menu hides entries without `data-for-…`.
DROPPED = frozenset(
    {"href", "hx-get", "hx-post", "formaction", "type", "form", "data-pick", "data-uploads", "data-send", "title"}
)
# Addresses that a script completes with the object or folder, and the mark of those that it completes with several objects.
COMPLETED = frozenset({"data-for-key", "data-for-folder"})
FOR_KEYS = "data-for-keys"
CACHED_PATHS = 2000

Attributes = dict[str, str]


class Controls:
    """Middleware. Must be inside the one that compresses."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        person = getattr(request, "user", None)
        if not isinstance(response, HttpResponse) or not isinstance(person, Person):
            return response
        refusals = [refuse for find in hooks.refusals if (refuse := find(request))]
        if (refusals or not person.is_owner) and response.get("Content-Type", "").startswith("text/html"):
            response.content = without_refused(response.content.decode(), Role(person.role), refusals).encode()
        return response


def without_refused(page: str, role: Role, refusals: Sequence[hooks.Refuse] = ()) -> str:
    """Disable every control of a page whose address the role may not open, or that is refused otherwise."""
    return _Page(page, role, refusals).rewritten()


class _Page:
    def __init__(self, page: str, role: Role, refusals: Sequence[hooks.Refuse]) -> None:
        self._page, self._role, self._refusals = page, role, refusals
        forms = (_attributes(found[1]) for found in FORM.finditer(page))
        self._forms = {form["id"]: reason for form in forms if "id" in form and (reason := self._reason(form))}
        self._form = ""  # why the form around this text is refused

    def rewritten(self) -> str:
        return TAG.sub(self._rewritten, self._page)

    def _rewritten(self, found: re.Match[str]) -> str:
        name, raw = found.groups()
        reason = self._reason(_attributes(raw)) if name and LEADS.search(raw) else ""
        if name in {None, "form"}:
            self._form = reason
            return found[0]
        if name == "button" and not reason and (self._form or self._forms):
            reason = self._of_form(_attributes(raw))
        if not reason:
            return found[0]
        kept = "".join(_kept(raw, reason))
        if name == "div":
            return f"<div{kept}>"
        acts_as = ' type="button"' if name == "button" else "" if " role=" in raw else ' role="link"'
        return f'<{name}{kept}{acts_as} tabindex="0" aria-disabled="true" data-tip="{reason}">'

    def _of_form(self, button: Attributes) -> str:
        """Return why a button's form is refused, if the button submits that form to its own address."""
        if button.get("type", "submit") != "submit" or "formaction" in button:
            return ""
        return self._forms.get(button["form"], "") if "form" in button else self._form

    def _reason(self, attributes: Attributes) -> str:
        """Return, as markup, why one of these addresses is refused; empty if none is."""
        for name in ADDRESSES & attributes.keys():
            path, _, query = unescape(attributes[name]).partition("#")[0].partition("?")
            if not (match := _match(path)):
                continue
            least = least_at(match.func)
            if least.rank > self._role.rank:
                return needs_role(least)
            is_completed = name in COMPLETED or FOR_KEYS in attributes
            asked = None if is_completed else query or urlencode({"path": unescape(attributes.get("data-path", ""))})
            if reason := next((reason for refuse in self._refusals if (reason := refuse(match, asked))), ""):
                return escape(reason)
        return ""


def _attributes(raw: str) -> Attributes:
    return dict(ATTRIBUTE.findall(raw))


def _kept(raw: str, reason: str) -> Iterator[str]:
    for found in ATTRIBUTE.finditer(raw):
        if found[1] == "aria-label":
            yield f' aria-label="{found[2]}. {reason}"'
        elif found[1] not in DROPPED:
            yield found[0]


@lru_cache(CACHED_PATHS)
def _match(path: str) -> ResolverMatch | None:
    try:
        return resolve(unquote(path)) if path.startswith("/") else None
    except Resolver404:
        return None
