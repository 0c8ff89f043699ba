"""What visitors of links wait for is never all there is: members keep their part of it."""

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from io import BytesIO

import pytest
from PIL import Image
from pytest_django import Settings

from dashboard.interfaces.errors import Crowded
from dashboard.interfaces.operations import OPERATIONS
from dashboard.viewer import pictures
from dashboard.viewer.pictures import Renderings
from dashboard.viewer.protocol import Task
from dashboard.web.limits import slots as limits
from dashboard.web.limits.slots import Full, Slots, Waiting, slots
from dashboard.web.limits.transfers import Busy

PLACE = "https://storage.example project"


@pytest.fixture(autouse=True)
def shares(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Of 32 threads. Nobody waits for a call's place that isn't free, and everybody for a picture."""
    settings.WEB_THREADS = 32
    monkeypatch.setattr(limits, "PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr(pictures, "PATIENCE_SECONDS", 600.0)
    slots.cache_clear()
    yield
    slots.cache_clear()


def waiting(stack: ExitStack, count: int, *, is_visitor: bool) -> int:
    """How many of these requests get a place in which they wait for one project."""
    number = 0
    for _ in range(count):
        try:
            stack.enter_context(Waiting(is_visitor=is_visitor).gate(OPERATIONS["S13"], PLACE))
            number += 1
        except Crowded:
            pass
    return number


def test_members_keep_half_of_the_places_in_which_a_project_is_waited_for() -> None:
    with ExitStack() as held:
        assert waiting(held, 64, is_visitor=True) == 4
        assert waiting(held, 64, is_visitor=False) == 4
    with ExitStack() as held:
        assert waiting(held, 64, is_visitor=False) == 8


def test_who_is_refused_holds_nothing_of_the_other_shares() -> None:
    rooms = Slots()
    rooms.take({"one": 1}, "first")
    with pytest.raises(Full):
        rooms.take({"other": 1, "one": 1}, "second")
    rooms.take({"other": 1}, "third")


def test_one_holder_needs_one_slot_and_leaves_it_the_last_time() -> None:
    rooms = Slots()
    rooms.take({"one": 1}, "first")
    with rooms.hold({"one": 1}, "first"), pytest.raises(Full):
        rooms.take({"one": 1}, "second")
    with pytest.raises(Full):
        rooms.take({"one": 1}, "second")
    rooms.leave({"one"}, "first")
    rooms.take({"one": 1}, "second")


def test_a_patient_one_gets_the_slot_that_is_left() -> None:
    rooms = Slots()
    rooms.take({"one": 1}, "first")
    with ThreadPoolExecutor(1) as pool:
        waits = pool.submit(rooms.take, {"one": 1}, "second", patience=600.0)
        rooms.leave({"one"}, "first")
        assert waits.result(60) is None
    with pytest.raises(Full):
        rooms.take({"one": 1}, "third")


def picture() -> bytes:
    out = BytesIO()
    Image.new("RGB", (30, 30)).save(out, "PNG")
    return out.getvalue()


@contextmanager
def visitors(made: Renderings, count: int) -> Iterator[list[Future[bytes]]]:
    """So many visitors ask for a picture each; the first one is being read until the end."""
    released, reading = threading.Event(), threading.Event()

    def read() -> bytes:
        reading.set()
        released.wait()
        return picture()

    with ThreadPoolExecutor(count) as pool:
        asked = [pool.submit(made.get, number, Task.PICTURE, read, is_visitor=True) for number in range(count)]
        try:
            assert reading.wait(30)
            yield asked
        finally:
            released.set()


@pytest.fixture
def made() -> Iterator[Renderings]:
    found = Renderings()
    yield found
    while not found._renderers.empty():
        found._renderers.get().close()


def test_a_member_gets_a_picture_while_visitors_wait_for_theirs(made: Renderings) -> None:
    with visitors(made, 8) as asked:
        assert made.get("another", Task.PICTURE, picture)
        assert made.get(0, Task.PICTURE, picture), "also the one that a visitor waits for"
        assert not any(one.done() for one in asked)
    assert all(one.result() for one in asked)


def test_visitors_wait_for_pictures_in_half_of_the_threads(made: Renderings) -> None:
    with visitors(made, 64) as asked:
        refused = first(48, asked)
        assert [type(one.exception()) for one in refused] == [Busy] * 48
    assert sum(one.exception() is None for one in asked) == 16


def first(count: int, futures: list[Future[bytes]]) -> list[Future[bytes]]:
    """The first ones that end."""
    ended: list[Future[bytes]] = []
    enough = threading.Event()

    def note(one: Future[bytes]) -> None:
        ended.append(one)
        if len(ended) >= count:
            enough.set()

    for one in futures:
        one.add_done_callback(note)
    assert enough.wait(60)
    return ended[:count]
