"""A service with undocumented answers: an unknown state, no flags, seconds for milliseconds, a number that is no time."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from pytest_django import Settings

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


class StrangeService(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path.endswith("/body") and self.headers["Accept"] == "multipart/form-data":
            self._say(FORM, "multipart/form-data; boundary=cut")
        elif self.path.endswith("/body"):
            self._say(BODY, "application/vnd.denoland.eszip")
        elif self.path.endswith("/functions"):
            self._say(json.dumps([STRANGE, UNREACHABLE]).encode())
        elif "/functions/" in self.path:
            self._say(json.dumps(STRANGE).encode())
        elif self.path.endswith("/custom-hostname"):
            self._say(b'{"message":"No custom hostname configuration found."}', status=400)
        else:
            self._say(b"[]")

    def _say(self, body: bytes, kind: str = "application/json", status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's signature
        """Log nothing."""


@pytest.fixture
def strange_service(as_keeper: PageClient, settings: Settings) -> Iterator[None]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), StrangeService)
    thread = Thread(target=server.serve_forever)
    thread.start()
    settings.MANAGEMENT_URL = f"http://127.0.0.1:{server.server_port}"
    yield
    server.shutdown()
    thread.join()
    server.server_close()
