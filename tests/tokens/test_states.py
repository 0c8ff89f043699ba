"""What pages say of a project that is paused, coming up or removed."""

import pytest
from django.urls import reverse
from msgspec import structs

from dashboard.team.models import Person
from dashboard.tokens import names
from dashboard.tokens.states import STATES, down_sentence, is_down
from tests.conftest import Sandbox
from tests.markup import parse
from tests.pages import PageClient, htmx
from tests.people import client_of, hold

PAUSED, COMING, REMOVED, UNLISTED = "qnlfwrtaxvjbkmcysdge", "aojxnkwqhevtdzprmlcs", "dgskpyubwtvoqzlmhrfn", "q" * 20
HEALTHY = "ktmvqhzwrbnxpgaydcle"
DATABASE_PAGES = ("network:bans", "network:restrictions", "encryption:index")


@pytest.fixture
def as_keeper(owner: Person, service: Sandbox) -> PageClient:
    """Somebody who has listed the projects."""
    hold(owner, service.personal_token)
    client = client_of(owner)
    client.get("/", {"wait": "1"}, headers=htmx("home-waiting"))
    return client


def main(client: PageClient, name: str, ref: str) -> str:
    """The text of a page's own part."""
    return parse(client.get(reverse(name, args=[ref])).text).root.all("main")[0].text


@pytest.mark.parametrize("name", DATABASE_PAGES)
def test_a_project_that_is_coming_up_is_the_cause_and_not_the_request(as_keeper: PageClient, name: str) -> None:
    text = main(as_keeper, name, COMING)
    assert text.count("The project is coming up") == 1
    assert "This usually takes a few minutes." in text
    for words in ("rejected", "does not accept", "not ready yet"):
        assert words not in text


@pytest.mark.parametrize("name", DATABASE_PAGES)
def test_a_paused_project_is_said_to_be_paused_once(as_keeper: PageClient, name: str) -> None:
    assert main(as_keeper, name, PAUSED).casefold().count("is paused") == 1


@pytest.mark.parametrize(("ref", "words"), [(REMOVED, "The project was removed"), (UNLISTED, "The project isn't listed")])
def test_a_project_that_is_gone_is_said_to_be_once(as_keeper: PageClient, ref: str, words: str) -> None:
    text = main(as_keeper, "secrets:index", ref)
    assert text.count(words) == 1
    for other in ("Not found", "renamed", "Go up"):
        assert other not in text
    assert "Go to Home" in text


def test_the_cards_of_a_project_that_is_coming_up_say_so(as_keeper: PageClient) -> None:
    facts = as_keeper.part(reverse("projects:facts", args=[COMING]), "project-facts").text
    assert "The project is coming up." in facts
    assert "does not accept" not in facts


@pytest.mark.parametrize("ref", [PAUSED, COMING])
def test_a_hostname_is_not_the_next_step_while_a_project_is_down(as_keeper: PageClient, ref: str) -> None:
    page = parse(as_keeper.get(reverse("hostname:index", args=[ref])).text).root
    assert not [link for link in page.all("a") if link.text.startswith("Set up")]
    assert down_sentence(STATE_OF[ref]) in page.text


def test_a_hostname_is_the_next_step_as_soon_as_the_project_is_up(as_keeper: PageClient, owner: Person) -> None:
    """What the list said up to a minute ago is read again, as "Check again" says."""
    fingerprint = owner.stored_tokens.get(space="").fingerprint
    down = [
        structs.replace(project, status="COMING_UP") if project.id == HEALTHY else project for project in names.known(fingerprint)
    ]
    names.learn(fingerprint, down)
    page = parse(as_keeper.get(reverse("hostname:index", args=[HEALTHY])).text).root
    assert "coming up" not in page.text
    assert {project.status for project in names.known(fingerprint) if project.id == HEALTHY} == {"ACTIVE_HEALTHY"}


STATE_OF = {PAUSED: "INACTIVE", COMING: "COMING_UP"}


def test_only_states_that_explain_a_failure_are_named() -> None:
    assert {state for state in STATES if not down_sentence(state)} == {
        *("ACTIVE_HEALTHY", "ACTIVE_UNHEALTHY", "INIT_FAILED", "PAUSE_FAILED", "RESTORE_FAILED", "UNKNOWN", "REMOVED")
    }
    assert is_down("A_STATE_OF_TOMORROW")
    assert not is_down("")
    assert not down_sentence("A_STATE_OF_TOMORROW")
