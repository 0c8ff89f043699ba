"""Where a list is empty, one act stands out: in the head of the page, or in the list where the head has none."""

import pytest

from dashboard.team.models import Person
from tests.markup import parse
from tests.pages import PageClient
from tests.people import hold
from tests.sandboxes import Sandbox

SIGNAGE, UPLOADS = "hbzoeyrqmcuwfkdlnavs", "mzdbtfkwulqoyxrhnegc"


@pytest.fixture
def keeper(as_keeper: PageClient, owner: Person, service: Sandbox) -> PageClient:
    hold(owner, service.storage_tokens[SIGNAGE]["service"], SIGNAGE)
    return as_keeper


@pytest.mark.parametrize(
    ("path", "title", "act"),
    [
        (f"/projects/{UPLOADS}/secrets/", "No secrets yet", "Paste .env"),
        (f"/projects/{UPLOADS}/functions/", "No functions yet", "Deploy function"),
        (f"/projects/{UPLOADS}/hostname/", "No custom hostname", "Set up hostname"),
        (f"/storage/{SIGNAGE}/", "No buckets yet", "New bucket"),
        ("/links/", "No share links yet", "Choose a bucket"),
        ("/notifications/", "No notifications yet", None),
    ],
)
def test_one_act_stands_out(keeper: PageClient, path: str, title: str, act: str | None) -> None:
    page = parse(keeper.get(path).text).root
    assert [one.text for one in page.all("p") if one.get("class") == "empty__title"] == [title]
    primary = [one.text.strip() for one in page.all("a") if "button--primary" in one.get("class").split()]
    assert primary == ([act] if act else [])
