"""M14 in both its forms: the bytes of a bundle or a text, and the source files that today's service unpacks on request."""

import pytest

from dashboard.interfaces import errors
from dashboard.interfaces.management.sources import SourceFile
from tests.interfaces import servers
from tests.interfaces.calls import REF
from tests.interfaces.conftest import Connect

METADATA = (
    b'Content-Disposition: form-data; name="metadata"\r\nContent-Type: application/json\r\n\r\n{"deno2_entrypoint_path":"b.ts"}'
)
ENTRY = b'Content-Disposition: form-data; name="file"; filename="b.ts"\r\n\r\nimport "./a.ts"\r\n\r\n--x no boundary\n'
BESIDE = 'Content-Disposition: form-data; name="file"; filename="ä.ts"\r\n\r\n'.encode() + b"\x00\xff\r"
KIND = "multipart/form-data; boundary=xyz"


def parts(*each: bytes) -> bytes:
    return b"".join(b"--xyz\r\n" + part + b"\r\n" for part in each) + b"--xyz--\r\n"


def test_source_files_come_with_the_entry_point_first(connect: Connect) -> None:
    with servers.serving(servers.answer(parts(METADATA, BESIDE, ENTRY), kind=KIND)) as server:
        body = connect(server.address)[0].functions.sources(REF, "hello")
        assert b"Accept: multipart/form-data\r\n" in server.requests[0]
    assert body.files == (SourceFile("b.ts", b'import "./a.ts"\r\n\r\n--x no boundary\n'), SourceFile("ä.ts", b"\x00\xff\r"))
    assert "import" not in repr(body.files)


def test_a_form_that_nobody_asked_for_is_read_too(connect: Connect) -> None:
    with servers.serving(servers.answer(parts(METADATA, ENTRY), kind=KIND.upper().replace("XYZ", "xyz"))) as server:
        body = connect(server.address)[0].functions.body(REF, "hello")
        assert b"Accept: */*\r\n" in server.requests[0]
    assert body.data.startswith(b"import")


def test_a_service_that_packs_everything_sends_the_bundle_all_the_same(connect: Connect) -> None:
    with servers.serving(servers.answer(b"ESZIP2.3", kind="application/octet-stream")) as server:
        body = connect(server.address)[0].functions.sources(REF, "hello")
    assert (body.data, body.files) == (b"ESZIP2.3", ())


@pytest.mark.parametrize("metadata", [b"", b"[1]", b'{"deno2_entrypoint_path": 5}', b"[" * 100_000])
def test_files_are_read_without_a_word_on_the_entry_point(connect: Connect, metadata: bytes) -> None:
    told = b'Content-Disposition: form-data; name="metadata"\r\n\r\n' + metadata
    with servers.serving(servers.answer(parts(told, ENTRY), kind=KIND)) as server:
        assert [file.path for file in connect(server.address)[0].functions.sources(REF, "hello").files] == ["b.ts"]


@pytest.mark.parametrize(
    ("body", "kind"),
    [(parts(METADATA, ENTRY)[:-10], KIND), (parts(ENTRY), "multipart/form-data"), (b"", KIND), (b"no parts", KIND)],
    ids=["cut", "no boundary named", "empty", "no boundary"],
)
def test_a_form_without_its_end_is_unexpected(connect: Connect, body: bytes, kind: str) -> None:
    with servers.serving(servers.answer(body, kind=kind)) as server, pytest.raises(errors.Unexpected, match="M14"):
        connect(server.address)[0].functions.sources(REF, "hello")
