"""What tests of the draft send and read in the answers."""

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
    """A draft in the hands of one person, with script (`htmx`) or without."""

    client: PageClient
    desk: Desk
    htmx: bool = False

    def send(self, act: str, target: str = "draft", **fields: Any) -> Any:
        fields = {"act": act, **fields}
        if self.htmx:
            return self.client.send(self.desk.address("draft"), target, **fields)
        return self.client.post(self.desk.address("draft"), fields)

    def plan(self, text: str, **fields: Any) -> Any:
        return self.send("plan", "draft-plan", mode="text", text=text, **fields)

    def apply(self, plan: Any, **fields: Any) -> Any:
        """Send the plan as it stands: ticked rows, and what `fields` says instead or beside."""
        form = {"sealed": hidden(plan, "sealed"), "once": hidden(plan, "once"), "write": ticked(plan, "write"), **fields}
        if self.htmx:
            return self.client.send(self.desk.address("applied"), "draft-plan", **form)
        return self.client.post(self.desk.address("applied"), form)


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


def box_of(answer: Any, name: str, secret: str) -> str:
    """What the box of this secret sends."""
    row = next(row for row in re.findall(r"<(?:tr|li)>.*?</(?:tr|li)>", answer.text, re.DOTALL) if secret in row)
    return value(next(box for box in re.findall(r"<input[^>]*>", row) if f'name="{name}"' in box))


def value(tag: str) -> str:
    found = re.search(r'value="([^"]*)"', tag)
    return unescape(found[1]) if found else ""


def text_in(answer: Any) -> str:
    found = re.search(r'<textarea[^>]*name="text"[^>]*>\n?(.*?)</textarea>', answer.text, re.DOTALL)
    return unescape(found[1]) if found else ""


def rows_in(answer: Any) -> dict[str, Any]:
    """The fields of the rows as a browser would send them."""
    shown = re.sub(r"<template.*?</template>", "", answer.text, flags=re.DOTALL)
    names = [value(tag) for tag in re.findall(r'<input[^>]*name="name"[^>]*>', shown)]
    kept = [value(tag) for tag in re.findall(r'<input[^>]*name="kept"[^>]*>', shown)]
    values = re.findall(r'<textarea[^>]*name="value"[^>]*>(.*?)</textarea>', shown, re.DOTALL)
    return {"name": names, "kept": kept, "value": values}


def calls_of(sent: list[str]) -> list[str]:
    """The operations in short: "M5", "M6", "M7"."""
    verbs = {"GET": "M5", "POST": "M6", "DELETE": "M7"}
    return ["M1" if call.endswith("/projects") else verbs[call.split()[0]] for call in sent]


def journaled(operation: str) -> tuple[Entry, dict[str, Any], dict[str, Any]]:
    """The one row of this operation, and what it says of before and after."""
    entry = Entry.objects.get(operation=operation)
    return entry, entry.before or {}, entry.after or {}
