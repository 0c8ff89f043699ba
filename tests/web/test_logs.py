"""Log lines: JSON with the request they belong to, and nothing that opens a door."""

import io
import json
import logging
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from dashboard.team.links import make_link
from dashboard.team.models import Person
from dashboard.web.failures import request_log
from dashboard.web.http.logs import JsonFormatter
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

    def of_requests(self) -> list[dict[str, Any]]:
        return [line for line in self.all if "path" in line]


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
    client_of(owner).get("/people/")
    logging.getLogger("dashboard").warning("later")
    assert lines.all[-1].keys() == {"time", "level", "logger", "message"}


def test_what_was_typed_can_not_forge_a_line(lines: Lines) -> None:
    logging.getLogger("dashboard").warning("name: %s", 'x"}\n{"level": "ERROR", "message": "forged"}')
    assert len(lines.all) == 1


def test_no_key_of_a_password_link_reaches_a_log(lines: Lines, visitor: PageClient, owner: Person) -> None:
    link = make_link(owner, "http://testserver")
    key = link.rstrip("/").rpartition("/")[2]
    for path in (link, f"{link}nowhere/", link.replace("reset/key", "reset/key/key"), f"{link}?next=/{'x' * 10}"):
        visitor.get(path)
        visitor.put(path)
    form = visitor.get(link, follow=True).redirect_chain[-1][0]
    visitor.post(form, {"password1": PASSWORD, "password2": PASSWORD})
    assert lines.all
    assert key not in lines.text
    assert key.rpartition("-")[2] not in lines.text


@pytest.mark.urls("tests.web.urls")
def test_one_line_says_what_failed_how_and_for_whom(lines: Lines, owner: Person) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(owner)
    assert client.get("/fail/crash/?q=private", REMOTE_ADDR="203.0.113.9").status_code == 500
    (line,) = lines.of_requests()
    assert line.pop("ms") >= 0
    assert re.fullmatch(r"[0-9a-f]{12}", line.pop("request"))
    assert line.pop("time")
    assert line == {
        "level": "WARNING",
        "logger": "dashboard.web.failures.request_log",
        "person": owner.pk,
        "address": "203.0.113.9",
        "method": "GET",
        "path": "/fail/crash/",
        "status": 500,
        "calls": 0,
        "calls_ms": 0,
        "message": "Failed: Something went wrong",
    }


def test_a_slow_request_has_a_line_and_others_only_where_all_are_asked_for(
    lines: Lines, visitor: PageClient, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor.get("/account/login/")
    assert lines.of_requests() == []
    settings.ACCESS_LOG = True
    for path in ("/account/login/?next=/private/", "/healthz"):
        visitor.get(path)
    assert [(line["path"], line["message"]) for line in lines.of_requests()] == [("/account/login/", "Done")]
    settings.ACCESS_LOG = False
    monkeypatch.setattr(request_log, "SLOW_MS", 0)
    visitor.get("/account/login/")
    assert lines.of_requests()[-1]["message"] == "Slow"


@pytest.mark.parametrize(
    "path",
    [
        "/l/{code}/",
        "/l/{code}/view/",
        "/l/{code}/file/{code}/",
        "/r/{code}/",
        "/r/{code}/file/",
        "/account/password/reset/key/1-d1abc-{code}/",
        "/notifications/unsubscribe/{code}/",
        "/account/login/oidc/callback/?code={code}&state={code}",
    ],
)
def test_no_code_in_an_address_reaches_the_access_log(lines: Lines, visitor: PageClient, settings: Settings, path: str) -> None:
    settings.ACCESS_LOG = True
    visitor.get(path.format(code="abcdefghij0123456789-_"))
    assert lines.of_requests()
    assert "abcdefghij0123456789" not in lines.text


@pytest.mark.parametrize(("proxies", "sent", "kept"), [(1, "0" * 32, True), (0, "0" * 32, False), (1, "a b\u00e4" * 9, False)])
def test_the_id_of_a_request_is_that_of_our_proxy_only(
    visitor: PageClient, settings: Settings, proxies: int, sent: str, kept: bool
) -> None:
    settings.TRUSTED_PROXIES = proxies
    answer = visitor.get("/account/login/", headers={"X-Request-ID": sent})
    assert (answer["X-Request-ID"] == sent) is kept
