"""When what is shown was read, and reading it again."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from dashboard.facts.models import KeptFact
from tests.features.home.desk import HERE, LIST, REF, WAITING, row_of
from tests.features.service import Calls
from tests.pages import PageClient, htmx

REFRESH = {"HX-Trigger": "home-refresh"}
NAME = 'aria-label="Refresh"'


@pytest.fixture
def checked(as_keeper: PageClient) -> PageClient:
    """Somebody whose list and first row were read."""
    as_keeper.part(row_of(as_keeper.part(HERE, WAITING).text, "parcel-tracking"), "")
    return as_keeper


def age(minutes: int) -> None:
    """Let what is known of the row be older."""
    moment = timezone.now() - timedelta(minutes=minutes)
    KeptFact.objects.filter(place=REF).update(read_at=moment, tried_at=moment)


@pytest.mark.parametrize("view", ["", "?view=storage", "?view=network"])
def test_each_view_has_refresh_in_sight(as_keeper: PageClient, view: str) -> None:
    for page in (as_keeper.part(HERE + view, WAITING).text, as_keeper.get(HERE + view).text):
        button = page.partition('id="home-refresh"')[2].partition("</a>")[0]
        assert NAME in button
        assert page.index('id="home-refresh"') < page.index('class="overview__row'), "above the rows"
    assert NAME in as_keeper.get(reverse("home:hostnames")).text


def test_refresh_reads_the_projects_and_what_is_older_than_a_minute(checked: PageClient, calls: Calls) -> None:
    age(minutes=5)
    calls()
    listed = checked.get(HERE, headers=htmx(LIST) | REFRESH).text
    assert sorted(calls()) == ["GET /v1/organizations", "GET /v1/projects"]
    address = row_of(listed, "parcel-tracking")
    row = checked.part(address.replace("&amp;", "&"), "").text
    assert len(calls()) == 4
    assert "data-turn" not in row
    assert int(row.partition('data-later="')[2].partition('"')[0]) > 840, "it is asked for once"
    assert checked.part(address.replace("&amp;", "&"), "").status_code == 200
    assert calls() == [], "what was read a moment ago is not read again"


def test_without_refresh_it_rests(checked: PageClient, calls: Calls) -> None:
    age(minutes=5)
    calls()
    row = row_of(checked.part(HERE, LIST).text, "parcel-tracking")
    checked.part(row.replace("&amp;", "&"), "")
    assert calls() == []


def test_the_age_is_that_of_the_oldest_fact_and_comes_along_with_the_list(checked: PageClient) -> None:
    KeptFact.objects.exclude(place=REF).delete()
    age(minutes=5)
    assert ">5 minutes ago</time>" in checked.get(HERE).text.partition('id="home-age"')[2].partition("</div>")[0]
    part = checked.part(HERE, LIST).text
    assert ">5 minutes ago</time>" in part.partition('id="home-age"')[2]
    alone = checked.part(HERE, "home-age").text
    assert 'id="home-list"' not in alone
    assert ">5 minutes ago</time>" in alone


def test_rows_that_could_not_be_read_say_their_own_age(checked: PageClient) -> None:
    KeptFact.objects.exclude(place=REF).delete()
    age(minutes=5)
    KeptFact.objects.filter(place=REF).update(failure="No answer.")
    assert "<time" not in checked.part(HERE, "home-age").text
