"""Of a project that was removed at the service, no list leads to a page that isn't there."""

import pytest
from django.urls import reverse

from tests.markup import parse
from tests.pages import PageClient

REMOVED = "dgskpyubwtvoqzlmhrfn"
LISTS = {
    "home": (reverse("home:index"), "home-fleet"),
    "projects": (reverse("projects:index"), "project-list"),
    "hostnames": (reverse("hostnames:index"), "fleet"),
    "storage": (reverse("buckets:spaces"), "space-list"),
}


@pytest.mark.parametrize("name", LISTS)
def test_the_row_of_a_removed_project_offers_nothing_that_is_not_found(
    as_keeper: PageClient, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dashboard.features.home.views.FIRST_ROWS", 200)
    path, target = LISTS[name]
    root = parse(as_keeper.part(path, target, wait="1").text).root
    offered = {
        element.get(attribute) for element in root for attribute in ("href", "hx-get") if REMOVED in element.get(attribute)
    }
    gone = sorted(href for href in offered if as_keeper.get(href).status_code == 404)
    assert gone == []
    assert any(REMOVED in element.text for element in root) or "summer-campaign-2024" in root.text or name == "storage"
