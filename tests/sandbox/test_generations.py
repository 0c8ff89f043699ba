"""The management interface of a service as old as the document, where today's contract differs."""

from collections.abc import Iterator

import pytest

from tests.conftest import start_sandbox, stop_sandbox
from tests.environment import RUN_DIR
from tests.sandbox.conftest import CAMPAIGN, NEWSLETTER, ROUTES, TRACKING, UPLOADS, Caller


@pytest.fixture(scope="module")
def older() -> Iterator[Caller]:
    running = start_sandbox(RUN_DIR / "older-management", "--generation", "document")
    yield Caller(running, running.personal_token)
    stop_sandbox(running)


def test_a_project_that_is_not_up_has_no_database(older: Caller) -> None:
    projects = {project["id"]: project for project in older("GET", "/v1/projects").json()}
    assert {"host", "version"} <= set(projects[TRACKING]["database"])
    assert not any("database" in projects[ref] for ref in (ROUTES, NEWSLETTER, CAMPAIGN))


def test_a_hostname_that_is_not_set_up_is_a_status(older: Caller) -> None:
    for ref in (UPLOADS, older.new_project()):
        answer = older.project("GET", ref, "/custom-hostname")
        assert (answer.status_code, answer.json()) == (200, {"status": "1_not_started", "custom_hostname": "", "data": {}})


def test_validation_records_are_missing_while_the_certificate_is_initializing(older: Caller) -> None:
    made = older.project("POST", older.new_project(), "/custom-hostname/initialize", json={"custom_hostname": "api.old.example"})
    assert made.json()["data"]["result"]["ssl"] == {"status": "initializing"}
