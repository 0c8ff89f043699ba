"""The nginx of compose.yaml, its configuration taken out of the file, with a certificate of its own on a free port."""

import datetime
import ipaddress
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.launch.command import ROOT, free_port

NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/bin:/usr/local/sbin")


def composition() -> dict[str, Any]:
    """compose.yaml, read as Compose reads it, before any value is filled in."""
    found: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
    return found


def shipped(config: str, **values: str) -> str:
    """The content of a config in the composition, as a container reads it."""
    text: str = composition()["configs"][config]["content"]
    for name, value in values.items():
        text = text.replace(f"${{{name}}}", value)
    return text.replace("$$", "$")


def adapted(folder: Path, webs: Sequence[str], plain: int, tls: int) -> str:
    """The shipped configuration with what a test has to change: addresses, ports, the place of the certificate and of files.

    Debian's nginx is older than `resolve` (1.27.3): the replicas are named one by one instead.
    """
    changes = {
        "resolver 127.0.0.11 valid=1s ipv6=off;": "",
        "server web:8000 resolve max_fails=0;": "\n".join(f"server {web} max_fails=0;" for web in webs),
        "listen 80;": f"listen 127.0.0.1:{plain};",
        "listen 443 ssl;": f"listen 127.0.0.1:{tls} ssl;",
        "/dev/stderr": f"{folder}/error.log",
        "/etc/nginx/tls/": f"{folder}/",
        "pid /tmp/nginx.pid;": f"pid {folder}/nginx.pid; daemon off;",
        "http {": "http {\n"
        + "".join(f"  {kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")),
    }
    text = shipped("nginx", PUBLIC_URL=f"https://127.0.0.1:{tls}")
    for old, new in changes.items():
        assert text.count(old) >= 1, f"compose.yaml does not hold {old!r} any more"
        text = text.replace(old, new)
    return text


@contextmanager
def proxy(folder: Path, tls: int, *webs: str) -> Iterator[int]:
    """nginx in front of `webs` (addresses) on the port `tls`; gives the port that answers plain HTTP."""
    assert NGINX
    folder.mkdir(exist_ok=True)
    certificate(folder)
    plain = free_port()
    (folder / "nginx.conf").write_text(
        adapted(folder, [web.removeprefix("http://").replace("localhost", "127.0.0.1") for web in webs], plain, tls)
    )
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
    """A certificate for 127.0.0.1 that lasts a day, and its key."""
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
    """How many of a service compose.yaml starts."""
    found: int = composition()["services"][service].get("deploy", {}).get("replicas", 1)
    return found


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
