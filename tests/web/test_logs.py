"""Log lines: JSON with the request they belong to, and nothing that opens a door."""

import io
import json
import logging
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from dashboard.team.models import Person
from dashboard.team.services import way_in
from dashboard.web.logs import JsonFormatter
from tests.pages import PageClient
from tests.people import PASSWORD, client_of

WRONG = "not the pass phrase at all"


class Lines:
    """What the product's own formatter made of every line so far."""

    def __init__(self) -> None:
        self.stream = io.StringIO()

    @property
    def text(self) -> str:
        return self.stream.getvalue()

    @property
    def all(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.text.splitlines()]


@pytest.fixture
def lines() -> Iterator[Lines]:
    found = Lines()
    handler = logging.StreamHandler(found.stream)
    handler.setFormatter(JsonFormatter())
    logging.getLogger().addHandler(handler)
    yield found
    logging.getLogger().removeHandler(handler)


@pytest.mark.urls("tests.web.urls")
def test_the_id_on_an_error_page_is_in_the_log(lines: Lines, owner: Person) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(owner)
    for path, status in (("/fail/crash/", 500), ("/nowhere/", 404)):
        answer = client.get(path)
        assert answer.status_code == status
        shown = re.search(r"<dt>Request</dt><dd><code>([0-9a-f]{12})<", answer.text)
        assert shown, path
        assert answer["X-Request-ID"] == shown[1]
        assert shown[1] in {line.get("request") for line in lines.all}, path


def test_a_line_says_when_how_bad_who_and_from_where(lines: Lines, visitor: PageClient, owner: Person) -> None:
    owner.set_password(PASSWORD)
    owner.save()
    visitor.defaults["REMOTE_ADDR"] = "203.0.113.9"
    visitor.post("/account/login/", {"login": owner.email, "password": WRONG})
    visitor.post("/account/login/", {"login": owner.email, "password": PASSWORD})
    visitor.post("/account/logout/")
    said = {line["message"]: line for line in lines.all if line["logger"].startswith("dashboard.team")}
    assert set(said) == {"Sign-in failed", "Signed in", "Signed out"}
    for line in said.values():
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", line["time"])
        assert (line["person"], line["address"]) == (owner.pk, "203.0.113.9")
        assert re.fullmatch(r"[0-9a-f]{12}", line["request"])
    assert said["Sign-in failed"]["level"] == "WARNING"


def test_lines_after_a_request_are_not_its_own(lines: Lines, owner: Person) -> None:
    client_of(owner).get("/team/")
    logging.getLogger("dashboard").warning("later")
    assert lines.all[-1].keys() == {"time", "level", "logger", "message"}


def test_what_was_typed_can_not_forge_a_line(lines: Lines) -> None:
    logging.getLogger("dashboard").warning("name: %s", 'x"}\n{"level": "ERROR", "message": "forged"}')
    assert len(lines.all) == 1


def test_no_key_of_a_password_link_reaches_a_log(lines: Lines, visitor: PageClient, owner: Person) -> None:
    link = way_in(owner, "http://testserver")
    key = link.rstrip("/").rpartition("/")[2]
    for path in (link, f"{link}nowhere/", link.replace("reset/key", "reset/key/key"), f"{link}?next=/{'x' * 10}"):
        visitor.get(path)
        visitor.put(path)
    form = visitor.get(link, follow=True).redirect_chain[-1][0]
    visitor.post(form, {"password1": PASSWORD, "password2": PASSWORD})
    assert lines.all
    assert key not in lines.text
    assert key.rpartition("-")[2] not in lines.text
