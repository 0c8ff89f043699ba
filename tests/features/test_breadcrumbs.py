"""Pages without a project, such as forms without scripts and failed ones: their breadcrumb names where they belong."""

import pytest

from tests.features.service import Faults
from tests.markup import parse
from tests.pages import PageClient


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        ("/notifications/settings/", ["Activity", "Notification settings"]),
        ("/account/name/", ["Account", "Your name"]),
        ("/search/keys/", ["Home", "Keyboard shortcuts"]),
    ],
)
def test_a_form_without_a_project_names_its_section(as_owner: PageClient, path: str, steps: list[str]) -> None:
    assert trail(as_owner, path) == steps


@pytest.mark.parametrize(
    ("path", "section"), [("/organizations/", "Home"), ("/projects/new/", "Home"), ("/account/setup/", "Account")]
)
def test_a_page_that_fails_without_a_project_names_its_section(
    as_keeper: PageClient, faults: Faults, path: str, section: str
) -> None:
    faults("*", status=500)
    assert trail(as_keeper, path) == [section, "The service failed"]


def trail(client: PageClient, path: str) -> list[str]:
    crumbs = next(one for one in parse(client.get(path).text).root.all("nav") if one.get("class") == "crumbs")
    return [step.text.strip() for step in crumbs.all("li")]
