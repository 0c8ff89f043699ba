"""A real worker, killed while a real mail server and a real HTTP receiver keep it waiting for their answer."""

import re
import time
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import Settings

from dashboard.notifications import inbox, kinds
from dashboard.notifications.models import Delivery, State
from dashboard.notifications.outbox import notify
from dashboard.team.models import Person
from tests.jobs.conftest import Process, workers
from tests.notifications.sinks import Sink, receiver

__all__ = ["workers"]

pytestmark = pytest.mark.exhaustive

Begin = Callable[[], Process]
REPEAT = "received this message before"


@pytest.fixture
def posts(settings: Settings) -> Iterator[Sink]:
    with receiver() as sink:
        settings.NOTIFY_URLS = [f"json://127.0.0.1:{sink.port}/"]
        yield sink


@pytest.fixture
def begin(workers: Begin, mails: Sink, posts: Sink, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Begin:
    """Begins workers that know both."""
    monkeypatch.setenv("EMAIL_URL", f"smtp://127.0.0.1:{mails.port}")
    monkeypatch.setenv("EMAIL_FROM", settings.DEFAULT_FROM_EMAIL)
    monkeypatch.setenv("NOTIFY_URLS", settings.NOTIFY_URLS[0])
    monkeypatch.setenv("PUBLIC_URL", settings.PUBLIC_URL)
    return workers


def kill_in(process: Process, sink: Sink) -> None:
    """Kill the worker once its message has arrived and is not answered; then let its claim expire."""
    sink.wait()
    process.kill()
    assert Delivery.objects.get(is_open=True).state == State.WAITING
    sink.let_go.set()
    Delivery.objects.filter(is_open=True).update(due_at=timezone.now() - timedelta(hours=1))


def wait_until_all_sent(seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while set(Delivery.objects.values_list("state", flat=True)) != {State.SENT}:
        assert time.monotonic() < until, list(Delivery.objects.values_list("channel", "state", "error"))
        time.sleep(0.05)


def test_what_a_kill_cut_is_sent_once_more_as_the_same_event_and_everything_else_once(
    owner: Person, begin: Begin, mails: Sink, posts: Sink
) -> None:
    # The worker doesn't know those of the tests.
    known = [kind for kind in kinds.listed() if not kind.name.endswith("trial")]
    inbox.choose(owner.pk, {kind.name: True for kind in known})
    for kind in known:
        notify(kind.name, [owner], title=f"About {kind.name}", address="/jobs/", key="1")
    mails.let_go.clear()
    posts.let_go.clear()
    kill_in(begin(), mails)
    kill_in(begin(), posts)
    begin()
    wait_until_all_sent()
    first, again, *others = mails.mails
    assert (first["Message-ID"], first["Subject"]) == (again["Message-ID"], again["Subject"])
    assert [REPEAT in _text(mail) for mail in (first, again)] == [False, True]
    subjects = [mail["Subject"] for mail in (again, *others)]
    assert sorted(subjects) == sorted(f"About {kind.name}" for kind in known)
    assert not [mail for mail in others if REPEAT in _text(mail)]
    cut, *rest = posts.posts
    same = [post for post in rest if _event(post) == _event(cut)]
    assert [REPEAT in post["message"] for post in (cut, *same)] == [False, True]
    shared = sorted(f"About {kind.name}" for kind in known if not (kind.is_personal or kind.is_security))
    assert sorted(post["title"] for post in rest) == shared
    assert [post for post in rest if REPEAT in post["message"]] == same


def test_a_message_that_is_cut_twice_is_unknown_and_never_sent_again(
    owner: Person, begin: Begin, mails: Sink, posts: Sink
) -> None:
    notify("account trial", [owner], title="Cut", address="/jobs/", key="1")
    for _ in range(2):
        mails.let_go.clear()
        kill_in(begin(), mails)
    begin()
    until = time.monotonic() + 60
    while Delivery.objects.get().state != State.UNKNOWN:
        assert time.monotonic() < until
        time.sleep(0.05)
    assert len(mails.mails) == 2


def test_a_worker_that_is_told_to_stop_finishes_the_message_that_it_sends(owner: Person, begin: Begin, mails: Sink) -> None:
    mails.let_go.clear()
    process = begin()
    notify("account trial", [owner], title="Last", address="/jobs/", key="1")
    mails.wait()
    process.popen.terminate()
    mails.let_go.set()
    assert process.popen.wait(20) == 0
    assert Delivery.objects.get().state == State.SENT


def _text(mail: object) -> str:
    return str(mail.get_body(("plain",)).get_content())  # type: ignore[attr-defined] # of a message parsed by the sink


def _event(post: dict[str, str]) -> str:
    return str(re.findall("Event (.*)", post["message"])[0])
