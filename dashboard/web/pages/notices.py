"""Notices after an act: successes disappear, errors stay, equal ones are merged."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString

MAX_NOTICES = 3


@dataclass(frozen=True, slots=True)
class Notice:
    """One message. `tone` is "good", "danger" or "info"; `link` is label and address.

    `undo` is an address that reverts the act by a POST; without scripts it opens a confirmation page.
    """

    text: str
    tone: str = "good"
    link: tuple[str, str] | None = None
    times: int = 1
    undo: str = ""

    @property
    def body(self) -> SafeString:
        if self.undo:
            return format_html('{} <a href="{}" hx-post="{}" hx-swap="none">Undo</a>', self.text, self.undo, self.undo)
        if self.link is None:
            return conditional_escape(self.text)
        return format_html('{} <a href="{}">{}</a>', self.text, self.link[1], self.link[0])


LEVELS = {"good": messages.SUCCESS, "danger": messages.ERROR, "info": messages.INFO}
TONES = {"success": "good", "error": "danger", "warning": "danger"}


def say(request: HttpRequest, notice: Notice) -> None:
    """Store the notice for the next page."""
    messages.add_message(request, LEVELS[notice.tone], notice.body)


def fragment(request: HttpRequest, *found: Notice) -> str:
    """Render notices as an out-of-band part of an htmx answer."""
    return render_to_string("parts/_notices_oob.html", {"notices": found}, request)


def waiting(request: HttpRequest) -> list[Notice]:
    """Return the notices kept for this page: merged, errors first, at most three."""
    return merged(Notice(message.message, TONES.get(message.level_tag, "info")) for message in messages.get_messages(request))


def merged(found: Iterable[Notice]) -> list[Notice]:
    counts: dict[tuple[str, str, tuple[str, str] | None], int] = {}
    for notice in found:
        key = (notice.text, notice.tone, notice.link)
        counts[key] = counts.get(key, 0) + notice.times
    rows = [Notice(text, tone, link, times) for (text, tone, link), times in counts.items()]
    rows.sort(key=lambda notice: notice.tone != "danger")
    return rows[:MAX_NOTICES]
