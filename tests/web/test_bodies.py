"""Bodies that are streamed, and the bulkhead they pass."""

import io
import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from types import SimpleNamespace

import pytest
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse, UnreadablePostError
from django.test import RequestFactory
from django.urls import ResolverMatch
from pytest_django import Settings

from dashboard.launch import web_worker
from dashboard.team.models import Person
from dashboard.web.http.requests import ClientGone, SizedBody, TooSlow, client_address
from dashboard.web.limits.transfers import Busy, bulkhead, transfer
from tests.pages import PageClient


@pytest.fixture
def two_slots(settings: Settings) -> None:
    settings.WEB_THREADS = 4


@pytest.fixture
def four_slots(settings: Settings) -> None:
    settings.WEB_THREADS = 8


class Clock:
    """Time that only the stream lets pass."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Dripping:
    def __init__(self, clock: Clock, block: bytes, seconds: float) -> None:
        self.clock, self.block, self.seconds = clock, block, seconds

    def read(self, size: int) -> bytes:
        self.clock.now += self.seconds
        return self.block[:size]


class Cut:
    def read(self, _size: int) -> bytes:
        raise ConnectionResetError


class Still:
    def read(self, _size: int) -> bytes:
        raise TimeoutError


def test_a_body_has_its_length_and_ends() -> None:
    body = SizedBody(io.BytesIO(b"abcdef"), 6)
    assert len(body) == 6
    assert body.read(4) == b"abcd"
    assert body.read() == b"ef"
    assert body.read(4) == b""


def test_a_body_is_never_read_past_its_length() -> None:
    stream = io.BytesIO(b"abcdefNEXT")
    assert b"".join(SizedBody(stream, 6)) == b"abcdef"
    assert stream.read() == b"NEXT"


@pytest.mark.parametrize("stream", [io.BytesIO(b"abc"), Cut()])
def test_a_cut_body_never_ends_quietly(stream: io.BytesIO | Cut) -> None:
    with pytest.raises(ClientGone):
        list(SizedBody(stream, 6))


class Wrapped:
    def read(self, _size: int) -> bytes:
        raise UnreadablePostError from TimeoutError()


@pytest.mark.parametrize("stream", [Still(), Wrapped()])
def test_a_body_that_stands_still_is_refused(stream: Still | Wrapped) -> None:
    with pytest.raises(TooSlow):
        SizedBody(stream, 6).read(1)


def test_a_dripping_body_is_refused() -> None:
    clock = Clock()
    with pytest.raises(TooSlow):
        list(SizedBody(Dripping(clock, b"x" * 100, 1.0), 10_000, clock=clock))
    assert clock.now <= 7


def test_a_slow_but_steady_body_is_taken() -> None:
    clock = Clock()
    body = SizedBody(Dripping(clock, b"x" * 20_000, 1.0), 400_000, clock=clock)
    assert sum(map(len, body)) == 400_000


def test_the_receivers_time_does_not_count() -> None:
    clock = Clock()
    body = SizedBody(Dripping(clock, b"x" * 100, 0.0), 1000, clock=clock)
    for _ in body:
        clock.now += 60


@pytest.mark.django_db
@pytest.mark.urls("tests.web.urls")
def test_an_upload_is_streamed_and_bounded(signed_in: PageClient) -> None:
    kind = "application/octet-stream"
    assert signed_in.put("/upload/", b"x" * 900, kind).content == b"900 bytes"
    assert signed_in.put("/upload/", b"x" * 1001, kind).status_code == 413
    assert signed_in.put("/upload/", b"x", kind, headers={"Content-Length": ""}).status_code == 411


def test_a_slot_is_given_back(two_slots: None) -> None:
    for _ in range(5):
        with bulkhead(), bulkhead():
            pass


def test_no_slot_is_told_at_once(two_slots: None) -> None:
    with bulkhead(), bulkhead(), pytest.raises(Busy):
        bulkhead().__enter__()


def test_a_view_that_fails_gives_its_slot_back(two_slots: None) -> None:
    @transfer
    def view() -> HttpResponse:
        raise ZeroDivisionError

    for _ in range(5):
        with pytest.raises(ZeroDivisionError):
            view()


@pytest.mark.django_db
def test_one_person_has_half_of_the_slots_and_others_have_theirs(four_slots: None, rf: RequestFactory) -> None:
    def of(person: Person) -> HttpRequest:
        request = rf.put("/upload/")
        request.user = person
        return request

    @transfer
    def view(request: HttpRequest) -> StreamingHttpResponse:
        return StreamingHttpResponse(iter([b"abc"]))

    one, other = Person(pk=1), Person(pk=2)
    held = [view(of(one)), view(of(one))]
    with pytest.raises(Busy) as caught:
        view(of(one))
    assert caught.value.own
    held += [view(of(other)), view(of(other))]
    with pytest.raises(Busy):
        view(of(Person(pk=3)))
    for response in held:
        response.close()
    view(of(one)).close()


def visit(rf: RequestFactory, *, address: str, code: str) -> HttpRequest:
    request = rf.get("/", REMOTE_ADDR=address)
    request.resolver_match = ResolverMatch(lambda: None, (), {"code": code})
    return request


def test_one_address_one_link_and_all_visitors_have_shares_and_members_keep_half(rf: RequestFactory, settings: Settings) -> None:
    settings.WEB_THREADS = 32

    def taken(*visits: HttpRequest) -> int:
        """How many of these visits get a slot."""
        number = 0
        for one in visits:
            with suppress(Busy):
                held.enter_context(bulkhead(one))
                number += 1
        return number

    with ExitStack() as held:
        assert taken(*(visit(rf, address="192.0.2.1", code="one") for _ in range(64))) == 4
        assert taken(*(visit(rf, address=f"198.51.100.{number}", code="one") for number in range(64))) == 2
        assert taken(*(visit(rf, address=f"198.51.100.{number}", code=f"{number}") for number in range(64))) == 2
        for person in (Person(pk=-1), Person(pk=-2)):
            requests = [rf.get("/", REMOTE_ADDR="192.0.2.1") for _ in range(4)]
            for request in requests:
                request.user = person
            assert taken(*requests) == 4


def test_a_reader_below_the_floor_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_worker, "GRACE_SECONDS", 0.1)
    monkeypatch.setattr(web_worker, "FLOOR_BYTES_PER_SECOND", 1 << 30)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        answer = web_worker.WebResponse(
            SimpleNamespace(version=(1, 1), method="GET", should_close=bool), ours, SimpleNamespace(is_ssl=False)
        )
        answer.start_response("200 OK", [("Content-Length", str(64 << 20))])
        with pytest.raises(BrokenPipeError):
            answer.write(bytes(64 << 20))
        assert theirs.recv(12) == b"HTTP/1.1 200"


@pytest.mark.django_db
def test_a_stream_holds_its_slot_until_it_is_closed(two_slots: None) -> None:
    closed = []

    class Source:
        def __iter__(self) -> Iterator[bytes]:
            yield b"abc"

        def close(self) -> None:
            closed.append(True)

    @transfer
    def view() -> StreamingHttpResponse:
        return StreamingHttpResponse(Source())

    first, second = view(), view()
    with pytest.raises(Busy):
        view()
    assert b"".join(first) == b"abc"
    first.close()
    first.close()
    view().close()
    second.close()
    assert closed == [True] * 3


@pytest.mark.parametrize(
    ("trusted", "forwarded", "address"),
    [
        (0, "203.0.113.9", "10.0.0.1"),
        (1, "198.51.100.7, 203.0.113.9", "203.0.113.9"),
        (2, "198.51.100.7, 203.0.113.9", "198.51.100.7"),
        (2, "203.0.113.9", "10.0.0.1"),
        (1, "not an address", "10.0.0.1"),
        (1, "2001:db8::1", "2001:db8::1"),
        (1, "", "10.0.0.1"),
    ],
)
def test_the_client_is_who_the_trusted_proxies_saw(
    rf: RequestFactory, settings: Settings, trusted: int, forwarded: str, address: str
) -> None:
    settings.TRUSTED_PROXIES = trusted
    request: HttpRequest = rf.get("/", headers={"X-Forwarded-For": forwarded}, REMOTE_ADDR="10.0.0.1")
    assert client_address(request) == address
