"""Whatever the service does, the pages of a project and of a bucket keep what surrounds them.

The pages come from the table of addresses: a new one is included automatically.
"""

import re
from collections.abc import Iterator

import pytest
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from dashboard.catalog.selection import Selection
from dashboard.jobs.models import Job
from dashboard.labels.services import ProjectLabel, set_label
from dashboard.team.models import Person
from dashboard.tokens.models import StoredToken
from tests.features.service import Faults
from tests.features.test_calls import REF
from tests.features.test_leaks import TYPED
from tests.pages import PageClient
from tests.people import hold
from tests.sandboxes import Sandbox

pytestmark = pytest.mark.one_database

VALUES = {"ref": REF, "space": REF, "bucket": "handbook", "slug": "print-label"}
QUERY = {"key": "welcome/first-week.md", "name": "SMTP_HOST", "address": "203.0.113.7", "wait": "1", "folder": "welcome/"}
FAULTS: dict[str, dict[str, object]] = {
    "refused": {"status": 403},
    "failed": {"status": 500},
    "the page of a proxy": {"html": True},
    "cut": {"cut": "before"},
    "too many requests": {"status": 429, "retry_after": 30},
}


def pages() -> Iterator[str]:
    """Every address of a project or a storage whose parameters are known here."""
    yield from _walk(get_resolver().url_patterns, "/")


def _walk(patterns: list[URLPattern | URLResolver], before: str) -> Iterator[str]:
    for pattern in patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _walk(pattern.url_patterns, route)
        elif re.match(r"/(projects/<ref>|storage/<space>)/", route):
            path = re.sub(r"<(?:\w+:)?(\w+)>", lambda found: VALUES.get(found[1], "<>"), route)
            if "<>" not in path:
                yield path


@pytest.fixture
def name(as_keeper: PageClient, owner: Person, service: Sandbox) -> str:
    """The project is known by its name, and called production."""
    hold(owner, service.storage_tokens[REF]["service"], REF)
    set_label(owner, REF, ProjectLabel(name="Shop", colour="red", production=True), project="Tracking")
    text = as_keeper.get("/?list=now").text
    found = re.search(rf'href="/projects/{REF}/"[^>]*>(?:<[^>]*>)*([^<]+)<', text)
    assert found
    return found[1]


def lost(text: str, name: str) -> list[str]:
    """What is missing around a page."""
    crumbs = text.split('aria-label="Breadcrumbs"')[1].split("</nav>", maxsplit=1)[0]
    rail = text.split('<nav class="rail"')[1].split("</nav>", maxsplit=1)[0]
    top = text.split('<header class="top"')[1].split("</header>", maxsplit=1)[0]
    kept = {
        "name": name in crumbs,
        "title": bool({name, "handbook"} & set(text.split("<title>")[1].split("</title>", maxsplit=1)[0].split(" · "))),
        "sections": f'href="/projects/{REF}/secrets/"' in rail,
        "switch": name in rail.split("<ul", maxsplit=1)[0],
        "production mark": all('data-colour="red"' in part and "Production" in part for part in (top, rail)),
    }
    return [what for what, is_there in kept.items() if not is_there]


@pytest.mark.exhaustive
@pytest.mark.parametrize("fault", FAULTS)
def test_every_failing_page_keeps_name_sections_breadcrumb_and_production_mark(
    as_keeper: PageClient, faults: Faults, name: str, fault: str
) -> None:
    faults("*", **FAULTS[fault])
    failed, missing = 0, []
    for path in pages():
        answer = as_keeper.get(path, QUERY)
        if answer.status_code != 405 and "<html" in getattr(answer, "text", ""):
            failed += "X-Problem" in answer
            missing += [f"{path} ({answer.status_code}): {what}" for what in lost(answer.text, name)]
    assert not missing, "\n".join(missing)
    assert failed > 20


@pytest.mark.exhaustive
@pytest.mark.parametrize("fault", FAULTS)
def test_every_failing_act_keeps_the_frame_and_offers_the_next_step(
    as_keeper: PageClient, faults: Faults, name: str, fault: str
) -> None:
    faults("*", **FAULTS[fault])
    failed, missing = 0, []
    for path in pages():
        answer = as_keeper.post(path, {**QUERY, **TYPED})
        if "X-Problem" not in answer or "<html" not in answer.text:
            continue
        failed += 1
        missing += [f"{path} ({answer.status_code}): {what}" for what in lost(answer.text, name)]
        main = answer.text.split("<main")[1]
        step = re.search(r'class="problem__step">\s*<a', main)
        if "<form" not in main and not step:
            missing.append(f"{path}: neither a form nor a next step")
    assert not missing, "\n".join(missing)
    assert failed > 5


def test_the_page_that_asks_for_the_password_names_the_project(as_keeper: PageClient, owner: Person, name: str) -> None:
    asked = as_keeper.get(reverse("encryption:replacement", args=[REF]))
    assert (asked.status_code, asked["Location"].split("?")[0]) == (302, reverse("account_reauthenticate"))
    answer = as_keeper.get(asked["Location"])
    assert not {"name", "sections", "switch"} & {*lost(answer.text, name)}


def test_the_pages_of_jobs_name_the_project_and_the_bucket(as_keeper: PageClient, owner: Person, name: str) -> None:
    chosen = {"selection": Selection(REF, "handbook", keys=("a.txt",)).as_parameters()}
    job = Job.objects.create(owner=owner, kind="delete objects", title="Delete 1 object", place=REF, parameters=chosen)
    assert name in as_keeper.get("/jobs/").text
    facts = as_keeper.get(f"/jobs/{job.pk}/").text.split('<dl class="facts">')[1]
    assert name in facts
    assert "handbook" in facts


def test_a_missing_token_is_asked_for_by_the_name_of_the_project(as_keeper: PageClient, owner: Person, name: str) -> None:
    StoredToken.objects.filter(person=owner, space=REF).delete()
    answer = as_keeper.get(f"/storage/{REF}/")
    assert f"No storage token for {name} yet" in answer.text
    assert REF not in answer.text.split("<h1")[1].split("</h1>")[0]
    assert lost(answer.text, name) == []
