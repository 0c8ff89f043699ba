"""Owners of the team may end or tighten other people's links, and never open them further."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from dashboard.links import lifecycle
from dashboard.links.lifecycle import Terms
from dashboard.links.models import Share
from dashboard.team.models import Person
from tests.features.sharing.conftest import Desk
from tests.people import confirmed


@pytest.fixture
def theirs(desk: Desk, ada: Person) -> Share:
    """Ada's link: seven days, a password, five downloads, a page first."""
    share, _ = desk.share("a.txt", password="four random words", limit=5, note="From Ada")
    Share.objects.filter(pk=share.pk).update(owner=ada)
    share.refresh_from_db()
    return share


def exactly(moment: datetime) -> dict[str, str]:
    return {"life": "exact", "end": moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S"), "zone": "UTC"}


def facts(share: Share) -> tuple[Any, ...]:
    share.refresh_from_db()
    return share.ends_at, share.password, share.limit, share.landing, share.note, share.revoked_at


@pytest.mark.parametrize(
    "typed",
    [
        {"life": "2592000", "limit": "5"},
        {"life": "keep", "limit": "6"},
        {"life": "keep", "limit": ""},
        {**exactly(timezone.now() + timedelta(days=9)), "limit": "5"},
    ],
    ids=["longer", "more downloads", "any number of downloads", "an exact later end"],
)
def test_an_owner_can_not_loosen_somebody_elses_link(desk: Desk, theirs: Share, typed: dict[str, str]) -> None:
    before = facts(theirs)
    answer = desk.client.post(f"/links/{theirs.pk}/", {**typed, "note": "From Ada", "landing": "page"})
    assert answer.status_code == 422
    assert facts(theirs) == before


@pytest.mark.parametrize(
    "typed",
    [{"no_password": "on"}, {"password": "the password I know"}, {"landing": "direct"}, {"note": "Click here"}],
    ids=["no password", "a password of one's own", "no page first", "other words"],
)
def test_what_an_owner_sends_besides_changes_nothing_of_somebody_elses_link(
    desk: Desk, theirs: Share, typed: dict[str, str]
) -> None:
    before = facts(theirs)
    desk.client.post(f"/links/{theirs.pk}/", {"life": "keep", "limit": "5", **typed})
    assert facts(theirs) == before


@pytest.mark.parametrize(
    "change",
    [
        {"ends_at": timedelta(days=9)},
        {"password": ""},
        {"password": "my own"},
        {"limit": None},
        {"landing": False},
        {"note": "x"},
    ],
    ids=str,
)
def test_nor_does_the_service_behind_the_page(desk: Desk, theirs: Share, change: dict[str, Any]) -> None:
    terms: dict[str, Any] = {"ends_at": theirs.ends_at, "limit": 5, "note": "From Ada", **change}
    if isinstance(terms["ends_at"], timedelta):
        terms["ends_at"] = timezone.now() + terms["ends_at"]
    before = facts(theirs)
    with pytest.raises(ValidationError, match="stricter"):
        lifecycle.change(desk.person, theirs, Terms(**terms))
    assert facts(theirs) == before


def test_an_owner_tightens_and_ends_somebody_elses_link(desk: Desk, theirs: Share) -> None:
    asked = desk.client.get(f"/links/{theirs.pk}/")
    assert "you can make it stricter or revoke it" in asked.text
    for name in ("password", "no_password", "landing", "note"):
        assert f'name="{name}"' not in asked.text
    end = timezone.now() + timedelta(days=1)
    assert desk.client.post(f"/links/{theirs.pk}/", {**exactly(end), "limit": "2"}).status_code == 303
    ends_at, _, limit, _, note, _ = facts(theirs)
    assert (abs(ends_at - end) < timedelta(seconds=2), limit, note) == (True, 2, "From Ada")
    assert desk.client.post(f"/links/{theirs.pk}/ending/").status_code == 303
    assert facts(theirs)[-1] is not None


def test_an_owner_does_not_open_again_what_its_own_owner_ended(desk: Desk, theirs: Share, ada: Person) -> None:
    lifecycle.revoke(ada, Share.objects.filter(pk=theirs.pk))
    assert f"/links/{theirs.pk}/reopening/" not in desk.client.get("/links/").text
    answer = desk.client.post(f"/links/{theirs.pk}/reopening/")
    assert (answer.status_code, "Only the person who revoked this link" in answer.text) == (422, True)
    assert facts(theirs)[-1] is not None


def test_reactivating_a_person_says_which_links_come_back(desk: Desk, theirs: Share, ada: Person) -> None:
    Person.objects.filter(pk=ada.pk).update(is_active=False)
    owner = confirmed(desk.person)
    asked = owner.get(f"/team/{ada.pk}/activation/").text
    assert "1 share link opens again: “From Ada” of Ada Member" in asked
    Share.objects.update(revoked_at=timezone.now())
    assert "opens again" not in owner.get(f"/team/{ada.pk}/activation/").text
