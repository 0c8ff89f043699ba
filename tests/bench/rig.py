"""The three ways to the same sink: straight, through nginx, through Pilothouse; each driven by curl."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

import jwt

from tests.bench.sink import Nginx, Sink, nginx, sink
from tests.launch.command import ROOT, Started, starting
from tests.launch.visitor import Visitor
from tests.sandboxes import Sandbox, start_sandbox, stop_sandbox

GIBIBYTE = 1 << 30
BUCKET = "bench"


@dataclass(frozen=True, slots=True)
class Rig:
    """A running Pilothouse (storage only), signed in, and the ways it is compared with."""

    sink: Sink
    nginx: Nginx | None
    started: Started
    cookie: str
    csrf: str
    folder: Path

    def web(self) -> list[int]:
        """Every process of the web server."""
        return [pid for pid, command in self.started.children().items() if "gunicorn_config" in command]

    def page(self) -> str:
        return f"{self.started.address}/storage/shared/{BUCKET}/"

    def upload_address(self, key: str) -> str:
        return f"{self.page()}~upload/?{urlencode({'key': key, 'policy': 'replace'})}"

    def put(self, path: Path, key: str) -> float:
        """Return the seconds for one upload by curl, which would add the file's name to an address that ends in a slash."""
        address = self.upload_address(key)
        target = address.removeprefix(self.started.address)
        return curl("-T", str(path), *flags(self.upload_headers()), "--request-target", target, address)

    def upload_headers(self) -> list[str]:
        return [f"Cookie: {self.cookie}", f"X-CSRFToken: {self.csrf}", "Content-Type: application/octet-stream"]

    def file(self, size: int) -> Path:
        """Return a file of zeros that takes no disk space, already read, so that every way finds it in memory."""
        path = self.folder / f"{size}.bin"
        if not path.exists():
            with path.open("wb") as target:
                target.truncate(size)
            with path.open("rb") as source:
                while source.read(1 << 24):
                    pass
        return path


@contextmanager
def rig(**settings: str) -> Iterator[Rig]:
    """Everything running in a temporary folder."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="pilothouse-bench-")))
        service = stack.enter_context(sink(folder))
        plain = stack.enter_context(nginx(folder, service.port))
        settings = {"STORAGE_URL": service.address, "STORAGE_PUBLIC_URL": "none", **settings}
        started = stack.enter_context(starting(folder / "data", **settings)).wait_until_ready()
        token = jwt.encode({"iss": "bench", "role": "service_role"}, "bench-" * 8, algorithm="HS256")
        store_tokens(started, [("storage", "shared", token)], settings)
        visitor = stack.enter_context(Visitor(started.address))
        assert started.link
        visitor.enter_by(started.link)
        answer = visitor.get(f"/storage/shared/{BUCKET}/")
        assert answer.status_code == 200, f"the bucket's page answers {answer.status_code}"
        cookies = visitor.session.cookies.get_dict()
        cookie = "; ".join(f"{name}={value}" for name, value in cookies.items())
        yield Rig(service, plain, started, cookie, cookies["pilothouse_csrf"], folder)


@contextmanager
def over_sandbox(
    fill: Callable[[Sandbox, Path], object], *options: str, project: str = ""
) -> Iterator[tuple[Sandbox, Started, Visitor, dict[str, str]]]:
    """Run Pilothouse over a sandbox, and yield both, who is signed in with its tokens, and the settings.

    `fill` gets the sandbox and its folder; `project` is the one whose storage is stored.
    """
    with TemporaryDirectory(prefix="pilothouse-bench-") as folder:
        sandbox = start_sandbox(Path(folder) / "sandbox", *options)
        settings = {"MANAGEMENT_URL": sandbox.management_url, "STORAGE_URL": sandbox.storage_url, "DNS_RESOLVERS": sandbox.dns}
        tokens = [("management", "", sandbox.personal_token)]
        tokens += [("storage", project, sandbox.storage_tokens[project]["service"])] if project else []
        try:
            with starting(Path(folder) / "data", **settings) as started:
                started.wait_until_ready()
                store_tokens(started, tokens, settings)
                fill(sandbox, Path(folder) / "sandbox")
                with Visitor(started.address) as visitor:
                    assert started.link
                    visitor.enter_by(started.link)
                    yield sandbox, started, visitor, settings
        finally:
            stop_sandbox(sandbox)


def curl(*arguments: str) -> float:
    """Return the seconds of one transfer. Fails on any status but 200."""
    done = subprocess.run(
        ["curl", "-sS", "-o", os.devnull, "-w", "%{http_code} %{time_total}", "-H", "Expect:", *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    status, seconds = done.stdout.split()
    if status != "200":
        raise RuntimeError(f"curl was answered {status}")
    return float(seconds)


def flags(headers: list[str]) -> list[str]:
    return [part for header in headers for part in ("-H", header)]


def store_tokens(started: Started, tokens: list[tuple[str, str, str]], settings: dict[str, str]) -> None:
    """Store tokens for the first owner: kind, space and token of each."""
    _settle(started, settings, {"tokens": tokens})


def make_links(started: Started, settings: dict[str, str], *, place: tuple[str, str, str], landing: list[bool]) -> list[str]:
    """Return the codes of the first owner's share links to one object or folder (space, bucket, key), with or without a page."""
    return _settle(started, settings, {"links": [[*place, first] for first in landing]}).split()


def ask_for_files(started: Started, settings: dict[str, str], *, place: tuple[str, str, str]) -> str:
    """Return the code of a file request of the first owner for a folder (space, bucket, folder)."""
    return _settle(started, settings, {"requests": [place]}).strip()


def give_access(started: Started, grants: list[tuple[object, ...]], settings: dict[str, str]) -> None:
    """Give access from the first owner: e-mail, kind, place, acts, sections and folders of each grant."""
    _settle(started, settings, {"grants": grants})


def _settle(started: Started, settings: dict[str, str], asked: dict[str, object]) -> str:
    keys = {"SECRET_KEY_FILE": str(started.data / "secret_key"), "VAULT_KEYS_FILE": str(started.data / "vault_keys")}
    environ = {
        "PATH": os.environ["PATH"],
        "DATA_DIR": str(started.data),
        "DJANGO_SETTINGS_MODULE": "dashboard.settings",
        **settings,
        **keys,
    }
    command = [sys.executable, "-m", "tests.bench.settle"]
    return subprocess.run(
        command, cwd=ROOT, env=environ, input=json.dumps(asked), stdout=subprocess.PIPE, text=True, check=True
    ).stdout
