"""A team's web: several replicas over one database, behind the nginx of compose.yaml."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import requests

from tests.launch import proxy
from tests.launch.command import OUR_KEYS, ROOT, environment, free_port, prepared

NOWHERE = "http://127.0.0.1:9"
KEYS = {"SECRET_KEY": "k" * 50, "VAULT_KEYS": "A" * 43 + "="}
GUNICORN = [sys.executable, "-m", "gunicorn", "-c", "python:dashboard.launch.gunicorn_config"]


@dataclass
class Replica:
    """One web server on a port of its own, running the code at `root`."""

    settings: dict[str, str]
    port: int = field(default_factory=free_port)
    root: Path = ROOT
    process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        self.process = subprocess.Popen(
            [*GUNICORN, "--bind", f"127.0.0.1:{self.port}"], cwd=self.root, env=self.settings, start_new_session=True
        )
        deadline = time.monotonic() + 60
        while not self._is_ready():
            assert time.monotonic() < deadline
            assert self.process.poll() is None
            time.sleep(0.1)

    def kill(self) -> None:
        """Kill all of its processes at once, as if its machine failed."""
        assert self.process
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        """Stop it as `docker stop` does."""
        assert self.process
        self.process.terminate()
        self.process.wait(40)

    def end(self) -> None:
        if self.process and self.process.poll() is None:
            self.kill()

    def _is_ready(self) -> bool:
        try:
            return requests.get(f"{self.address}/readyz", timeout=10).status_code == 200
        except requests.ConnectionError:
            return False


@dataclass
class Team:
    """The address of the team's web, and the replicas behind it."""

    address: str
    certificate: str
    replicas: list[Replica]
    folder: Path
    settings: dict[str, str]

    def session(self) -> requests.Session:
        made = requests.Session()
        made.trust_env, made.verify = False, self.certificate
        return made

    def manage(self, *words: str) -> str:
        """Return what a command of ours prints, run with the team's settings."""
        done = subprocess.run(
            [sys.executable, "manage.py", *words], cwd=ROOT, env=self.settings, capture_output=True, text=True, check=True
        )
        return done.stdout


@contextmanager
def team(folder: Path, **settings: str) -> Iterator[Team]:
    tls = free_port()
    address = f"https://127.0.0.1:{tls}"
    given = {"PUBLIC_URL": address, "TRUSTED_PROXIES": "1", "MANAGEMENT_URL": NOWHERE, "DATA_DIR": str(folder / "data")}
    environ = environment({**OUR_KEYS, **given, **settings})
    (folder / "data").mkdir()
    if "DATABASE_URL" not in settings:
        shutil.copy(prepared() / "pilothouse.sqlite3", folder / "data")
    replicas = [Replica(environ) for _ in range(2)]
    made = Team(address, str(folder / "nginx" / "fullchain.pem"), replicas, folder, environ)
    made.manage("prepare")
    with ExitStack() as stack:
        for replica in replicas:
            stack.callback(replica.end)
            replica.start()
        stack.enter_context(proxy.proxy(folder / "nginx", tls, *(replica.address for replica in replicas)))
        yield made


class Visits:
    """Requests of several people at once, in threads. Counts the results."""

    def __init__(self, team: Team, visit: Callable[[requests.Session], int], *, people: int = 8) -> None:
        self.outcomes: Counter[int | str] = Counter()
        self._visit = visit
        self._stopped = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(team.session(),)) for _ in range(people)]

    def __enter__(self) -> "Visits":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        for thread in self._threads:
            thread.join(60)

    def wait_for(self, number: int, seconds: float = 240) -> None:
        """Wait until this many more were answered."""
        wanted = self.outcomes.total() + number
        deadline = time.monotonic() + seconds
        while self.outcomes.total() < wanted:
            assert time.monotonic() < deadline, self.outcomes
            time.sleep(0.02)

    def _run(self, session: requests.Session) -> None:
        with session:
            # People look at a page before they open the next one.
            while not self._stopped.wait(0.02):
                try:
                    outcome: int | str = self._visit(session)
                except requests.RequestException as error:
                    outcome = type(error).__name__
                self.outcomes[outcome] += 1
