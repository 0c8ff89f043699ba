"""A separate sandbox (these tests set faults and change DNS), and plain requests to it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import requests

from tests.conftest import Sandbox, start_sandbox, stop_sandbox
from tests.environment import RUN_DIR

TRACKING, STAGING, SIGNAGE, ROUTES = (
    "ktmvqhzwrbnxpgaydcle",
    "pwgxlsnvjtaeoqkdhbfm",
    "hbzoeyrqmcuwfkdlnavs",
    "qnlfwrtaxvjbkmcysdge",
)
PORTFOLIO, UPLOADS, NEWSLETTER = "vcyhgqxtmdzlopkenrbw", "mzdbtfkwulqoyxrhnegc", "aojxnkwqhevtdzprmlcs"
LAB, CAMPAIGN = "xreugplnbwsqhdvfyakt", "dgskpyubwtvoqzlmhrfn"


@dataclass(frozen=True)
class Caller:
    """Sends requests with one person's token to one sandbox."""

    sandbox: Sandbox
    token: str

    def __call__(self, method: str, path: str, **more: Any) -> requests.Response:
        headers = {"Authorization": f"Bearer {self.token}"} | more.pop("headers", {})
        return requests.request(method, self.sandbox.management_url + path, headers=headers, timeout=10, **more)

    def project(self, method: str, ref: str, path: str, **more: Any) -> requests.Response:
        return self(method, f"/v1/projects/{ref}{path}", **more)

    def new_project(self, name: str = "try-out") -> str:
        body = {"name": name, "organization_id": "quiet-harbour-heron", "db_pass": "demo", "region": "eu-west-1", "plan": "free"}
        return str(self("POST", "/v1/projects", json=body).json()["id"])


def message(response: requests.Response) -> tuple[int, str]:
    assert list(response.json()) == ["message"]
    return response.status_code, response.json()["message"]


@pytest.fixture(scope="session")
def neighbour() -> Iterator[Sandbox]:
    running = start_sandbox(RUN_DIR / "neighbour")
    yield running
    stop_sandbox(running)


@pytest.fixture
def owner(neighbour: Sandbox) -> Iterator[Caller]:
    caller = Caller(neighbour, neighbour.personal_token)
    yield caller
    caller("DELETE", "/_faults")


@pytest.fixture
def reader(owner: Caller) -> Caller:
    """A person who may only read, and only the first organization."""
    people = owner("GET", "/_keys").json()["people"]
    return Caller(owner.sandbox, next(one["personal_token"] for one in people if one["role"] == "read_only"))
