"""Moves and deletions as jobs, compared with a bare client with as many connections on the same sandbox and objects."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from dashboard.interfaces import StorageInterface, Token
from tests.bench.rig import store_tokens
from tests.bench.table import say, show
from tests.launch.command import ROOT, Started, starting
from tests.sandbox.storage.many import key_of, seed
from tests.sandboxes import Sandbox, start_sandbox, stop_sandbox

COUNT = 2000
# As many as a move has (tasks/transfer.py).
CONNECTIONS = 8
BUCKET = "bench jobs"


@dataclass(frozen=True, slots=True)
class Place:
    """A running Pilothouse with a worker, its service, and a bucket there."""

    sandbox: Sandbox
    data: Path
    started: Started
    settings: dict[str, str]
    space: str
    storage: StorageInterface

    def work(self, verb: str, source: str = "", to: str = "") -> dict[str, float]:
        """Run a job to its last check. Return the seconds of its plan, and of the rest."""
        told = {"verb": verb, "space": self.space, "bucket": BUCKET, "source": source, "to": to}
        keys = {
            "SECRET_KEY_FILE": str(self.started.data / "secret_key"),
            "VAULT_KEYS_FILE": str(self.started.data / "vault_keys"),
        }
        environ = {
            "PATH": os.environ["PATH"],
            "DATA_DIR": str(self.started.data),
            "DJANGO_SETTINGS_MODULE": "dashboard.settings",
            **self.settings,
            **keys,
        }
        command = [sys.executable, "-m", "tests.bench.work"]
        done = subprocess.run(
            command, cwd=ROOT, env=environ, input=json.dumps(told), text=True, check=True, stdout=subprocess.PIPE
        )
        seconds: dict[str, float] = json.loads(done.stdout)
        return seconds


def run(*, rounds: int) -> None:
    with place() as here:
        moves, deletions = [], []
        for _ in range(rounds):
            seed(here.data, here.space, BUCKET, COUNT)
            bare = _bare_moves(here)
            moves.append((bare, here.work("move", "there/in/", "again/")))
            bare = _bare_deletions(here, "again/")
            seed(here.data, here.space, BUCKET, COUNT)
            deletions.append((bare, here.work("delete", "in/")))
        show(
            f"{COUNT:,} objects, {CONNECTIONS} connections, medians of {rounds} alternating rounds",
            ["work", "bare objects/s", "job objects/s", "of bare", "with its plan", "plan s"],
            [_row("move (S11 each)", moves), _row("delete (S8, 1,000 a call)", deletions)],
        )
        for name, all_rounds in (("move", moves), ("delete", deletions)):
            said = "; ".join(f"bare {bare:.1f} s, plan {job['plan']:.1f} s, rest {job['rest']:.1f} s" for bare, job in all_rounds)
            say(f"{name}: {said}")


def _row(name: str, rounds: list[tuple[float, dict[str, float]]]) -> list[str]:
    """`of bare` compares the run and its check with the bare calls; `with its plan` the whole job."""
    bare = median(seconds for seconds, _ in rounds)
    rest = median(job["rest"] for _, job in rounds)
    plan = median(job["plan"] for _, job in rounds)
    return [
        name,
        f"{COUNT / bare:.0f}",
        f"{COUNT / rest:.0f}",
        f"{median(seconds / job['rest'] for seconds, job in rounds):.2f}",
        f"{median(seconds / (job['rest'] + job['plan']) for seconds, job in rounds):.2f}",
        f"{plan:.1f}",
    ]


def _bare_moves(here: Place) -> float:
    keys = [key_of(number) for number in range(COUNT)]
    begun = time.monotonic()
    with ThreadPoolExecutor(CONNECTIONS) as threads:
        list(threads.map(lambda key: here.storage.objects.move(BUCKET, key, f"there/{key}"), keys))
    return time.monotonic() - begun


def _bare_deletions(here: Place, folder: str) -> float:
    keys = [folder + key_of(number) for number in range(COUNT)]
    begun = time.monotonic()
    for at in range(0, COUNT, 1000):
        here.storage.objects.delete_many(BUCKET, keys[at : at + 1000])
    return time.monotonic() - begun


@contextmanager
def place() -> Iterator[Place]:
    with TemporaryDirectory(prefix="pilothouse-bench-") as name:
        folder = Path(name)
        sandbox = start_sandbox(folder / "sandbox")
        try:
            space, keys = next((ref, keys) for ref, keys in sandbox.storage_tokens.items() if keys)
            settings = {
                "STORAGE_URL": sandbox.storage_url,
                "MANAGEMENT_URL": sandbox.management_url,
                "SNAPSHOT_URL": (folder / "store").as_uri(),
            }
            with starting(folder / "data", **settings) as started:
                started.wait_until_ready()
                tokens = [("management", "", sandbox.personal_token), ("storage", space, keys["service"])]
                store_tokens(started, tokens, settings)
                storage = StorageInterface(sandbox.storage(space), Token(keys["service"]))
                storage.buckets.create(BUCKET)
                yield Place(sandbox, folder / "sandbox", started, settings, space, storage)
        finally:
            stop_sandbox(sandbox)
