"""A page waits a moment for the service; then it is drawn from what its token last read, and replaced when the answer comes."""

import json
import time
from collections.abc import Callable
from contextlib import suppress
from html import unescape
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from dashboard.interfaces.errors import NotAllowed, TimedOut
from dashboard.team.models import Person
from dashboard.tokens import late
from dashboard.tokens.last_known import Key, Readings, Replay
from dashboard.tokens.models import LastKnown, StoredToken
from tests.conftest import Sandbox
from tests.features.service import Calls, Faults
from tests.features.test_calls import REF
from tests.markup import Element, parse
from tests.pages import PageClient, htmx
from tests.people import client_of, hold

PROJECT, SECRETS = f"/projects/{REF}/", f"/projects/{REF}/secrets/"
READ_SECRETS = f"GET /v1/projects/{REF}/secrets"
SECONDS = 1.0


@pytest.fixture
def keeper(owner: Person, service: Sandbox, settings: Settings) -> PageClient:
    hold(owner, service.personal_token)
    hold(owner, service.storage_tokens[REF]["service"], REF)
    settings.PAGE_PATIENCE_MS = 60_000
    client = client_of(owner)
    client.get(SECRETS)
    settings.PAGE_PATIENCE_MS = 50
    return client


def reader(answer: Any) -> Element:
    """The element that asks for the page again."""
    return next(one for one in parse(answer.text).root.all("div") if one.get("hx-target") == "#main")


def again(client: Client, answer: Any) -> Any:
    """What a browser asks for then."""
    element = reader(answer)
    headers = json.loads(unescape(element.get("hx-headers")))
    return client.get(element.get("hx-get"), headers={**htmx("main"), **headers})


def test_a_page_is_drawn_from_memory_while_the_service_is_slow_and_replaced_by_its_answer(
    keeper: PageClient, faults: Faults, calls: Calls
) -> None:
    faults("M5", delay=SECONDS)
    calls()
    page = keeper.get(SECRETS)
    assert page["X-Problem"] == "Slow"
    assert "SMTP_HOST" in page.text
    assert "Showing data from" in page.text
    assert "Reading…" in page.text
    assert reader(page).get("hx-trigger") == "load"
    answer = again(keeper, page)
    assert "X-Problem" not in answer
    assert "Reading…" not in answer.text
    assert "data-remembered" not in answer.text
    assert "SMTP_HOST" in answer.text
    assert calls() == [READ_SECRETS], "the service is asked once"


def test_a_page_in_time_is_not_drawn_from_memory(keeper: PageClient, settings: Settings, faults: Faults) -> None:
    settings.PAGE_PATIENCE_MS = 30_000
    faults("M5", delay=0.2)
    assert "X-Problem" not in keeper.get(SECRETS)


def test_without_anything_to_show_a_page_waits_and_asks_once(keeper: PageClient, faults: Faults, calls: Calls) -> None:
    LastKnown.objects.all().delete()
    faults("M5", delay=SECONDS)
    calls()
    page = keeper.get(SECRETS)
    assert "X-Problem" not in page
    assert "SMTP_HOST" in page.text
    assert calls() == [READ_SECRETS]
    assert LastKnown.objects.filter(operation="M5").exists()


def test_another_process_asks_the_service_itself_and_waits(keeper: PageClient, faults: Faults, calls: Calls) -> None:
    faults("M5", delay=SECONDS)
    calls()
    page = keeper.get(SECRETS)
    late._left.clear()
    assert "X-Problem" not in again(keeper, page)
    assert calls() == [READ_SECRETS] * 2


def test_nobody_else_takes_over_the_calls_of_a_page(keeper: PageClient, ada: Person, service: Sandbox, faults: Faults) -> None:
    hold(ada, service.personal_token)
    faults("M5", delay=SECONDS)
    page = keeper.get(SECRETS)
    again(client_of(ada), page)
    assert len(late._left) == 1


def test_a_refusal_that_comes_late_replaces_the_page_and_what_was_kept(keeper: PageClient, owner: Person, faults: Faults) -> None:
    faults("M5", delay=SECONDS, status=401)
    page = keeper.get(SECRETS)
    assert "SMTP_HOST" in page.text
    answer = again(keeper, page)
    assert answer["X-Problem"] == "TokenRefused"
    assert "SMTP_HOST" not in answer.text
    assert not LastKnown.objects.filter(operation="M5").exists()
    assert StoredToken.objects.get(person=owner, kind="management").refused_at


def test_a_failure_is_tried_again_ever_slower(keeper: PageClient, settings: Settings, faults: Faults) -> None:
    settings.PAGE_PATIENCE_MS = 60_000
    faults("M5", status=500)
    answer = keeper.get(SECRETS)
    triggers = []
    for _ in range(3):
        triggers.append(reader(answer).get("hx-trigger"))
        answer = again(keeper, answer)
    assert triggers == ["load delay:15s", "load delay:30s", "load delay:60s"]
    assert "Next try <time" in answer.text
    assert ">Refresh</a>" in answer.text
    faults("M5", delay=0)
    assert "X-Problem" not in again(keeper, answer)


