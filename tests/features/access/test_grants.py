"""Giving, changing, revoking and confirming access."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils import timezone

from dashboard.features.access.rules import folders_of
from dashboard.features.access.services import grants
from dashboard.features.access.services.grants import Terms
from dashboard.interfaces import errors
from dashboard.journal.models import Entry
from dashboard.labels.models import Label
from dashboard.team.models import Person
from dashboard.tokens.grants import received
from dashboard.tokens.models import ActiveGrant, Grant, StoredToken
from dashboard.tokens.workspace import Workspace
from tests.features.service import Calls, Faults
from tests.markup import parse
from tests.pages import PageClient
from tests.people import client_of, confirmed, hold
from tests.sandboxes import Sandbox

VIEW = Terms(acts=("read",), folders=("handbook/",))


@pytest.fixture
def ref(service: Sandbox) -> str:
    """A project whose storage has the bucket "handbook"."""
    return "ktmvqhzwrbnxpgaydcle"


def give(owner: Person, person: Person, place: str, terms: Terms = VIEW) -> Grant:
    return grants.give(owner, place, {"storage": terms}, people=[person])[0]


def posted(**data: object) -> dict[str, Any]:
    return {"folders": ["handbook/procedures/"], "storage_acts": ["read", "share", "upload"], "life": "none", **data}


def address(place: str) -> str:
    return f"{reverse('access:new')}?place={place}"


def test_somebody_given_one_folder_sees_exactly_this_folder(
    owner: Person, ada: Person, storage_token: StoredToken, ref: str
) -> None:
    answer = confirmed(owner).send(address(ref), **posted(people=[ada.pk]))
    assert answer.status_code == 200, answer.content.decode()
    storage = Workspace(ada).storage(ref)
    assert [bucket.id for bucket in storage.buckets.all()] == ["handbook"]
    assert [row.name for row in storage.objects.all("handbook")] == ["procedures"]
    with pytest.raises(errors.NotFound):
        storage.buckets.get("invoices")


def test_giving_asks_for_a_fresh_sign_in(as_owner: PageClient, ada: Person, storage_token: StoredToken, ref: str) -> None:
    answer = as_owner.send(address(ref), **posted(people=[ada.pk]))
    assert answer.status_code == 403
    assert not Grant.objects.exists()


def test_widening_asks_for_a_fresh_sign_in_and_narrowing_does_not(
    owner: Person, ada: Person, storage_token: StoredToken, ref: str
) -> None:
    grant, client = give(owner, ada, ref), client_of(owner)
    way = reverse("access:change", args=[grant.pk])
    assert client.send(way, **posted(storage_acts=["read"])).status_code == 200
    for wider in ({"folders": ["handbook/"], "storage_acts": ["read"]}, {}, {"whole": "on", "storage_acts": ["read"]}):
        assert client.send(way, **posted(**wider)).status_code == 403
    grant.refresh_from_db()
    assert (grant.folders, grant.acts, grant.version) == (["handbook/procedures/"], ["read"], 2)


def test_a_later_end_is_wider_and_an_earlier_one_is_not(owner: Person, ada: Person, storage_token: StoredToken, ref: str) -> None:
    grant = give(owner, ada, ref, Terms(acts=("read",), folders=("handbook/",), ends_at=timezone.now() + timedelta(days=2)))
    later, sooner = (
        Terms(acts=("read",), folders=("handbook/",), ends_at=timezone.now() + timedelta(days=days)) for days in (3, 1)
    )
    assert grants.is_wider({"storage": grant}, {"storage": later})
    assert grants.is_wider({"storage": grant}, {"storage": VIEW}), "without an end"
    assert not grants.is_wider({"storage": grant}, {"storage": sooner})


@pytest.mark.usefixtures("storage_token")
def test_folders_are_needed_unless_it_is_the_whole_storage(owner: Person, ada: Person, ref: str) -> None:
    client = confirmed(owner)
    legends = [one.text for one in parse(client.part(address(ref), "dialog").text).root.all("legend")]
    assert "Buckets and folders" in legends, "they are not called optional"
    refused = client.send(address(ref), **posted(people=[ada.pk], folders=[""]))
    assert "Name a bucket or folder, tick the whole storage, or untick what they may do." in refused.text
    assert client.send(address(ref), **posted(people=[ada.pk], whole="on", folders=[""])).status_code == 200
    assert Grant.objects.get().folders == []


def test_access_cannot_be_passed_on(owner: Person, ada: Person, storage_token: StoredToken, ref: str) -> None:
    give(owner, ada, ref)
    bob = Person.objects.create(email="bob@example.org")
    with pytest.raises(ValidationError, match="stores a token"):
        give(ada, bob, ref)
    client = confirmed(ada)
    assert "only through a token that you stored" in client.get(address(ref)).content.decode()
    assert client.get(address(ref)).status_code == 200


def test_a_whole_role_gets_access_but_never_on_production(
    owner: Person, ada: Person, storage_token: StoredToken, ref: str
) -> None:
    client = confirmed(owner)
    Label.objects.create(ref=ref, production=True, changed_by=owner)
    refused = client.send(address(ref), **posted(role=ada.role))
    assert refused.status_code == 422
    assert "named people only" in refused.content.decode()
    Label.objects.all().delete()
    assert client.send(address(ref), **posted(role=ada.role)).status_code == 200
    assert [one.reason for one in received(ada)] == [""]
    Label.objects.create(ref=ref, production=True, changed_by=owner)
    assert "production" in received(ada)[0].reason


@pytest.mark.parametrize("text", ["/", "a//b/", "../", "a/./b", "a/../", "/a/", "a\nb/"])
def test_folders_with_ambiguous_parts_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"empty part|can't be"):
        folders_of([text])


def test_folders_keep_their_case_and_those_inside_others_are_left_out() -> None:
    assert folders_of(["Photos", "photos/2026", "photos/2026/may/", "", "Photos/"]) == ("Photos/", "photos/2026/")


def test_nothing_is_allowed_that_is_not_ticked(owner: Person, ada: Person, management_token: StoredToken, ref: str) -> None:
    client = confirmed(owner)
    form = parse(client.get(address(ref)).content.decode()).root
    boxes = {one.get("value"): one for one in form.all("input") if one.get("name") == "section_acts"}
    assert list(boxes) == ["read", "change", "functions", "values"], "each act has its own box"
    assert [act for act, box in boxes.items() if "checked" in box.attributes] == ["read"]
    assert "full access to this project's data" in form.text
    data: dict[str, Any] = {"people": [ada.pk], "sections": ["secrets"], "life": "none"}
    assert client.send(address(ref), **data).status_code == 422
    assert "tick it, too" in client.send(address(ref), **data, section_acts=["values"]).text
    assert not Grant.objects.exists()
    assert client.send(address(ref), **data, section_acts=["read", "change"]).status_code == 200
    assert Grant.objects.get().acts == ["read", "change"]


def test_a_second_access_to_the_same_place_is_refused(owner: Person, ada: Person, storage_token: StoredToken, ref: str) -> None:
    give(owner, ada, ref)
    answer = confirmed(owner).send(address(ref), **posted(people=[ada.pk]))
    assert answer.status_code == 422
    assert "Change that access instead" in answer.content.decode()


def test_access_that_has_ended_makes_room_for_another(owner: Person, ada: Person, storage_token: StoredToken, ref: str) -> None:
    ended = give(owner, ada, ref)
    Grant.objects.update(ends_at=timezone.now() - timedelta(seconds=1), token="another")
    assert grants.unconfirmed(owner) == []
    assert give(owner, ada, ref).pk != ended.pk


def test_access_is_chosen_only_where_it_was_given(owner: Person, ada: Person, storage_token: StoredToken, ref: str) -> None:
    given = give(owner, ada, ref)
    for kind, place in (("storage", "another"), ("management", ref)):
        with pytest.raises(ValidationError, match="You don't have this access"):
            grants.choose(ada, kind, place, given.pk)
    grants.choose(ada, "storage", ref, given.pk)
    assert list(ActiveGrant.objects.values_list("kind", "place", "grant_id")) == [("storage", ref, given.pk)]


def test_revoking_needs_no_fresh_sign_in_and_ends_access(
    owner: Person, ada: Person, storage_token: StoredToken, ref: str
) -> None:
    grant = give(owner, ada, ref)
    assert client_of(owner).send(reverse("access:revocation", args=[grant.pk])).status_code == 200
    assert not Workspace(ada).has("storage", ref)
    assert client_of(ada).send(reverse("access:revocation", args=[grant.pk])).status_code == 404


def test_access_pauses_with_another_token_until_its_giver_confirms_it(
    owner: Person, ada: Person, storage_token: StoredToken, service: Sandbox, ref: str
) -> None:
    grant, client = give(owner, ada, ref), confirmed(owner)
    before = Workspace(ada).fingerprint("storage", ref)
    hold(owner, service.storage_tokens[ref]["anon"], ref)
    assert not Workspace(ada).has("storage", ref)
    assert "Confirm all" in client.get(reverse("people:index")).content.decode()
    assert "has to confirm" in client_of(ada).get(reverse("people:person", args=[ada.pk])).text
    assert client.send(f"{reverse('access:confirmation')}?grant={grant.pk}").status_code == 200
    assert Workspace(ada).fingerprint("storage", ref) not in ("", before)
    assert "Confirm all" not in client.get(reverse("people:index")).content.decode()


def test_choosing_what_to_give_calls_no_service(
    owner: Person, storage_token: StoredToken, service: Sandbox, ref: str, calls: Calls
) -> None:
    client = confirmed(owner)
    Workspace(owner).projects()
    calls()
    assert "parcel-tracking" in client.get(reverse("access:new")).content.decode()
    assert "parcel-tracking" in client.get(address(ref)).content.decode()
    assert calls() == []


def test_a_role_is_given_with_those_above_it(owner: Person, ada: Person, storage_token: StoredToken, ref: str) -> None:
    text = confirmed(owner).get(address(ref)).content.decode()
    assert "Administrator or higher" in text
    assert re.search(r">\s*Owner\s*<", text), "none is above it"
    assert "Owner or higher" not in text


def test_an_entry_tells_in_words_what_is_allowed(
    as_owner: PageClient, owner: Person, ada: Person, management_token: StoredToken, ref: str
) -> None:
    grants.give(owner, ref, {"management": Terms(acts=("read", "values"), sections=("secrets", "network"))}, people=[ada])
    page = parse(as_owner.get(reverse("journal:show", args=[Entry.objects.latest("pk").pk])).text).root
    told = {row.all("th")[0].text: row.all("td")[0].text for row in page.all("tbody")[0].all("tr")}
    assert told == {"Allowed": "View, see values", "Sections": "Secrets, Network"}


def test_every_act_has_an_entry(owner: Person, ada: Person, storage_token: StoredToken, service: Sandbox, ref: str) -> None:
    grant = give(owner, ada, ref)
    grants.change(owner, {"storage": grant}, {"storage": Terms(acts=("read", "upload"), folders=("handbook/",))})
    hold(owner, service.storage_tokens[ref]["anon"], ref)
    grants.confirm(owner, grants.unconfirmed(owner))
    grants.revoke(owner, grant)
    found = list(Entry.objects.filter(operation__startswith="access ").order_by("pk"))
    assert [entry.operation for entry in found] == ["access granted", "access changed", "access confirmed", "access revoked"]
    assert all(entry.place == ref and "Ada Member" in entry.target for entry in found)


def test_a_new_scope_begins_with_nothing_learned_before(owner: Person, ada: Person, storage_token: StoredToken, ref: str) -> None:
    grant = give(owner, ada, ref)
    before = Workspace(ada).fingerprint("storage", ref)
    grants.change(owner, {"storage": grant}, {"storage": Terms(acts=("read",), folders=("handbook/",), note="for the audit")})
    assert Workspace(ada).fingerprint("storage", ref) == before, "only the note changed"
    grants.change(owner, {"storage": grant}, {"storage": Terms(acts=("read",), folders=("handbook/procedures/",))})
    assert Workspace(ada).fingerprint("storage", ref) != before


def test_the_frame_says_whose_token_acts_and_switches_it(
    owner: Person, ada: Person, storage_token: StoredToken, service: Sandbox, ref: str
) -> None:
    give(owner, ada, ref)
    client, page = client_of(ada), reverse("buckets:index", args=[ref])
    text = client.get(page).content.decode()
    assert "Through Olga Owner&#x27;s token · View · handbook/" in text
    assert reverse("access:active") not in text, "nothing to switch to"
    hold(ada, service.personal_token)
    hold(ada, service.storage_tokens[ref]["anon"], ref)
    assert "Your own token" in client.get(page).content.decode()
    way = f"{reverse('access:active')}?kind=storage&place={ref}"
    grant = Grant.objects.get()
    assert client.send(way, credential=str(grant.pk)).status_code == 200
    assert Workspace(ada).grant_at("storage", ref) is not None
    assert client.send(way, credential="own").status_code == 200
    assert ActiveGrant.objects.get().grant is None
    assert Workspace(ada).grant_at("storage", ref) is None


def test_the_frame_names_each_act(owner: Person, ada: Person, storage_token: StoredToken, ref: str) -> None:
    acts = ("read", "share", "upload", "change", "delete", "buckets", "sign")
    give(owner, ada, ref, Terms(acts=acts, folders=("handbook/",)))
    text = client_of(ada).get(reverse("buckets:index", args=[ref])).content.decode()
    assert "token · View, share, upload, change, delete, buckets, sign links · handbook/" in text


def test_pages_of_people_without_grants_say_nothing(owner: Person, ada: Person, storage_token: StoredToken, ref: str) -> None:
    give(owner, ada, ref)
    text = client_of(owner).get(reverse("buckets:index", args=[ref])).content.decode()
    assert "own token" not in text
    assert "Through" not in text


def test_what_is_not_there_is_asked_about_before_access_to_it_is_given(
    owner: Person, ada: Person, storage_token: StoredToken, ref: str
) -> None:
    client = confirmed(owner)
    folders = ["handbook/procedures/", "handbook/Procedures/", "handbook/procedure/", "handbook/nowhere/", "no-such-bucket/"]
    asked = client.send(address(ref), **posted(people=[ada.pk], folders=folders))
    assert asked.status_code == 422
    for nothing in ("Procedures/", "procedure/", "nowhere/"):
        assert f"handbook/{nothing} holds nothing." in asked.text
    assert "There is no bucket no-such-bucket, or your token can&#x27;t see it." in asked.text
    assert "handbook/procedures/ holds" not in asked.text
    assert not Grant.objects.exists()
    assert client.send(address(ref), **posted(people=[ada.pk], folders=folders, anyway="on")).status_code == 200
    assert Grant.objects.get().folders == sorted(folders)


def test_where_the_service_fails_access_is_given_after_a_confirmation(
    owner: Person, ada: Person, storage_token: StoredToken, ref: str, faults: Faults
) -> None:
    client = confirmed(owner)
    faults("S4", status=500)
    asked = client.send(address(ref), **posted(people=[ada.pk]))
    assert "handbook/procedures/ could not be checked." in asked.text
    assert client.send(address(ref), **posted(people=[ada.pk], anyway="on")).status_code == 200


@pytest.mark.usefixtures("storage_token")
def test_folders_are_browsed_and_ticked(owner: Person, ada: Person, ref: str, calls: Calls) -> None:
    def offered(address: str) -> dict[str, str]:
        """The folders to tick, and where each is opened."""
        root = parse(client.part(address, "").text).root
        rows = [row for row in root if row.get("class") == "tree__row"]
        return {row.all("input")[0].get("value"): row.all("details")[0].get("hx-get") for row in rows}

    client = confirmed(owner)
    calls()
    form = parse(client.part(address(ref), "dialog").text).root
    assert calls() == []
    buckets = offered(next(one.get("hx-get") for one in form.all("details") if one.get("class") == "tree"))
    assert {"handbook/", "labels/"} <= set(buckets)
    folders = offered(buckets["handbook/"])
    assert {"handbook/procedures/", "handbook/welcome/"} <= set(folders)
    assert all(name.endswith("/") for name in folders), "no files"
    assert "No folders inside." in client.part(folders["handbook/welcome/"], "").text
    ticked = ["handbook/procedures/", "labels/"]
    assert client.send(address(ref), **posted(people=[ada.pk], folders=ticked)).status_code == 200
    assert Grant.objects.get().folders == ticked
    assert confirmed(ada).part(buckets["handbook/"], "").status_code == 404, "only through a token of one's own"


def test_the_menu_of_a_folder_gives_access_to_it(owner: Person, ada: Person, storage_token: StoredToken, ref: str) -> None:
    client = confirmed(owner)
    way = reverse("access:folder", args=[ref, "handbook"])
    assert f'data-for-folder="{way}"' in client.get(reverse("objects:index", args=[ref, "handbook"])).text
    assert "handbook/procedures/" in client.part(f"{way}?folder=procedures/", "dialog").text
    grants.give(owner, ref, {"storage": VIEW}, people=[ada])
    assert "Give access" not in client_of(ada).get(reverse("objects:index", args=[ref, "handbook"])).text
