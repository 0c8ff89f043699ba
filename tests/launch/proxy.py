"""The nginx of compose.yaml: its configuration from that file, with a certificate of its own on a free port."""

import datetime
import ipaddress
import os
import re
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import dns.message
import dns.rrset
import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.launch.command import ROOT, free_port

NGINX = os.environ.get("NGINX") or shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/bin:/usr/local/sbin")
# The first version of nginx that knows the whole shipped configuration (`resolve`); Debian 12 has an older one.
KNOWS_ALL = (1, 27, 3)


def composition() -> dict[str, Any]:
    """Return compose.yaml as Compose parses it, before values are filled in."""
    found: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
    return found


def shipped(config: str, **values: str) -> str:
    """Return the content of a config in the composition, as a container reads it."""
    text: str = composition()["configs"][config]["content"]
    return re.sub(r"\$\{(\w+)(?::-)?\}", lambda name: values.get(name[1], ""), text).replace("$$", "$")


@cache
def version() -> tuple[int, ...]:
    """Return the version of the installed nginx."""
    assert NGINX
    said = subprocess.run([NGINX, "-v"], capture_output=True, text=True, check=True).stderr
    return tuple(map(int, re.findall(r"\d+", said)[:3]))


def adapted(folder: Path, webs: Sequence[str], plain: int, tls: int, names: int, **settings: str) -> str:
    """Return the shipped configuration with other addresses, ports and file paths. `names` is the port of a name server.

    For an older nginx, the replicas are named one by one, and there is no HTTP/2.
    """
    if version() >= KNOWS_ALL:
        ports = [web.rpartition(":")[2] for web in webs]
        servers = "\n".join(f"server web:{port} resolve max_fails=0;" for port in ports)
        way = {"resolver 127.0.0.11 ": f"resolver 127.0.0.1:{names} ", "server web:8000 resolve max_fails=0;": servers}
    else:
        servers = "\n".join(f"server {web} max_fails=0;" for web in webs)
        way = {"resolver 127.0.0.11 valid=1s ipv6=off;": "", "server web:8000 resolve max_fails=0;": servers, "http2 on;": ""}
    changes = way | {
        "listen 80;": f"listen 127.0.0.1:{plain};",
        "listen 443 ssl;": f"listen 127.0.0.1:{tls} ssl;",
        "/dev/stderr": f"{folder}/error.log",
        "/etc/nginx/tls/": f"{folder}/",
        "pid /tmp/nginx.pid;": f"pid {folder}/nginx.pid; daemon off;",
        "http {": "http {\n"
        + "".join(f"  {kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")),
    }
    text = shipped("nginx", PUBLIC_URL=f"https://127.0.0.1:{tls}", **settings)
    for old, new in changes.items():
        assert text.count(old) >= 1, f"compose.yaml does not hold {old!r} any more"
        text = text.replace(old, new)
    return text


@contextmanager
def proxy(folder: Path, tls: int, *webs: str, **settings: str) -> Iterator[int]:
    """Run nginx in front of `webs` (addresses) on the port `tls`. Yields the port that answers plain HTTP."""
    assert NGINX
    folder.mkdir(exist_ok=True)
    certificate(folder)
    plain = free_port()
    addresses = [web.removeprefix("http://").replace("localhost", "127.0.0.1") for web in webs]
    with _name_server() as names:
        (folder / "nginx.conf").write_text(adapted(folder, addresses, plain, tls, names, **settings))
        process = subprocess.Popen([NGINX, "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log")])
        try:
            deadline = time.monotonic() + 10
            while not _listens(tls) and time.monotonic() < deadline and process.poll() is None:
                time.sleep(0.05)
            assert process.poll() is None, (folder / "error.log").read_text()
            yield plain
        finally:
            process.terminate()
            process.wait(10)


def certificate(folder: Path) -> Path:
    """Return a certificate for 127.0.0.1 that lasts a day, with its key."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    built = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.PrivateFormat.PKCS8
    (folder / "fullchain.pem").write_bytes(built.public_bytes(serialization.Encoding.PEM))
    (folder / "privkey.pem").write_bytes(key.private_bytes(serialization.Encoding.PEM, pem, serialization.NoEncryption()))
    return folder / "fullchain.pem"


def replicas(service: str) -> int:
    """Return how many containers of a service compose.yaml starts."""
    found: int = composition()["services"][service].get("deploy", {}).get("replicas", 1)
    return found


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def _name_server() -> Iterator[int]:
    """Run a name server like Docker's, where each name is this machine's. Yields its port."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=_answer, args=(server,))
        thread.start()
        try:
            yield server.getsockname()[1]
        finally:
            server.sendto(b"", server.getsockname())  # ends it
            thread.join()


def _answer(server: socket.socket) -> None:
    while (asked := server.recvfrom(512))[0]:
        query = dns.message.from_wire(asked[0])
        answer = dns.message.make_response(query)
        answer.answer = [dns.rrset.from_text(query.question[0].name, 1, "IN", "A", "127.0.0.1")]
        server.sendto(answer.to_wire(), asked[1])
