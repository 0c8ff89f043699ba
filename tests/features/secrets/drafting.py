"""Helpers of tests for drafts: send forms and read answers."""

import re
from dataclasses import dataclass
from html import unescape
from typing import Any

import pytest

from dashboard.journal.models import Entry
from tests.features.secrets.desk import Desk
from tests.pages import PageClient

CANARY = "canary-value-4711"


@dataclass(frozen=True, slots=True)
class Draft:
    """A person who pastes secrets, with scripts (`htmx`) or without."""

    client: PageClient
    desk: Desk
    htmx: bool = False

    def send(self, act: str, target: str = "draft-findings", **fields: Any) -> Any:
        """Return the answer to the form of the text."""
        fields = {"act": act, **fields}
        if self.htmx:
            return self.client.send(self.desk.address("draft"), target, **fields)
        return self.client.post(self.desk.address("draft"), fields)

    def review(self, text: str, **fields: Any) -> Any:
        """Return the page that the form leads to."""
        return self.follow(self.send("review", text=text, **fields))

    def rows(self, text: str, **fields: Any) -> Any:
        """Return the page for editing it as rows."""
        return self.follow(self.send("rows", text=text, **fields))

    def follow(self, answer: Any) -> Any:
        href = answer.headers.get("HX-Redirect") or answer.headers.get("Location")
        assert href, f"{answer.status_code}: {answer.text}"
        return self.client.get(href, follow=True)

    def act(self, page: Any, act: str, **fields: Any) -> Any:
        """Press a button of the review, and return the page it leads to."""
        answer = self.client.post(page.request["PATH_INFO"], {"act": act, **fields})
        return self.follow(answer) if answer.status_code in (302, 303) else answer

    def save(self, page: Any, **fields: Any) -> Any:
        """Save the review as shown, with the ticked rows, changed by `fields`. Return the details of its outcome."""
        answer = self.act(page, "save", **{"seen": hidden(page, "seen"), "write": ticked(page, "write"), **fields})
        details = re.search(r'<a[^>]* href="([^"]+/review/[^"]+)"[^>]*>Details</a>', answer.text)
        return self.client.get(details[1]) if details else answer

    def save_rows(self, page: Any, act: str = "review", **fields: Any) -> Any:
        """Send the rows of the page, changed by `fields`."""
        return self.act(page, act, **{"seen": hidden(page, "seen"), **rows_in(page), **fields})


@pytest.fixture(params=[False, True], ids=["without script", "with script"])
def draft(request: pytest.FixtureRequest, as_keeper: PageClient, desk: Desk) -> Draft:
    return Draft(as_keeper, desk, htmx=request.param)


def hidden(answer: Any, name: str) -> str:
    found = re.search(rf'<input type="hidden" name="{name}" value="([^"]*)"', answer.text)
    assert found, f"no hidden {name}"
    return unescape(found[1])


def ticked(answer: Any, name: str) -> list[str]:
    boxes = re.findall(rf'<input[^>]*name="{name}"[^>]*>', answer.text)
    return [value(box) for box in boxes if " checked" in box]


def row_of(answer: Any, secret: str) -> str:
    """Return the row or item about this secret."""
    rows = re.findall(r"<tr>.*?</tr>|<li><label.*?</li>", answer.text, re.DOTALL)
    return unescape(next(row for row in rows if f">{secret}<" in row))


def box_of(answer: Any, name: str, secret: str) -> str:
    """Return the value that the checkbox of this secret sends."""
    return value(next(box for box in re.findall(r"<input[^>]*>", row_of(answer, secret)) if f'name="{name}"' in box))


def value(tag: str) -> str:
    found = re.search(r'value="([^"]*)"', tag)
    return unescape(found[1]) if found else ""


def rows_in(answer: Any) -> dict[str, Any]:
    """Return the fields of the rows as a browser would send them."""
    shown = re.sub(r"<template.*?</template>", "", answer.text, flags=re.DOTALL)
    names = [value(tag) for tag in re.findall(r'<input[^>]*name="name"[^>]*>', shown)]
    stored = [value(tag) for tag in re.findall(r'<input[^>]*name="stored"[^>]*>', shown)]
    values = re.findall(r'<textarea[^>]*name="value"[^>]*>(.*?)</textarea>', shown, re.DOTALL)
    return {"name": names, "stored": stored, "value": values}


def calls_of(sent: list[str]) -> list[str]:
    """Return the operations in short: "M5", "M6", "M7"."""
    verbs = {"GET": "M5", "POST": "M6", "DELETE": "M7"}
    return ["M1" if call.endswith("/projects") else verbs[call.split()[0]] for call in sent]


def journaled(operation: str) -> tuple[Entry, dict[str, Any], dict[str, Any]]:
    """Return the only entry of this operation, and its before and after."""
    entry = Entry.objects.get(operation=operation)
    return entry, entry.before or {}, entry.after or {}
