"""While the service hangs, each page is drawn from what its token last read, and replaced when the answer comes."""

import pytest
from pytest_django import Settings

from dashboard.team.models import Person
from tests.features.service import Calls, Faults
from tests.features.test_calls import PAGES, PROJECTS, REF
from tests.markup import parse
from tests.pages import PageClient
from tests.people import hold
from tests.plugins.exhaustive import Part, in_parts
from tests.sandboxes import Sandbox
from tests.tokens.test_late import again

pytestmark = pytest.mark.one_database

# These read the projects themselves.
OF_PROJECTS = {"{project}label/", "/account/setup/"}
# Pages that need nothing of the service, or whose project's name alone, which is known.
SHOWN_AT_ONCE = {
    "{project}types/?schemas=public&wait=1",
    "{project}hostname/instructions/",
    *(address for address, expected in PAGES.items() if {*expected} <= {PROJECTS} and address not in OF_PROJECTS),
}
# What is never drawn from last known data: the root key, bodies and files; so the details of a file, which show its content, too.
# A bucket that isn't empty is counted by the page to which its deletion leads.
# And the folders to move to: what is chosen there is acted on, so it has to be read now. The dialog around them is there.
WAITED_FOR = {
    "{project}encryption/",
    "{project}functions/print-label/sources/",
    "{project}secrets/names/",
    "{storage}~delete/handbook/",
    "{storage}handbook/~download/archive/?folder=welcome/",
    "{storage}handbook/~details/public/?key=welcome/first-week.md",
    "{storage}handbook/~bulk/places/?to_bucket=handbook",
}


@pytest.fixture
def keeper(as_keeper: PageClient, owner: Person, service: Sandbox) -> PageClient:
    hold(owner, service.storage_tokens[REF]["service"], REF)
    return as_keeper


@in_parts
def test_every_page_of_a_service_that_hangs_shows_what_is_known_until_it_answers(
    keeper: PageClient, faults: Faults, calls: Calls, settings: Settings, part: Part
) -> None:
    found: list[str] = []
    for address in part.of(address for address in PAGES if address not in SHOWN_AT_ONCE | WAITED_FOR):
        path = address.format(project=f"/projects/{REF}/", storage=f"/storage/{REF}/")
        settings.PAGE_PATIENCE_MS = 60_000
        keeper.get(path)
        settings.PAGE_PATIENCE_MS = 20
        faults("*", delay=1)
        calls()
        page = keeper.get(path)
        if page.get("X-Problem") != "Slow":
            found.append(f"{address}: {page.get('X-Problem')}")
            continue
        main = next(iter(parse(page.text).root.all("main")))
        tokens = {field.get("value") for field in main.all("input") if field.get("name") == "csrfmiddlewaretoken"}
        # Of uploads, which a script sends.
        tokens |= {element.get("data-csrf") for element in main if element.has("data-csrf")}
        if tokens - {"remembered"}:
            found.append(f"{address}: a form that the server would accept")
        answer = again(keeper, page)
        asked = [call for call in calls() if call not in (PROJECTS, "POST /_faults")]
        faults("*", delay=0)
        if "X-Problem" in answer or "data-remembered" in answer.text:
            found.append(f"{address}: not replaced: {answer.get('X-Problem')}")
        if sorted(asked) != sorted(call for call in PAGES[address] if call != PROJECTS):
            found.append(f"{address}: asked for {asked}")
    assert not found, "\n".join(found)
