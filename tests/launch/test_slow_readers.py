"""64 readers of one share link that read nothing, from one address: members go on, directly and behind the shipped nginx."""

import socket
import ssl
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest
import requests

from tests.bench.rig import make_links
from tests.launch import proxy
from tests.launch.command import free_port, starting
from tests.launch.visitor import Visitor
from tests.sandboxes import Sandbox

READERS = 64
BUCKET, LARGE, SMALL = "slow-readers", "large.bin", "small.txt"
SIZE = 24 << 20

Connect = Callable[[], socket.socket]


class Site:
    """An installation with one web process, a member signed in, and a share link to an object of 24 MiB."""

    def __init__(self, visitor: Visitor, code: str, ways: dict[str, Connect]) -> None:
        self.visitor, self.code, self.ways = visitor, code, ways
        self.host = urlsplit(visitor.address).netloc

    def ask(self, connection: socket.socket) -> socket.socket:
        """Ask for the object at once: an idle connection would be closed while others wait for their answers."""
        head = [f"GET /l/{self.code}/file HTTP/1.1", f"Host: {self.host}", "X-Forwarded-Proto: https", "User-Agent: Mozilla/5.0"]
        connection.sendall("\r\n".join([*head, "", ""]).encode())
        return connection

    def preview(self) -> int:
        place = f"{self.visitor.address}/storage/shared/{BUCKET}/~preview/?key={SMALL}"
        return self.visitor.session.get(place, timeout=120).status_code

    def upload(self, key: str) -> int:
        place = f"{self.visitor.address}/storage/shared/{BUCKET}/~upload/?key={key}&policy=replace"
        token = self.visitor.session.cookies["__Host-csrf"]
        headers = {"X-CSRFToken": token, "Referer": place, "Content-Type": "text/plain"}
        return self.visitor.session.put(place, b"x" * 1000, headers=headers, timeout=120).status_code


def status_of(connection: socket.socket) -> int:
    """Read the first line of the answer and nothing else."""
    line = b""
    while not line.endswith(b"\n"):
        piece = connection.recv(1)
        assert piece, "the connection was closed without an answer"
        line += piece
    return int(line.split()[1])


@pytest.fixture(scope="module")
def site(sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder, tls = tmp_path_factory.mktemp("slow"), free_port()
    ref, tokens = next(iter(sandbox.storage_tokens.items()))
    storage, key = sandbox.storage(ref), {"Authorization": f"Bearer {tokens['service']}"}
    assert requests.post(f"{storage}/bucket", json={"name": BUCKET}, headers=key, timeout=10).ok
    for name, content in ((LARGE, bytes(SIZE)), (SMALL, b"text")):
        assert requests.post(f"{storage}/object/{BUCKET}/{name}", data=content, headers=key, timeout=60).ok
    settings = {"STORAGE_URL": storage, "STORAGE_PUBLIC_URL": "none", "TRUSTED_PROXIES": "1", "WEB_CONCURRENCY": "1"}
    settings["PUBLIC_URL"] = f"https://127.0.0.1:{tls}"
    with starting(folder / "data", **settings) as started, proxy.proxy(folder / "nginx", tls, started.address):
        started.wait_until_ready()
        assert started.link
        trust = ssl.create_default_context(cafile=folder / "nginx" / "fullchain.pem")
        straight = urlsplit(started.address)

        def directly() -> socket.socket:
            return socket.create_connection(("127.0.0.1", straight.port or 0), timeout=60)

        def behind_nginx() -> socket.socket:
            made = socket.create_connection(("127.0.0.1", tls), timeout=60)
            return trust.wrap_socket(made, server_hostname="127.0.0.1")

        with Visitor(f"https://127.0.0.1:{tls}") as visitor:
            visitor.session.verify = str(folder / "nginx" / "fullchain.pem")
            visitor.enter_by(started.link)
            kept = visitor.submit(visitor.get("/account/tokens/new/?kind=storage&space=shared"), token=tokens["service"])
            assert kept.status_code == 200
            [code] = make_links(started, settings, place=("shared", BUCKET, LARGE), landing=[False])
            yield Site(visitor, code, {"directly": directly, "behind nginx": behind_nginx})


@pytest.mark.exhaustive
@pytest.mark.nginx
@pytest.mark.skipif(proxy.NGINX is None, reason="nginx is not installed")
@pytest.mark.parametrize("way", ["directly", "behind nginx"])
def test_64_slow_readers_of_one_link_stop_no_preview_and_no_upload(site: Site, way: str) -> None:
    with ExitStack() as held:
        readers = [site.ask(held.enter_context(site.ways[way]())) for _ in range(READERS)]
        told = Counter(map(status_of, readers))
        assert told[200] >= 1
        assert told[200] + told[503] == READERS, told
        for number in range(3):
            assert (site.preview(), site.upload(f"{way} {number}.txt")) == (200, 200)
