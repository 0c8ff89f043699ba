"""Uploads of one key at the same time: refused but for one, or, with the switch, as today's service does it."""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests

from tests.environment import RUN_DIR
from tests.sandbox.storage.asking import Space
from tests.sandboxes import RACE

# What the sandbox reads at once: after it an upload is known to have been admitted.
BLOCK = 1 << 20
BODIES = tuple(letter * (BLOCK + 50) for letter in (b"a", b"b", b"c"))


def switch(space: Space, *, on: bool) -> None:
    headers = {"Authorization": f"Bearer {space.sandbox.personal_token}"}
    requests.post(f"{space.sandbox.management_url}/_race", json={"on": on}, headers=headers, timeout=10).raise_for_status()


@pytest.fixture(params=[False, True])
def race(request: pytest.FixtureRequest, space: Space) -> Iterator[bool]:
    switch(space, on=request.param)
    yield request.param
    switch(space, on=RACE)


def half_sent() -> int:
    """How many uploads were admitted and wait for the rest of their bytes."""
    return sum(path.stat().st_size == BLOCK for path in Path(RUN_DIR / "stockroom" / "objects" / "incoming").glob("*"))


def test_three_uploads_of_one_new_key_all_succeed_only_where_the_race_is_switched_on(
    space: Space, bucket: str, race: bool
) -> None:
    address = urlsplit(space.url)
    with ExitStack() as stack:
        connections = [HTTPConnection(str(address.hostname), address.port, timeout=30) for _ in BODIES]
        for connection, body in zip(connections, BODIES, strict=True):
            stack.callback(connection.close)
            connection.putrequest("POST", f"{address.path}/object/{bucket}/new.txt")
            connection.putheader("Authorization", f"Bearer {space.service}")
            connection.putheader("Content-Type", "text/plain")
            connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body[:BLOCK])
        deadline = time.monotonic() + 20
        while half_sent() < len(BODIES):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        statuses = []
        for connection, body in zip(connections, BODIES, strict=True):
            connection.send(body[BLOCK:])
            statuses.append(connection.getresponse().status)
    assert statuses == ([200, 200, 200] if race else [200, 400, 400])
    assert space.names(bucket) == ["new.txt"]
    assert space.call("GET", f"/object/authenticated/{bucket}/new.txt").body == (BODIES[-1] if race else BODIES[0])


def test_a_key_that_was_taken_before_is_refused_with_the_race_too(space: Space, bucket: str, race: bool) -> None:
    del race
    assert space.call("POST", f"/object/{bucket}/a.txt", data=b"1").status == 200
    assert space.call("POST", f"/object/{bucket}/a.txt", data=b"2").json()["statusCode"] == "409"
