"""How long links may live and what they need: without an end, by the team's policy, and by the access they are made with."""

import csv
import re
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from dashboard.features.sharing.tasks import remind
from dashboard.journal.models import Entry
from dashboard.links import ledger
from dashboard.links.ledger import Wanted
from dashboard.links.models import Share
from dashboard.links.states import State
from dashboard.notifications.models import Notification
from dashboard.web.input.expiry import NO_END
from dashboard.web.pages.sort_order import Sort
from tests.features.grants import Lent, lent
from tests.features.sharing.conftest import Desk
from tests.features.sharing.signing import address, prepared, signed

__all__ = ["lent"]

FORM = {"landing": "page", "life": "none"}
LIVES = ["3600", "86400", "604800", "2592000", "7776000", "31536000"]


def lives(text: str) -> list[str]:
    words = re.search(r'<select name="life".*?</select>', text, re.DOTALL)
    return re.findall(r'<option value="(\w+)"', words[0]) if words else re.findall(r'name="life" value="(\w+)"', text)


def edit(share: Share) -> str:
    return reverse("sharing:edit", args=(share.pk,))


def test_a_share_link_may_have_no_end(desk: Desk) -> None:
    desk.put("a.txt")
    here = f"{desk.address()}?key=a.txt"
    assert lives(desk.client.get(here).text) == [*LIVES, "none", "exact"]
    made = desk.client.post(here, FORM)
    assert "It has no end." in made.text
    share = Share.objects.get()
    assert (share.ends_at, share.expires_at, share.state) == (NO_END, None, State.LIVE)
    path = f"/l/{share.code}"
    page = desk.visitor.get(path)
    assert page.status_code == 200
    assert "Expires" not in page.text
    assert (Entry.objects.get(operation="link shared").after or {})["ends_at"] is None
    assert "without an end" in ledger.named(desk.person, [share.pk])[0]
    assert "no end" in " ".join(desk.client.get(f"/storage/{desk.space}/{desk.bucket}/~details/?key=a.txt").text.split())


def test_links_without_an_end_stand_last_and_are_never_about_to_expire(desk: Desk) -> None:
    shares = [desk.share("a.txt", ends_at=end)[0].pk for end in (NO_END, timezone.now() + timedelta(hours=20))]
    Share.objects.update(made_at=timezone.now() - timedelta(days=3))
    for sort, wanted in (("ends", shares[::-1]), ("-ends", shares)):
        found = ledger.arranged(ledger.shares(desk.person, Wanted()), Sort(sort))
        assert [share.pk for share in found] == wanted
    assert [share.pk for share in ledger.shares(desk.person, Wanted(view=ledger.SOON))] == shares[1:]
    row = re.search(rf"<tr>(?:(?!</tr>).)*/links/{shares[0]}/.*?</tr>", desk.client.get("/links/").text, re.DOTALL)
    assert row
    assert ">never</span>" in row[0].partition('data-label="Expires"')[2]
    rows = list(csv.DictReader(StringIO(desk.client.get("/links/export/").getvalue().decode())))
    assert [row["expires"] for row in rows if row["id"] == str(shares[0])] == [""]
    Share.objects.filter(pk=shares[1]).delete()
    Share.objects.update(made_at=timezone.now() - timedelta(days=3000))
    remind()
    assert not Notification.objects.exists()


def test_an_end_is_given_and_taken_again(desk: Desk) -> None:
    share, _ = desk.share("a.txt", ends_at=NO_END)
    asked = desk.client.get(edit(share)).text
    assert "Unchanged: no end" in asked
    assert lives(asked) == ["keep", *LIVES, "none", "exact"]
    for life, ends in (("keep", None), ("86400", timedelta(days=1)), ("keep", timedelta(days=1)), ("none", None)):
        assert desk.client.post(edit(share), {**FORM, "life": life}).status_code == 303
        share.refresh_from_db()
        left = share.expires_at and share.expires_at - timezone.now()
        assert left is None if ends is None else left and abs(left - ends) < timedelta(minutes=1)


def test_somebody_elses_link_gets_an_end_but_loses_none(desk: Desk, ada: object) -> None:
    share, _ = desk.share("a.txt", ends_at=NO_END)
    Share.objects.update(owner=ada)
    soon = f"{timezone.now() + timedelta(days=2):%Y-%m-%dT%H:%M}"
    assert lives(desk.client.get(edit(share)).text) == ["keep", "exact"]
    assert desk.client.post(edit(share), {"life": "exact", "end": soon, "limit": ""}).status_code == 303
    later = f"{timezone.now() + timedelta(days=9):%Y-%m-%dT%H:%M}"
    assert desk.client.post(edit(share), {"life": "exact", "end": later, "limit": ""}).status_code == 422


