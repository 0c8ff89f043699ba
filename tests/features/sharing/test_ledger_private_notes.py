"""The private note of a link is its maker's alone: others neither see nor find it."""

import json

from django.urls import reverse

from dashboard.journal.models import Entry
from dashboard.links.models import Share
from dashboard.team.models import Person
from dashboard.team.services import hand_over
from dashboard.tokens.models import StoredToken
from tests.features.sharing.conftest import Desk
from tests.people import client_of, hold

NOTE = "for the auditor"
LEDGER = reverse("sharing:ledger")


def test_the_maker_sees_and_finds_it(desk: Desk) -> None:
    desk.put("a.txt", "b.txt")
    desk.share("b.txt")
    made = desk.client.post(f"{desk.address()}?key=a.txt", {"life": "3600", "landing": "page", "private_note": f" {NOTE} "})
    assert made.status_code == 200
    share = Share.objects.latest("pk")
    assert share.private_note == NOTE
    found = desk.client.get(f"{LEDGER}?q=auditor").text
    assert NOTE in found
    assert "b.txt" not in found
    assert NOTE in desk.client.get(reverse("sharing:export")).getvalue().decode()
    edit = reverse("sharing:edit", args=(share.pk,))
    assert NOTE in desk.client.get(edit).text
    desk.client.post(edit, {"life": "keep", "landing": "page", "private_note": "for the bookkeeper"})
    assert Share.objects.get(pk=share.pk).private_note == "for the bookkeeper"


def test_nobody_else_sees_or_finds_it(desk: Desk, ada: Person) -> None:
    desk.put("a.txt")
    share, path = desk.share("a.txt", private_note=NOTE, note="Thanks")
    edit = reverse("sharing:edit", args=(share.pk,))
    desk.client.post(edit, {"life": "keep", "landing": "page", "note": "Bye", "private_note": f"{NOTE} of 2026"})
    assert "auditor" not in desk.visitor.get(path).text
    kept = json.dumps([[entry.target, entry.before, entry.after] for entry in Entry.objects.all()])
    assert "Bye" in kept
    assert "auditor" not in kept
    Share.objects.filter(pk=share.pk).update(owner=ada)
    for address in (LEDGER, edit, reverse("sharing:export")):
        assert "auditor" not in desk.client.get(address).getvalue().decode(), "an owner of the team sees the link alone"
    assert "a.txt" not in desk.client.get(f"{LEDGER}?q=auditor").text
    assert "a.txt" in desk.client.get(f"{LEDGER}?q=Bye").text
    desk.client.post(edit, {"life": "keep", "private_note": "read by others", "tells_first": "on"})
    changed = Share.objects.get(pk=share.pk)
    assert (changed.private_note, changed.tells_first) == (f"{NOTE} of 2026", False)


def test_it_does_not_go_to_whoever_takes_the_link_over(
    desk: Desk, owner: Person, ada: Person, storage_token: StoredToken
) -> None:
    desk.put("a.txt")
    share, _ = desk.share("a.txt", private_note=NOTE, tells_first=True)
    hold(ada, storage_token.open(), desk.space)
    assert hand_over(owner, owner, ada) == (["1 share link"], [])
    share.refresh_from_db()
    assert (share.owner, share.private_note, share.tells_first) == (ada, "", False)
    assert share.pk
    assert client_of(ada).get(reverse("sharing:edit", args=(share.pk,))).status_code == 200
