"""Fixtures for every test: the environment, one sandbox for the run, people with stored tokens."""

import shutil
from collections.abc import Iterator
from concurrent.futures import wait
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.db import connection
from django.http import HttpRequest, HttpResponseBase
from django.test.client import ClientHandler
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from pytest_django import Settings

from tests.browser.chromium import (
    browser,
    browser_type_launch_args,
    chromium,
    pytest_collection_modifyitems,
    pytest_runtest_makereport,
)
from tests.environment import RUN_DIR, once_a_run
from tests.features.service import as_keeper, calls, faults, later, overtaken
from tests.launch.command import prepared
from tests.people import (
    ada,
    as_ada,
    as_owner,
    mails_are_delivered,
    management_token,
    owner,
    ref,
    service,
    storage,
    storage_token,
    visitor,
)
from tests.sandboxes import Sandbox, Seed, seeds, start_sandbox, stop_sandbox

__all__ = [
    "Sandbox",
    "ada",
    "as_ada",
    "as_keeper",
    "as_owner",
    "browser",
    "browser_type_launch_args",
    "calls",
    "chromium",
    "faults",
    "later",
    "mails_are_delivered",
    "management_token",
    "overtaken",
    "owner",
    "pytest_collection_modifyitems",
    "pytest_runtest_makereport",
    "ref",
    "service",
    "start_sandbox",
    "stop_sandbox",
    "storage",
    "storage_token",
    "visitor",
]


def pytest_configure() -> None:
    django_settings.PASSWORD_HASHERS = ["tests.hashing.CheapScrypt"]
    # How long examples take depends on the machine, and fixtures are shared by them on purpose.
    not_asked = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
    hypothesis_settings.register_profile("any machine", deadline=None, suppress_health_check=not_asked)
    hypothesis_settings.load_profile("any machine")


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> None:
    """Use a database that other processes can open: SQLite's test database would be in memory. Tables are made once per run."""
    if connection.vendor == "sqlite":
        connection.settings_dict["TEST"]["NAME"] = str(RUN_DIR / "tests.sqlite3")
        shutil.copy(prepared() / "pilothouse.sqlite3", RUN_DIR / "tests.sqlite3")


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """Whether the tables exist already."""
    return connection.vendor == "sqlite"


@pytest.fixture(autouse=True)
def plain_static_files(settings: Settings) -> None:
    """Collect nothing in tests: addresses of static files stay as written."""
    settings.STORAGES = {**settings.STORAGES, "staticfiles": {"BACKEND": "tests.staticfiles.Uncollected"}}


@pytest.fixture(scope="session")
def collected() -> Path:
    """The static files as browsers get them, collected once per run."""
    return once_a_run("collected", _collect)


def _collect(folder: Path) -> None:
    from django.core.management import call_command
    from django.test import override_settings

    from dashboard.launch.prepare import UNUSED

    storages = {**django_settings.STORAGES, "staticfiles": {"BACKEND": "dashboard.web.assets.bundles.StaticFiles"}}
    with override_settings(STATIC_ROOT=folder, STORAGES=storages, WHITENOISE_KEEP_ONLY_HASHED_FILES=False):
        call_command("collectstatic", interactive=False, verbosity=0, ignore_patterns=UNUSED)


@pytest.fixture
def served_static_files(settings: Settings, collected: Path) -> None:
    """Serve collected files from a live server, under the names in the templates."""
    settings.STATICFILES_DIRS = [collected]


@pytest.fixture(autouse=True)
def streams_are_closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Close what a test leaves unread: a stream holds a slot and a connection, which a later test would find open."""
    answers: list[HttpResponseBase] = []
    original = ClientHandler.get_response

    def noted(self: ClientHandler, request: HttpRequest) -> HttpResponseBase:
        answers.append(original(self, request))
        return answers[-1]

    monkeypatch.setattr(ClientHandler, "get_response", noted)
    yield
    for answer in answers:
        if answer.streaming and not answer.closed:
            for close in vars(answer)["_resource_closers"]:
                close()


@pytest.fixture(autouse=True)
def projects_have_no_known_titles() -> None:
    """Forget project names, so that one test's service doesn't affect the next test."""
    from dashboard.tokens import late, names

    wait([token.answer for token in names._tokens.values() if token.answer], timeout=30)
    late._left.clear()
    names.forget()


@pytest.fixture(autouse=True)
def everything_is_as_planted() -> None:
    """Undo what earlier tests did to projects, secrets, functions, hostnames, bans and restrictions."""
    for seed in seeds:
        seed.restore()


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    """One seeded sandbox for the whole run. Tests use buckets of their own; all else is as planted when a test begins."""
    running = start_sandbox(RUN_DIR / "sandbox")
    seeds.append(Seed(RUN_DIR / "sandbox"))
    yield running
    seeds.pop().close()
    stop_sandbox(running)
