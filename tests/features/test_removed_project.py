"""Of a project that was removed at the service, no list leads to a page that isn't there."""

import pytest
from django.urls import reverse

from tests.markup import parse
from tests.pages import PageClient

REMOVED, NAME = "dgskpyubwtvoqzlmhrfn", "summer-campaign-2024"
# Address, part and query of each place that lists the project.
LISTS = {
    "home": (reverse("home:index"), "home-waiting", {"wait": "1"}),
    "hostnames": (reverse("home:hostnames"), "home-waiting", {"wait": "1"}),
    "storage": (reverse("home:index"), "home-waiting", {"view": "storage"}),
    "palette": (reverse("palette:index"), "find-list", {"q": "summer"}),
    "switch": (reverse("projects:switch", args=["xreugplnbwsqhdvfyakt"]), "find-list", {"q": "summer"}),
}


@pytest.mark.parametrize("name", LISTS)
def test_the_row_of_a_removed_project_offers_nothing_that_is_not_found(as_keeper: PageClient, name: str) -> None:
    path, target, query = LISTS[name]
    root = parse(as_keeper.part(path, target, **query).text).root
    offered = {
        element.get(attribute) for element in root for attribute in ("href", "hx-get") if REMOVED in element.get(attribute)
    }
    gone = sorted(href for href in offered if as_keeper.get(href).status_code == 404)
    assert gone == []
    assert NAME in root.text
