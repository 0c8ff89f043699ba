"""Filters that people save by name."""

from html import unescape

import pytest
from django.urls import reverse

from dashboard.features.home.models import SavedFilter
from dashboard.team.models import Person
from tests.features.home.desk import HERE, WAITING, names_in
from tests.pages import PageClient, htmx
from tests.people import client_of

NEW, DELETE = reverse("home:saving"), reverse("home:forgetting")


def saved_in(page: str) -> dict[str, str]:
    """The addresses of the saved filters that a page offers, by name."""
    rows = page.partition('id="home-saved"')[2].partition("</popup-menu>")[0].split('class="saved__row"')[1:]
    return {
        unescape(row.partition('class="saved__name">')[2].partition("</span>")[0]): unescape(
            row.partition('href="')[2].partition('"')[0]
        )
        for row in rows
    }


def test_a_filter_is_saved_and_leads_back_to_its_rows(known: PageClient) -> None:
    query = "?q=parcel&sort=-name&group=region&all=rows&list=now"
    assert known.get(NEW + query).status_code == 200
    assert saved_in(known.get(HERE).text) == {}
    answer = known.post(NEW + query, {"name": "Parcels <b>"}, headers=htmx("dialog"))
    assert "filters:changed" in answer["HX-Trigger"]
    saved = saved_in(known.part(HERE, "home-saved").text)
    assert saved == {"Parcels <b>": f"{HERE}?q=parcel&group=region&sort=-name"}
    assert names_in(known.get(saved["Parcels <b>"]).text) == ["parcel-tracking-staging", "parcel-tracking"]


@pytest.mark.parametrize(
    ("query", "address"),
    [
        ("?view=storage&q=a", f"{HERE}?view=storage&q=a"),
        ("?view=network&address=203.0.113.9", f"{HERE}?view=network&address=203.0.113.9"),
        ("?view=hostnames&problem=hostname-stuck", f"{reverse('home:hostnames')}?problem=hostname-stuck"),
    ],
)
def test_a_saved_filter_keeps_its_view(known: PageClient, query: str, address: str) -> None:
    assert known.post(NEW + query, {"name": "Mine"})["Location"] == address
    assert saved_in(known.get(HERE).text) == {"Mine": address}
    assert saved_in(known.part(reverse("home:hostnames"), WAITING).text) == {"Mine": address}


def test_names_are_short_and_each_is_used_once(known: PageClient) -> None:
    assert known.post(NEW, {"name": "Mine"}).status_code == 303
    for name, why in (("Mine", "You have a filter “Mine” already."), ("", "required"), ("x" * 61, "at most 60 characters")):
        refused = known.post(f"{NEW}?q=other", {"name": name})
        assert refused.status_code == 422
        assert why in unescape(refused.text)
    assert known.post(f"{NEW}?q={'x' * 3000}", {"name": "Long"}).status_code in (303, 422)
    assert all(len(one.query) <= 2000 for one in SavedFilter.objects.all())


def test_twenty_are_enough(known: PageClient, owner: Person) -> None:
    SavedFilter.objects.bulk_create(SavedFilter(person=owner, name=f"Number {number}", view="projects") for number in range(20))
    refused = known.post(NEW, {"name": "One more"})
    assert (refused.status_code, SavedFilter.objects.count()) == (422, 20)
    assert "Delete one first." in refused.text


def test_a_filter_is_seen_and_deleted_by_its_owner_alone(known: PageClient, ada: Person, owner: Person) -> None:
    SavedFilter.objects.create(person=ada, name="Hers", view="storage", query="q=a")
    SavedFilter.objects.create(person=owner, name="Mine", view="storage", query="q=a")
    assert list(saved_in(known.get(HERE).text)) == ["Mine"]
    for name in ("Hers", "Mine", "Nothing", "null\0"):
        assert "filters:changed" in known.send(DELETE, name=name)["HX-Trigger"]
    assert [one.name for one in SavedFilter.objects.all()] == ["Hers"]
    assert client_of(ada).post(DELETE, {"name": "Hers"})["Location"] == HERE
    assert not SavedFilter.objects.exists()
