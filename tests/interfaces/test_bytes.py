"""Bytes in and out: nothing is held in memory, nothing short passes for whole."""

import gc
import hashlib
import io
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from socket import socket

import pytest

from dashboard.interfaces import Timing, errors
from dashboard.interfaces.transport import bodies, sessions
from tests.interfaces import servers
from tests.interfaces.conftest import SHORT, Connect

STORED = servers.answer(b'{"Key": "b/k"}')


class Gone(Exception):  # noqa: N818 - as the exception of a client that went away is called
    """The client went away."""


class Source:
    """A body of known length; it may fail, end early, or dawdle."""

    def __init__(
        self, size: int, *, fails_at: int | None = None, ends_at: int | None = None, error: Exception | None = None
    ) -> None:
        self.size, self.fails_at, self.ends_at, self.given = size, fails_at, ends_at, 0
        self.error = error or Gone("after some bytes")
        self.reads: list[int] = []
        self.pause = 0.0

    def __len__(self) -> int:
        return self.size

    def read(self, size: int = -1, /) -> bytes:
        time.sleep(self.pause)
        self.reads.append(size)
        if self.fails_at is not None and self.given >= self.fails_at:
            raise self.error
        end = self.size if self.ends_at is None else self.ends_at
        block = b"x" * max(0, min(size, end - self.given))
        self.given += len(block)
        return block


def test_an_upload_goes_out_in_blocks_of_a_mebibyte_with_its_length(connect: Connect) -> None:
    source = Source((5 << 20) + 17)
    with servers.serving(STORED) as server:
        stored = connect(server.address)[1].objects.upload("b", "k", source, content_type="text/plain")
        assert stored.key == "b/k"
        assert f"content-length: {source.size}".encode() in server.requests[0].lower()
        assert b"transfer-encoding" not in server.requests[0].lower()
        assert len(server.bodies[0]) == source.size
    assert source.reads == [1 << 20] * 5 + [17]


def test_a_connection_on_which_a_body_was_refused_is_not_used_again(connect: Connect) -> None:
    """As on the real storage server, which reads nothing more there: the next upload would hang until its deadline."""

    def refuse_and_stall(connection: socket, head: bytes) -> None:
        servers.refusal(409, "The resource already exists")(connection, head)
        servers.silence(connection, head)

    with servers.serving(servers.in_turn(refuse_and_stall, STORED)) as server:
        storage = connect(server.address, timing=SHORT)[1]
        with pytest.raises(errors.Conflict) as refused:
            storage.objects.upload("b", "k", Source(200_000), content_type="text/plain")
        assert refused.value.text == "The resource already exists"
        assert storage.objects.upload("b", "k", Source(200_000), content_type="text/plain").key == "b/k"
        assert storage.objects.upload("b", "k", Source(200_000), content_type="text/plain").key == "b/k"
        assert server.connections == 2, "a connection without a refusal is used again"


@pytest.mark.parametrize("empty", [b"", Source(0)])
def test_an_empty_upload_has_the_length_zero(connect: Connect, empty: bytes | Source) -> None:
    with servers.serving(STORED) as server:
        connect(server.address)[1].objects.upload("b", "k", empty, content_type="text/plain")
        assert b"content-length: 0" in server.requests[0].lower()
        assert b"transfer-encoding" not in server.requests[0].lower()


def test_a_body_of_bytes_is_not_copied_whole_by_us(connect: Connect) -> None:
    body = bytes(3 << 20)
    with servers.serving(STORED) as server:
        connect(server.address)[1].objects.replace("b", "k", body, content_type="text/plain")
        assert server.bodies == [body]


@pytest.mark.parametrize(
    "error", [Gone("x"), ConnectionResetError(104, "reset"), BrokenPipeError(32, "pipe"), TimeoutError(), ValueError("x")]
)
def test_what_the_reader_raises_comes_through_unchanged_and_the_upload_is_cut(connect: Connect, error: Exception) -> None:
    source = Source(10 << 20, fails_at=3 << 20, error=error)
    with servers.serving(STORED) as server:
        with pytest.raises(type(error)) as caught:
            connect(server.address)[1].objects.upload("b", "k", source, content_type="text/plain")
        assert caught.value is error
        assert caught.value.__cause__ is None
        assert caught.value.__context__ is None
        _wait(lambda: bool(server.bodies))
        assert len(server.bodies[0]) <= 3 << 20, "the service saw the cut: less than the announced length"