@pytest.mark.parametrize(("seconds", "pause_at_least"), [(14, 0), (600, 16)])
def test_the_service_says_when_a_page_is_tried_again(
    seconds: int, pause_at_least: int, keeper: PageClient, settings: Settings, faults: Faults
) -> None:
    """Sooner than after the 15 s of other failures, or later."""
    settings.PAGE_PATIENCE_MS = 60_000
    faults("M5", status=429, retry_after=seconds)
    delay = int(reader(keeper.get(SECRETS)).get("hx-trigger").removeprefix("load delay:").removesuffix("s"))
    assert pause_at_least <= delay <= seconds


def test_a_refused_read_is_not_answered_from_memory_while_another_one_is_slow(db: None) -> None:
    refused, slow = Key("f", "M22", "q"), Key("f", "M24", "q")
    before = Readings()
    before.read(refused, list, lambda: ["a"])
    before.flush()
    now = Readings()
    with suppress(NotAllowed):
        now.read(refused, list, fail(NotAllowed(operation="M22", service="management")))
    replay = Replay(now, TimedOut(operation=slow.operation, service="management"))
    with pytest.raises(NotAllowed):
        replay.read(refused, list, fail(AssertionError()))


def fail(error: Exception) -> Callable[[], Any]:
    def ask() -> Any:
        raise error

    return ask


def test_a_file_is_not_made_from_memory(keeper: PageClient, settings: Settings, faults: Faults) -> None:
    """Nothing in it would say how old it is."""
    keeper.get(SECRETS)
    faults("M5", status=500)
    assert "SMTP_HOST" not in keeper.get(f"{SECRETS}names/").text
    faults("M5", delay=SECONDS)
    assert "X-Problem" not in keeper.get(f"{SECRETS}names/")


def test_what_a_script_asks_for_is_waited_for(keeper: PageClient, faults: Faults) -> None:
    faults("M5", delay=SECONDS)
    assert "X-Problem" not in keeper.get(SECRETS, headers={"Sec-Fetch-Dest": "empty"})


def test_a_body_that_is_slow_does_not_delay_the_rest_of_its_page(keeper: PageClient, settings: Settings, faults: Faults) -> None:
    address = f"{PROJECT}functions/print-label/"
    keeper.get(address)
    faults("M14", delay=SECONDS)
    page = keeper.get(address)
    assert page["X-Problem"] == "Slow"
    assert "print-label" in page.text
    answer = again(keeper, page)
    assert "X-Problem" not in answer
    assert "A part is missing" not in answer.text


def test_a_page_that_lacks_one_answer_says_so_and_shows_the_others(
    keeper: PageClient, settings: Settings, faults: Faults
) -> None:
    settings.PAGE_PATIENCE_MS = 3_000
    faults("M14", delay=6)
    page = keeper.get(f"{PROJECT}functions/print-label/")
    assert page["X-Problem"] == "Slow"
    assert "A part is missing." in page.text


def test_the_root_key_is_never_drawn_from_memory(keeper: PageClient, faults: Faults) -> None:
    address = f"{PROJECT}encryption/"
    keeper.get(address)
    faults("M20", delay=SECONDS)
    begun = time.monotonic()
    assert "X-Problem" not in keeper.get(address)
    assert time.monotonic() - begun >= SECONDS
    assert not late._left


def test_a_page_drawn_from_memory_submits_no_change(keeper: PageClient, owner: Person, faults: Faults, calls: Calls) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(owner)
    address = f"{PROJECT}secrets/draft/"
    keeper.get(address)
    faults("M5", delay=SECONDS)
    page = strict.get(address)
    assert page["X-Problem"] == "Slow"
    main = next(iter(parse(page.text).root.all("main")))
    tokens = {field.get("value") for field in main.all("input") if field.get("name") == "csrfmiddlewaretoken"}
    assert tokens == {"remembered"}
    assert json.loads(unescape(main.get("hx-headers"))) == {"X-CSRFToken": "remembered"}
    again(strict, page)
    calls()
    refused = strict.post(address, {"csrfmiddlewaretoken": "remembered", "text": "A=1"})
    assert refused.status_code == 403
    assert "This page shows last known data" in refused.text
    assert strict.post(address, {"text": "A=1"}, headers={"X-CSRFToken": "remembered"})["X-Problem"] == "Remembered"
    assert calls() == []
    signing_out = [form for form in parse(page.text).root.all("form") if form.get("action") == "/account/logout/"]
    assert all(field.get("value") != "remembered" for form in signing_out for field in form.all("input"))


def test_what_a_page_left_is_bounded_in_number_and_age(keeper: PageClient, monkeypatch: pytest.MonkeyPatch) -> None:
    left = [late.Left(None, Readings()) for _ in range(66)]  # type: ignore[arg-type] # not looked at
    for one in left:
        late.leave(one)
    assert len(late._left) == 64
    monkeypatch.setattr(late, "KEPT_SECONDS", -1.0)
    assert late.take(left[-1].code, 1) is None
    assert not late._left