@pytest.mark.parametrize(("days", "offered"), [(45, [*LIVES[:4], "latest"]), (90, LIVES[:5]), (1, LIVES[:2])])
def test_the_team_says_how_long_links_live_at_most(desk: Desk, settings: Settings, days: int, offered: list[str]) -> None:
    settings.SHARE_MAX_DAYS = days
    desk.put("a.txt")
    signs = reverse("objects:links", args=(desk.space, desk.bucket))
    late = f"{datetime.now(UTC) + timedelta(days=days + 1):%Y-%m-%dT%H:%M}"
    for where in (f"{desk.address()}?key=a.txt", f"{signs}?key=a.txt", f"{address(desk)}?key=a.txt"):
        asked = desk.client.get(where).text
        assert lives(asked) == [*offered, "exact"], where
        assert f"Your team allows {days} day" in asked
        fields = {"landing": "page", "opens": "view"}
        for wrong in ({"life": "none"}, {"life": "31536001"}, {"life": "exact", "end": late}):
            assert desk.client.post(where, {**fields, **wrong}).status_code == 422, (where, wrong)
    made = desk.client.post(f"{desk.address()}?key=a.txt", {**FORM, "life": offered[-1]})
    assert made.status_code == 200
    [share] = Share.objects.all()
    assert abs(share.ends_at - timezone.now() - timedelta(days=days)) < timedelta(minutes=1)
    links = prepared(desk, keys="a.txt", life=offered[-1])
    assert abs((signed(desk, links).ends_at or NO_END) - timezone.now() - timedelta(days=days)) < timedelta(minutes=1)


def test_what_lives_longer_than_the_team_allows_now_keeps_its_end(desk: Desk, settings: Settings) -> None:
    desk.put("a.txt")
    share, path = desk.share("a.txt", ends_at=NO_END)
    settings.SHARE_MAX_DAYS = 7
    assert desk.client.post(edit(share), {**FORM, "life": "keep", "note": "Mine"}).status_code == 303
    assert desk.client.post(edit(share), FORM).status_code == 422
    assert desk.visitor.get(path).status_code == 200


def test_the_team_may_require_a_password(desk: Desk, settings: Settings) -> None:
    settings.SHARE_PASSWORD_REQUIRED = True
    desk.put("a.txt")
    here = f"{desk.address()}?key=a.txt"
    refused = desk.client.post(here, FORM)
    assert (refused.status_code, "Enter a password. Your team requires one." in refused.text) == (422, True)
    assert desk.client.post(here, {**FORM, "password": "correct horse battery"}).status_code == 200
    share = Share.objects.get()
    assert "Remove the password" not in desk.client.get(edit(share)).text
    desk.client.post(edit(share), {**FORM, "no_password": "on", "note": "Kept"})
    share.refresh_from_db()
    assert (bool(share.password), share.note) == (True, "Kept")
    open_one, _ = desk.share("a.txt")
    assert desk.client.post(edit(open_one), {**FORM, "life": "keep"}).status_code == 422
    assert desk.client.post(edit(open_one), {**FORM, "life": "keep", "password": "correct horse battery"}).status_code == 303


def test_signed_links_are_off_where_a_password_is_required(desk: Desk, settings: Settings) -> None:
    desk.put("a.txt", "b.txt")
    before = prepared(desk, keys="a.txt")
    settings.SHARE_PASSWORD_REQUIRED = True
    why = "Your team requires a password, which signed links can&#x27;t have."
    for name in ("links", "manifest"):
        where = f"{reverse(f'objects:{name}', args=(desk.space, desk.bucket))}?key=a.txt"
        assert why in desk.client.get(where).text
        answer = desk.client.post(where, {"life": "3600", "opens": "view", "kind": "csv"})
        assert "/object/sign/" not in answer.text
    assert "Nothing was signed" in desk.client.post(address(desk, "signing", before.pk), follow=True).text
    before.refresh_from_db()
    assert before.signed == 0


def test_the_desk_proposes_the_share_link_first_and_alone_where_nothing_may_be_signed(desk: Desk, settings: Settings) -> None:
    desk.put("a.txt", "b.txt")
    review = desk.client.get(address(desk, "signed", prepared(desk, keys="a.txt\nb.txt").pk)).text
    assert 0 < review.index("Share as one link") < review.index("Create signed")
    assert re.findall(r'button--primary"\s+type="submit">(?:<svg.*?</svg>)?([^<]+)', review, re.DOTALL)[0] == "Share as one link"
    settings.SHARE_PASSWORD_REQUIRED = True
    asked = desk.client.get(address(desk)).text
    assert "Your team requires a password" in asked
    assert lives(asked) == []
    once = re.search(r'name="once" value="([^"]+)"', asked)
    assert once
    answer = desk.client.post(address(desk), {"keys": "a.txt\nb.txt", "once": once[1]}, follow=True)
    assert "Share as one link" in answer.text
    assert "Create signed" not in answer.text


def test_a_link_through_a_grant_ends_with_it_at_the_latest(lent: Lent) -> None:
    lent.put("inside/a.txt")
    here = f"{reverse('sharing:new', args=(lent.space, lent.bucket))}?key=inside/a.txt"
    assert "none" in lives(lent.client.get(here).text)
    end = timezone.now() + timedelta(days=45)
    lent.change(ends_at=end)
    asked = lent.client.get(here).text
    assert lives(asked) == [*LIVES[:4], "latest", "exact"]
    assert "until your access ends" in asked
    assert ", and the link with it." in asked
    assert lent.client.post(here, FORM).status_code == 422
    late = f"{end + timedelta(days=1):%Y-%m-%dT%H:%M}"
    assert lent.client.post(here, {**FORM, "life": "exact", "end": late}).status_code == 422
    assert lent.client.post(here, {**FORM, "life": "latest"}).status_code == 200
    share = Share.objects.get()
    assert share.ends_at == end
    assert lives(lent.client.get(edit(share)).text) == ["keep", *LIVES[:4], "latest", "exact"]
