"""`python -m tests.bench.searching ROUNDS`, run by the bench `search` in an environment of its own: crawls and searches.

Reads the storage token from standard input and prints what it measured as JSON.
"""

import json
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import django

SEARCHES = [
    ("", "name"),
    ("", "size"),
    ("", "created"),
    ("invoice", "name"),
    ("invoice", "changed"),
    ("00321", "name"),
    ("nowhere", "type"),
    ("ext:pdf size:>10mb", "size"),
    ("older:90d type:image/", "changed"),
    ("name:scan newer:900d", "path"),
    ("path:2003-003/", "name"),
    ("draft ext:jpg,png size:1mb..20mb older:30d type:image/", "created"),
]
TIMES = 20


def main() -> None:
    django.setup()
    from django.conf import settings
    from django.core.management import call_command

    from dashboard.catalog import queries
    from dashboard.catalog.crawl import begin
    from dashboard.catalog.query import Filter
    from dashboard.interfaces import StorageInterface, Token
    from dashboard.team.models import Person
    from dashboard.tokens.credentials import store
    from dashboard.tokens.models import Kind
    from dashboard.tokens.workspace import Workspace
    from tests.bench.search import BUCKET, OBJECTS
    from tests.worker import run_once

    token, rounds = sys.stdin.read().strip(), int(sys.argv[1])
    call_command("migrate", verbosity=0)
    person = Person.objects.create(email="bench@example.org")
    store(person, Kind.STORAGE, "shared", token)
    workspace = Workspace(person)
    place = (workspace, "shared", BUCKET)
    storage = StorageInterface(settings.STORAGE_URL, Token(token))

    def bare() -> None:
        """List every folder, eight calls in parallel, without keeping anything."""
        paths = [entry.name for entry in storage.objects.all(BUCKET, limit=1000)]
        with ThreadPoolExecutor(8) as pool:
            assert sum(pool.map(held, paths)) == OBJECTS

    def held(path: str) -> int:
        found = 0
        while rows := len(storage.objects.all(BUCKET, prefix=path, limit=1000, offset=found)):
            found += rows
            if rows < 1000:
                break
        return found

    def crawl() -> None:
        job = begin(*place).job
        while job.is_alive:
            run_once(job.pk)
            job.refresh_from_db()
        state = queries.state(*place)
        assert state
        assert state.objects == OBJECTS

    listings, crawls = [], []
    for _ in range(rounds):
        listings.append(_timed(bare))
        crawls.append(_timed(crawl))
    searches: list[tuple[str, str, int, list[float]]] = []
    for text, sort in SEARCHES:
        taken, total = [], 0
        for _ in range(TIMES):
            begun = time.monotonic()
            found = queries.search(*place, Filter.parse(text), sort=sort, offset=0, limit=100)
            taken.append(time.monotonic() - begun)
            total = found.total if found else 0
        searches.append((text or "everything", sort, total, taken))
    json.dump({"bare": listings, "crawls": crawls, "searches": searches}, sys.stdout)


def _timed(call: Callable[[], None]) -> tuple[float, float]:
    begun, cpu = time.monotonic(), time.process_time()
    call()
    return time.monotonic() - begun, time.process_time() - cpu


if __name__ == "__main__":
    main()
