"""A service with undocumented answers: an unknown state, no flags, seconds for milliseconds, a number that is no time."""

from collections.abc import Iterator
from socket import socket

import pytest
from pytest_django import Settings

from tests.interfaces.servers import answer, as_json, by_path, refusal, serving
from tests.pages import PageClient

REF = "abcdefghijklmnopqrst"
STRANGE = {
    "id": "3c078cce-ad70-4148-9f37-4da362789053",
    "slug": "strange.one",
    "name": "Strange",
    "status": "HIBERNATING",
    "version": 7,
    "created_at": 1687423025,
    "updated_at": 5,
    "surprise": {"new": True},
}
UNREACHABLE = {**STRANGE, "slug": "a/b", "name": "Slash"}
BODY = b"ESZIP2.9 a bundle of tomorrow"
FORM = (
    b'--cut\r\nContent-Disposition: form-data; name="file"; filename="source/deep/a.ts"\r\n\r\nconst deep = "<b>"\r\n'
    b'--cut\r\nContent-Disposition: form-data; name="file"; filename="source/x.wasm"\r\n\r\n\x00asm\r\n'
    b'--cut\r\nContent-Disposition: form-data; name="file"; filename="source/index.ts"\r\n\r\nimport "./deep/a.ts"\r\n'
    b'--cut\r\nContent-Disposition: form-data; name="metadata"\r\n\r\n{"deno2_entrypoint_path": "source/index.ts"}\r\n--cut--\r\n'
)


ANSWERS = {
    "/functions": as_json([STRANGE, UNREACHABLE]),
    "/functions/strange.one": as_json(STRANGE),
    "/custom-hostname": refusal(400, "No custom hostname configuration found."),
}


def _body(connection: socket, head: bytes) -> None:
    """Send the files of the bundle where they are asked for."""
    if b"multipart/form-data" in head:
        answer(FORM, kind="multipart/form-data; boundary=cut")(connection, head)
    else:
        answer(BODY, kind="application/vnd.denoland.eszip")(connection, head)


@pytest.fixture
def strange_service(as_keeper: PageClient, settings: Settings) -> Iterator[None]:
    with serving(by_path({**ANSWERS, "/body": _body})) as server:
        settings.MANAGEMENT_URL = server.address
        yield