def test_a_reader_that_ends_early_is_no_upload(connect: Connect) -> None:
    with servers.serving(STORED) as server:
        with pytest.raises(EOFError, match="before its announced length"):
            connect(server.address)[1].objects.upload("b", "k", Source(100, ends_at=60), content_type="text/plain")
        _wait(lambda: bool(server.bodies))
        assert len(server.bodies[0]) <= 60


def test_an_upload_that_is_refused_early_shows_the_refusal(connect: Connect) -> None:
    refusal = servers.refusal(400, "The object exceeded the maximum allowed size", statusCode="413")

    def refuse_and_close(connection: socket, head: bytes) -> None:
        refusal(connection, head)
        time.sleep(0.2)
        connection.close()

    with servers.serving(refuse_and_close, read_body=False) as server, pytest.raises((errors.TooLarge, errors.UnknownOutcome)):
        connect(server.address, timing=Timing())[1].objects.upload("b", "k", Source(64 << 20), content_type="text/plain")


def test_a_slow_sender_of_ours_does_not_run_into_the_services_deadline(connect: Connect) -> None:
    source = Source(4 << 20)
    source.pause = 0.8
    with servers.serving(STORED) as server:
        connect(server.address, timing=Timing(stall=1.5))[1].objects.upload("b", "k", source, content_type="text/plain")


def test_an_upload_that_the_service_does_not_take_has_an_unknown_outcome(connect: Connect) -> None:
    with servers.serving(servers.silence, read_body=False) as server:
        started = time.monotonic()
        with pytest.raises(errors.UnknownOutcome):
            connect(server.address, timing=SHORT)[1].objects.upload("b", "k", Source(256 << 20), content_type="text/plain")
        assert time.monotonic() - started < 10


def test_a_large_object_gets_longer_to_be_stored(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "_HASHED_A_SECOND", 1 << 10)

    def late(connection: socket, head: bytes) -> None:
        time.sleep(2.6)
        STORED(connection, head)

    with servers.serving(late) as server:
        connect(server.address, timing=Timing(stall=2))[1].objects.upload("b", "k", Source(32 << 10), content_type="text/plain")


def _object(size: int, *, more: str = "") -> servers.Behave:
    def behave(connection: socket, _head: bytes) -> None:
        connection.sendall(f"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: {size}\r\n{more}\r\n".encode())
        left = size
        while left:
            left -= connection.send(bytes(min(left, 1 << 18)))

    return behave


def test_a_download_comes_in_blocks_and_gives_its_connection_back(connect: Connect) -> None:
    size = (7 << 20) + 5
    with servers.serving(_object(size, more='X-Secret-Header: x\r\nETag: "e"\r\nSet-Cookie: a=b\r\n')) as server:
        _, storage = connect(server.address)
        for _ in range(2):
            with storage.objects.read("b", "k") as stream:
                blocks = [len(block) for block in stream]
                assert sum(blocks) == size
                assert max(blocks) <= 1 << 20
                assert len(blocks) <= 9
        assert server.connections == 1
    assert stream.length == size
    assert stream.headers == {"content-type": "image/png", "content-length": str(size), "etag": '"e"'}


def test_a_download_asks_for_the_bytes_as_they_are(connect: Connect) -> None:
    with servers.serving(_object(3)) as server:
        connect(server.address)[1].objects.read("b", "k", headers={"Range": "bytes=0-2"}).close()
        head = server.requests[0].lower()
    assert b"accept-encoding: identity" in head
    assert b"range: bytes=0-2" in head


def test_bytes_that_came_compressed_stay_so(connect: Connect) -> None:
    body = b"\x1f\x8b is no gzip"
    with servers.serving(servers.answer(body, kind="text/plain", more="Content-Encoding: gzip\r\n")) as server:
        stream = connect(server.address)[1].objects.read("b", "k")
        assert stream.headers["content-encoding"] == "gzip"
        assert b"".join(stream) == body


@pytest.mark.parametrize("behaviour", [servers.ends_after(b"abc", of=10, kind="text/plain")])
def test_a_download_that_ends_early_is_broken(connect: Connect, behaviour: servers.Behave) -> None:
    with servers.serving(behaviour) as server, pytest.raises(errors.Broken):
        b"".join(connect(server.address)[1].objects.read("b", "k"))


def test_a_chunked_download_that_ends_early_is_broken(connect: Connect) -> None:
    def chunked(connection: socket, _head: bytes) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
        connection.close()

    with servers.serving(chunked) as server:
        stream = connect(server.address)[1].objects.read("b", "k")
        assert stream.length is None
        with pytest.raises(errors.Broken):
            b"".join(stream)


