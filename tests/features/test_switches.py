"""Switching to another project or bucket from wherever one is."""

import re
import time

from django.urls import reverse
from pytest_django.fixtures import Settings

from dashboard.labels.services import ProjectLabel, set_label
from dashboard.team.models import Person
from dashboard.tokens import names
from dashboard.tokens.credentials import store
from dashboard.tokens.models import Kind, LastKnown
from tests.features.network.desk import STAGING, TRACKING
from tests.features.service import Faults
from tests.pages import PageClient, htmx
from tests.people import hold
from tests.sandboxes import Sandbox

HIT = re.compile(r'class="find__hit" href="([^"]+)".*?class="find__name"[^>]*>([^<]+)<', re.DOTALL)


def switch_on(client: PageClient, path: str) -> str:
    """The address of the switch in the rail of a page."""
    rail = client.get(path).text.split('<nav class="rail"')[1].split("</nav>", maxsplit=1)[0]
    found = re.search(r'id="place-switch"[^>]* href="([^"]+)"', rail)
    assert found, path
    return found[1].replace("&amp;", "&")


def test_switching_the_project_keeps_the_section(as_keeper: PageClient, owner: Person, service: Sandbox) -> None:
    hold(owner, service.storage_tokens[TRACKING]["service"], TRACKING)
    for view in (
        "projects:show",
        "secrets:index",
        "functions:index",
        "hostname:index",
        "network:bans",
        "types:index",
        "buckets:index",
    ):
        switch = switch_on(as_keeper, reverse(view, args=[TRACKING]))
        hits = {name: href for href, name in HIT.findall(as_keeper.get(switch).text)}
        assert hits["parcel-tracking-staging"] == reverse(view, args=[STAGING]), view


def test_a_page_inside_a_section_leads_to_that_section_of_the_other_project(as_keeper: PageClient) -> None:
    switch = switch_on(as_keeper, reverse("functions:show", args=[TRACKING, "print-label"]))
    assert reverse("functions:index", args=[STAGING]) in dict(HIT.findall(as_keeper.get(switch).text))


def test_the_projects_used_last_come_first(as_keeper: PageClient) -> None:
    for view, ref in (("secrets:index", STAGING), ("types:index", TRACKING)):
        as_keeper.get(reverse(view, args=[ref]))
    recent = as_keeper.get(reverse("projects:switch", args=[TRACKING])).text.split('aria-label="All projects"')[0]
    assert [name for _, name in HIT.findall(recent)] == ["parcel-tracking-staging"]


def test_typing_filters_by_name_ref_and_label(as_keeper: PageClient, owner: Person) -> None:
    set_label(owner, STAGING, ProjectLabel(name="Rehearsal", colour="teal"), project="staging")
    address = reverse("projects:switch", args=[TRACKING])
    for typed in ("staging", STAGING[:8], "rehears"):
        part = as_keeper.get(address, {"q": typed}, headers=htmx("find-list"))
        assert [name for _, name in HIT.findall(part.text)] == ["parcel-tracking-staging"], typed
        assert "<html" not in part.text
        # Without script, the same form opens a page.
        page = as_keeper.get(address, {"q": typed}).text
        assert [name for _, name in HIT.findall(page)] == ["parcel-tracking-staging"], typed
        assert re.search(r'<form[^>]* action="[^"]*"[^>]*>(?:(?!</form>).)*name="q"', page, re.DOTALL)


def test_the_switch_never_waits_longer_than_a_second_for_names(as_keeper: PageClient, faults: Faults) -> None:
    names.forget()
    LastKnown.objects.all().delete()
    faults("M1", delay=9)
    begun = time.monotonic()
    answer = as_keeper.get(reverse("projects:switch", args=[TRACKING]))
    assert time.monotonic() - begun < 7
    assert "The projects are loading slowly" in answer.text


def test_the_bucket_switch_stands_in_the_breadcrumb(as_keeper: PageClient, owner: Person, service: Sandbox) -> None:
    hold(owner, service.storage_tokens[TRACKING]["service"], TRACKING)
    text = as_keeper.get(reverse("objects:index", args=[TRACKING, "handbook"])).text
    crumbs = text.split('aria-label="Breadcrumbs"')[1].split("</nav>", maxsplit=1)[0]
    href = re.search(r'id="bucket-switch" href="([^"]+)"', crumbs)
    assert href
    listed = as_keeper.get(href[1]).text
    assert reverse("objects:index", args=[TRACKING, "handbook"]) in dict(HIT.findall(listed))
    assert re.search(r'aria-current="true">(?:(?!</a>).)*handbook', listed, re.DOTALL)


def test_without_projects_the_switch_holds_storages_and_buckets(
    as_keeper: PageClient, owner: Person, service: Sandbox, settings: Settings
) -> None:
    settings.MANAGEMENT_URL = ""
    for ref in (TRACKING, STAGING):
        store(owner, Kind.STORAGE, ref, service.storage_tokens[ref]["service"])
    switch = switch_on(as_keeper, reverse("buckets:index", args=[TRACKING]))
    hits = dict(HIT.findall(as_keeper.get(switch).text))
    assert {reverse("objects:index", args=[TRACKING, "handbook"]), reverse("buckets:index", args=[STAGING])} <= set(hits)
    assert "/projects/" not in "".join(hits)
