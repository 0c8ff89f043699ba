"""The rail: the places of the product, the sections of a project, and the tabs of the activity."""

import pytest

from tests.features.network.desk import TRACKING
from tests.markup import Element, parse
from tests.pages import PageClient

pytestmark = pytest.mark.one_database


def navigation(client: PageClient, address: str, label: str) -> list[Element]:
    root = parse(client.get(address).text).root
    return next(nav for nav in root.all("nav") if nav.get("aria-label") == label).all("a")


@pytest.mark.parametrize(("address", "tab"), [("/journal/", "Changes"), ("/jobs/", "Jobs"), ("/notifications/", "Notifications")])
def test_changes_jobs_and_notifications_are_tabs_of_one_section(as_keeper: PageClient, address: str, tab: str) -> None:
    lit = [(link.text, link.get("href")) for link in navigation(as_keeper, address, "Sections") if link.has("aria-current")]
    assert lit == [("Activity", "/journal/")]
    tabs = navigation(as_keeper, address, "Activity")
    assert [link.get("href") for link in tabs] == ["/journal/", "/jobs/", "/notifications/"]
    assert [link.text for link in tabs if link.get("aria-current") == "page"] == [tab]


def test_the_places_of_the_product_come_first(as_keeper: PageClient) -> None:
    names = [link.text for link in navigation(as_keeper, "/jobs/", "Sections") if link.get("class") == "rail__link"]
    assert names == ["Home", "Hostnames", "Links", "Activity", "People"]


def test_a_project_ends_with_giving_access_and_the_way_home(as_keeper: PageClient) -> None:
    links = navigation(as_keeper, f"/projects/{TRACKING}/secrets/", "Project")
    sections = ["Overview", "Storage", "Secrets", "Functions", "Hostname", "Network", "Types", "Root key"]
    names = [*sections, "Give access", "Home"]
    assert [link.text for link in links][-len(names) :] == names
    assert links[-2].get("href") == f"/access/new/?place={TRACKING}"