@pytest.mark.parametrize("behaviour", [servers.drip_body, servers.drip_endless], ids=lambda each: each.__name__)
def test_a_download_that_trickles_is_given_up(connect: Connect, behaviour: servers.Behave) -> None:
    with servers.serving(behaviour) as server:
        stream = connect(server.address, timing=SHORT)[1].objects.read("b", "k")
        started = time.monotonic()
        with pytest.raises(errors.TimedOut):
            b"".join(stream)
        assert time.monotonic() - started < 6


def test_a_slow_reader_of_ours_does_not_run_into_the_services_deadline(connect: Connect) -> None:
    with servers.serving(_object(4 << 20)) as server:
        stream = connect(server.address, timing=Timing(stall=0.8))[1].objects.read("b", "k")
        assert sum(len(block) for block in _slowly(stream)) == 4 << 20


def _slowly(blocks: Iterable[bytes]) -> Iterator[bytes]:
    for block in blocks:
        time.sleep(0.5)
        yield block


def test_a_stream_that_nobody_closes_ends_with_its_last_reference(connect: Connect) -> None:
    with servers.serving(_object(64 << 20)) as server:
        stream = connect(server.address)[1].objects.read("b", "k")
        iterator = iter(stream)
        next(iterator)
        del stream, iterator
        gc.collect()
        connect(server.address)[1].objects.read("b", "k").close()
        assert server.connections == 2


def test_closing_twice_and_reading_after_are_harmless(connect: Connect) -> None:
    with servers.serving(_object(3 << 20)) as server:
        stream = connect(server.address)[1].objects.read("b", "k")
        stream.close()
        stream.close()
        with pytest.raises(errors.InterfaceError):
            b"".join(stream)


def test_all_bytes_at_once_have_a_limit(connect: Connect) -> None:
    with servers.serving(_object(1000)) as server:
        _, storage = connect(server.address)
        assert storage.objects.read("b", "k").read_all(1000) == bytes(1000)
        with pytest.raises(errors.TooLarge):
            storage.objects.read("b", "k").read_all(999)


@pytest.mark.parametrize("status", [206, 304])
def test_parts_and_unchanged_objects_are_successes(connect: Connect, status: int) -> None:
    with servers.serving(servers.answer(b"" if status == 304 else b"abc", status=status, kind="text/plain")) as server:
        stream = connect(server.address)[1].objects.read("b", "k")
        assert (stream.status, b"".join(stream)) == (status, b"" if status == 304 else b"abc")


def test_a_read_is_opened_again_when_a_gateway_is_unwell(connect: Connect) -> None:
    with servers.serving(servers.in_turn(servers.answer(b"", status=503), _object(5))) as server:
        assert connect(server.address)[1].objects.read("b", "k").read_all(10) == bytes(5)


def test_memory_stays_flat_under_large_transfers(connect: Connect) -> None:
    """Return the memory that the interpreter counts, which includes blocks kept anywhere."""
    digest = hashlib.sha256()
    with servers.serving(servers.in_turn(_object(128 << 20), STORED), read_body=True) as server:
        _, storage = connect(server.address, timing=Timing())
        tracemalloc.start()
        try:
            for block in storage.objects.read("b", "k"):
                digest.update(block)
                del block
            assert tracemalloc.get_traced_memory()[1] < 16 << 20
        finally:
            tracemalloc.stop()
    assert digest.hexdigest() == hashlib.sha256(bytes(128 << 20)).hexdigest()


def test_uploads_run_side_by_side(connect: Connect) -> None:
    with servers.serving(STORED) as server:
        _, storage = connect(server.address, timing=Timing())
        threads = [
            threading.Thread(
                target=storage.objects.upload, args=("b", f"k{number}", Source(2 << 20)), kwargs={"content_type": "a/b"}
            )
            for number in range(16)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
        assert [len(body) for body in server.bodies] == [2 << 20] * 16


def test_the_block_sizes_agree() -> None:
    adapter = sessions.origin("http://x").session.get_adapter("http://x")
    assert adapter.poolmanager.connection_pool_kw["blocksize"] == 1 << 20  # type: ignore[attr-defined]  # not in the stubs


def test_a_file_is_a_body_when_it_knows_its_length(connect: Connect) -> None:
    class Sized(io.BytesIO):
        def __len__(self) -> int:
            return len(self.getvalue())

    with servers.serving(STORED) as server:
        connect(server.address)[1].objects.upload("b", "k", Sized(b"from a file"), content_type="text/plain")
        assert server.bodies == [b"from a file"]


def _wait(is_so: Callable[[], bool], seconds: float = 5) -> None:
    end = time.monotonic() + seconds
    while not is_so() and time.monotonic() < end:
        time.sleep(0.01)
