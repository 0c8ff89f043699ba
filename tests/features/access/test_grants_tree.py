"""One form for all that a giver allows somebody at one place: what is stored stays separate by kind, acts and end."""

from datetime import datetime, timedelta
from typing import Any

import pytest
import requests
from django.db import DatabaseError, connection
from django.urls import reverse
from django.utils import timezone

from dashboard.features.access.services import grants
from dashboard.features.access.services.grants import Terms
from dashboard.journal.models import Entry
from dashboard.labels.models import Label
from dashboard.team.models import Person
from dashboard.tokens.models import Grant, StoredToken
from dashboard.tokens.workspace import Workspace
from tests.features.access.test_people import anyway, link, page_of, request_files
from tests.markup import Element, parse
from tests.pages import PageClient
from tests.people import client_of, confirmed, hold
from tests.sandboxes import Sandbox

FILES = Terms(acts=("read", "upload"), folders=("handbook/", "labels/"))
SECRETS = Terms(acts=("read", "change"), sections=("secrets", "network"))
SAME: dict[str, Any] = {
    "folders": ["handbook/", "labels/"],
    "storage_acts": ["read", "upload"],
    "sections": ["secrets", "network"],
    "section_acts": ["read", "change"],
    "life": "none",
}


@pytest.fixture
def ref(service: Sandbox) -> str:
    """A project whose storage has the buckets "handbook" and "labels"."""
    return "ktmvqhzwrbnxpgaydcle"


@pytest.fixture
def both(owner: Person, ada: Person, storage_token: StoredToken, ref: str) -> dict[str, Grant]:
    """Files and secrets, for Ada."""
    return grants.tree_of(grants.give(owner, ref, {"storage": FILES, "management": SECRETS}, people=[ada])[0])


def way_of(tree: dict[str, Grant]) -> str:
    return reverse("access:change", args=[tree["storage"].pk])


def stored(tree: dict[str, Grant]) -> dict[str, Any]:
    """What each of these grants allows now, its version and its end; nothing once it is revoked."""
    found = Grant.objects.filter(pk__in=[grant.pk for grant in tree.values()], revoked_at=None)
    return {one.kind: ([*one.folders, *one.sections], one.acts, one.version, one.ends_at) for one in found}


def ticked(root: Element, name: str) -> list[str]:
    return [one.get("value") for one in root.all("input") if one.get("name") == name and one.has("checked")]


def entries() -> list[str]:
    return list(Entry.objects.filter(operation__startswith="access ").order_by("pk").values_list("operation", flat=True))


def new(place: str) -> str:
    return f"{reverse('access:new')}?place={place}"


def test_files_and_sections_are_given_at_once(owner: Person, ada: Person, storage_token: StoredToken, ref: str) -> None:
    answer = confirmed(owner).send(new(ref), people=[ada.pk], **SAME)
    assert answer.status_code == 200, answer.text
    assert "given to Ada Member" in answer.text
    found = {grant.kind: grant for grant in Grant.objects.all()}
    assert (found["storage"].folders, found["storage"].acts) == (["handbook/", "labels/"], ["read", "upload"])
    assert (found["management"].sections, found["management"].acts) == (["secrets", "network"], ["read", "change"])
    assert entries() == ["access granted"] * 2
    assert len(set(Entry.objects.filter(operation="access granted").values_list("action", flat=True)) - {""}) == 1


def test_a_part_without_a_tick_gives_nothing(owner: Person, ada: Person, storage_token: StoredToken, ref: str) -> None:
    client = confirmed(owner)
    acts: dict[str, Any] = {"storage_acts": ["read"], "section_acts": ["read"], "life": "none", "people": [ada.pk]}
    refused = client.send(new(ref), folders=[""], **acts)
    assert refused.status_code == 422
    assert "Nothing is ticked. Tick at least one bucket, folder or section." in refused.text
    for more, sentence in (
        ({"folders": ["handbook/"], "section_acts": ["read", "values"]}, "Tick a section, or untick what they may do."),
        ({"sections": ["secrets"], "storage_acts": ["read", "sign"]}, "Name a bucket or folder, tick the whole storage"),
        ({"sections": ["secrets"], "section_acts": []}, "Choose at least one."),
    ):
        assert sentence in client.send(new(ref), **{**acts, **more}).text
    assert not Grant.objects.exists()
    assert client.send(new(ref), sections=["types"], **acts).status_code == 200
    assert [(grant.kind, grant.acts) for grant in Grant.objects.all()] == [("management", ["read"])]


def test_what_a_giver_has_no_token_for_is_neither_offered_nor_given(
    owner: Person, ada: Person, management_token: StoredToken, service: Sandbox, ref: str
) -> None:
    client = confirmed(owner)
    assert parts(client, new(ref)) == ["Sections"]
    assert client.send(new(ref), people=[ada.pk], **SAME).status_code == 200
    assert [grant.kind for grant in Grant.objects.all()] == ["management"]
    hold(ada, service.storage_tokens[ref]["service"], ref)
    client = confirmed(ada)
    assert parts(client, new(ref)) == ["Storage"]
    assert client.send(new(ref), people=[owner.pk], **SAME).status_code == 200
    assert [grant.kind for grant in Grant.objects.filter(giver=ada)] == ["storage"]


def test_sections_are_not_offered_where_the_token_for_management_reaches_nothing(
    owner: Person, ada: Person, service: Sandbox
) -> None:
    headers = {"Authorization": f"Bearer {service.personal_token}"}
    people = requests.get(f"{service.management_url}/_keys", headers=headers, timeout=10).json()["people"]
    less = next(one["personal_token"] for one in people if one["role"] == "read_only")
    hold(ada, service.personal_token)
    for ref, tokens in service.storage_tokens.items():
        hold(ada, tokens["service"], ref)
    hold(ada, less)
    own = {one.id for one in Workspace(ada).projects()}
    here, beyond = min(own & service.storage_tokens.keys()), min(service.storage_tokens.keys() - own)
    client = confirmed(ada)
    assert (parts(client, new(here)), parts(client, new(beyond))) == (["Storage", "Sections"], ["Storage"])


def test_without_the_token_access_is_narrowed_and_what_is_added_is_asked_about(
    both: dict[str, Grant], owner: Person, storage_token: StoredToken
) -> None:
    storage_token.delete()
    client = confirmed(owner)
    asked = client.send(way_of(both), **SAME | {"folders": ["handbook/", "invoices/"]})
    assert asked.status_code == 422
    assert "invoices/ could not be checked, because you no longer store the token." in asked.text
    assert client.send(way_of(both), **SAME | {"folders": ["handbook/"]}).status_code == 200


def parts(client: PageClient, address: str) -> list[str]:
    legends = parse(client.get(address).text).root.all("legend")
    return [legend.text for legend in legends if legend.get("class") == "part__title"]


def test_each_project_is_listed_once(owner: Person, storage_token: StoredToken, ref: str) -> None:
    client = confirmed(owner)
    client.get(reverse("home:index"), {"list": "now"})
    links = [one.get("href") for one in parse(client.get(reverse("access:new")).text).root.all("a")]
    assert links.count(new(ref)) == 1


def test_the_form_shows_what_is_stored(both: dict[str, Grant], owner: Person) -> None:
    root = parse(client_of(owner).get(way_of(both)).text).root
    assert {name: ticked(root, name) for name in SAME} == {**SAME, "life": ["none"]}
    assert client_of(owner).send(way_of(both), **SAME).status_code == 200
    assert entries() == ["access granted"] * 2, "nothing to change, nothing to tell"


def test_each_kind_is_changed_alone(both: dict[str, Grant], owner: Person) -> None:
    before = stored(both)
    assert client_of(owner).send(way_of(both), **{**SAME, "folders": ["labels/"]}).status_code == 200
    after = stored(both)
    assert after["storage"] == (["labels/"], ["read", "upload"], 2, None)
    assert after["management"] == before["management"]
    assert entries()[2:] == ["access changed"]


def test_dropping_one_kind_keeps_the_version_and_the_end_of_the_other(both: dict[str, Grant], owner: Person) -> None:
    Grant.objects.filter(kind="management").update(ends_at=timezone.now() + timedelta(days=3), version=4)
    before = stored(both)["management"]
    left = {"folders": [""], "sections": SAME["sections"], "section_acts": SAME["section_acts"], "life": "kept"}
    assert client_of(owner).send(way_of(both), **left).status_code == 200
    assert stored(both) == {"management": before}
    assert entries()[2:] == ["access revoked"]


def test_a_kind_that_is_dropped_names_the_links_that_end(both: dict[str, Grant], owner: Person) -> None:
    later = timezone.now() + timedelta(days=1)
    link(both["storage"], "handbook", "procedures/damaged.md", ends_at=later)
    request_files(both["storage"], "labels", "sent/", ends_at=later)
    client, left = client_of(owner), {"sections": SAME["sections"], "section_acts": SAME["section_acts"], "life": "none"}
    asked = client.send(way_of(both), **left)
    assert asked.status_code == 422
    assert "1 active share link and 1 file request stop working: " in asked.text
    assert "“damaged.md” of Ada Member" in asked.text
    assert "“Photos” of Ada Member" in asked.text
    assert len(stored(both)) == 2
    assert client.send(way_of(both), **left, anyway=anyway(asked.text)).status_code == 200
    assert list(stored(both)) == ["management"]


def test_a_bucket_that_is_unticked_takes_only_its_own_links(both: dict[str, Grant], owner: Person) -> None:
    later = timezone.now() + timedelta(days=1)
    link(both["storage"], "handbook", "procedures/damaged.md", ends_at=later)
    request_files(both["storage"], "labels", "sent/", ends_at=later)
    asked = client_of(owner).send(way_of(both), **{**SAME, "folders": ["handbook/"]})
    assert "“Photos” of Ada Member" in asked.text
    assert "damaged.md" not in asked.text
    root = parse(asked.text).root
    boxes = {
        one.get("value"): one.has("checked") for one in root.all("input") if one.get("name") == "folders" and one.get("value")
    }
    assert boxes == {"handbook/": True, "labels/": False}, "what is unticked stays in sight"


def test_a_tick_confirms_only_what_was_named_when_it_was_set(both: dict[str, Grant], owner: Person) -> None:
    later = timezone.now() + timedelta(days=1)
    link(both["storage"], "handbook", "procedures/damaged.md", ends_at=later)
    request_files(both["storage"], "labels", "sent/", ends_at=later)
    client = client_of(owner)
    ticked_for_one = anyway(client.send(way_of(both), **SAME | {"folders": ["handbook/"]}).text)
    less = SAME | {"folders": ["handbook/welcome/"]}
    asked = client.send(way_of(both), **less, anyway=ticked_for_one)
    assert asked.status_code == 422
    assert "“damaged.md” of Ada Member" in asked.text
    assert stored(both)["storage"][0] == ["handbook/", "labels/"]
    assert client.send(way_of(both), **less, anyway=anyway(asked.text)).status_code == 200


def test_nothing_left_is_refused(both: dict[str, Grant], owner: Person) -> None:
    refused = client_of(owner).send(way_of(both), folders=[""], life="none")
    assert refused.status_code == 422
    assert "Nothing is left ticked. To end this access, revoke it." in refused.text
    assert len(stored(both)) == 2


@pytest.mark.parametrize(
    "wider",
    [
        {"sections": ["secrets", "network", "types"]},
        {"section_acts": ["read", "change", "values"]},
        {"folders": ["handbook/", "labels/", "invoices/"], "anyway": "on"},
        {"whole": "on"},
    ],
)
def test_widening_one_kind_needs_a_fresh_sign_in_also_while_the_other_is_narrowed(
    both: dict[str, Grant], owner: Person, wider: dict[str, Any]
) -> None:
    before = stored(both)
    narrower = {"storage_acts": ["read"]} if "sections" in wider or "section_acts" in wider else {"section_acts": ["read"]}
    assert client_of(owner).send(way_of(both), **{**SAME, **narrower, **wider}).status_code == 403
    assert stored(both) == before
    assert client_of(owner).send(way_of(both), **{**SAME, **narrower}).status_code == 200
    assert confirmed(owner).send(way_of(both), **{**SAME, **narrower, **wider}).status_code == 200


def test_adding_a_kind_needs_a_fresh_sign_in(owner: Person, ada: Person, storage_token: StoredToken, ref: str) -> None:
    tree = grants.tree_of(grants.give(owner, ref, {"storage": FILES}, people=[ada])[0])
    assert client_of(owner).send(way_of(tree), **SAME).status_code == 403
    assert entries() == ["access granted"]
    assert confirmed(owner).send(way_of(tree), **SAME).status_code == 200
    assert entries() == ["access granted"] * 2
    assert Grant.objects.get(kind="management").person == ada


def end(tree: dict[str, Grant], kind: str, days: int, note: str = "") -> datetime:
    moment = timezone.now() + timedelta(days=days)
    Grant.objects.filter(pk=tree[kind].pk).update(ends_at=moment, note=note)
    return moment


def test_ends_and_notes_that_differ_stay_as_they_are(both: dict[str, Grant], owner: Person) -> None:
    ends = {"storage": end(both, "storage", 5, "audit"), "management": end(both, "management", 9)}
    client, days = client_of(owner), {kind: f"{moment.day} {moment:%b %Y, %H:%M}" for kind, moment in ends.items()}
    root = parse(client.get(way_of(both)).text).root
    assert f"As now: storage until {days['storage']} UTC, sections until {days['management']} UTC" in root.text
    assert ticked(root, "life") == ["kept"]
    notes = {one.get("name"): one.text.strip() for one in root.all("textarea")}
    assert notes == {"note": "audit", "sections_note": ""}
    kept = {**SAME, "life": "kept", "note": "audit", "section_acts": ["read"]}
    assert client.send(way_of(both), **kept).status_code == 200
    assert {kind: one[3] for kind, one in stored(both).items()} == ends
    assert client.send(way_of(both), **kept | {"life": "86400"}).status_code == 200
    assert len({one[3] for one in stored(both).values()}) == 1, "one end for both"
    assert set(Grant.objects.values_list("kind", "note")) == {("storage", "audit"), ("management", "")}


def test_a_kind_that_is_added_ends_as_the_other_does(owner: Person, ada: Person, storage_token: StoredToken, ref: str) -> None:
    tree = grants.tree_of(grants.give(owner, ref, {"storage": FILES}, people=[ada])[0])
    moment = end(tree, "storage", 5)
    assert confirmed(owner).send(way_of(tree), **SAME | {"life": "kept"}).status_code == 200
    assert set(Grant.objects.values_list("ends_at", flat=True)) == {moment}


def test_access_of_a_role_is_one_tree_of_its_own(
    owner: Person, ada: Person, both: dict[str, Grant], storage_token: StoredToken, ref: str
) -> None:
    tree = grants.tree_of(grants.give(owner, ref, {"storage": FILES}, role="operator")[0])
    before, client = stored(both), confirmed(owner)
    assert len([one for one in parse(client.get(page_of(ada)).text).root.all("a") if one.text == "Change"]) == 2
    Label.objects.create(ref=ref, production=True, changed_by=owner)
    refused = client.send(way_of(tree), **SAME)
    assert refused.status_code == 422
    assert "named people only" in refused.text
    Label.objects.all().delete()
    assert client.send(way_of(tree), **SAME | {"folders": ["labels/"]}).status_code == 200
    found = set(Grant.objects.filter(role="operator").values_list("kind", flat=True))
    assert (found, stored(both)) == ({"storage", "management"}, before)


def test_an_owner_revokes_what_others_gave_and_changes_none_of_it(both: dict[str, Grant], ada: Person) -> None:
    otto = Person.objects.create(email="otto@example.org", name="Otto", role="owner")
    client, revocation = confirmed(otto), reverse("access:revocation", args=[both["management"].pk])
    assert client.send(way_of(both), **SAME | {"folders": ["labels/"]}).status_code == 404
    words = [one.text for one in parse(client.get(page_of(ada)).text).root.all("a") if one.text in ("Change", "Revoke")]
    assert words == ["Revoke"]
    asked = client.part(revocation, "dialog").text
    assert "through Olga Owner&#x27;s token" in asked
    assert "handbook/, labels/" in asked
    assert "Secrets, Network" in asked
    assert client.send(revocation).status_code == 200
    assert stored(both) == {}
    assert entries()[2:] == ["access revoked"] * 2


def test_a_card_has_its_buttons_once_and_only_the_latest_access_is_changed(
    both: dict[str, Grant], owner: Person, ada: Person, ref: str
) -> None:
    def buttons() -> list[str]:
        links = parse(client.get(page_of(ada)).text).root.all("a")
        return [one.text for one in links if one.text in ("Confirm", "Change", "Revoke")]

    client = client_of(owner)
    assert buttons() == ["Change", "Revoke"]
    Grant.objects.update(ends_at=timezone.now() - timedelta(seconds=1))
    assert buttons() == ["Change", "Revoke"], "what has ended can be extended"
    root = parse(client.get(way_of(both)).text).root
    assert ticked(root, "life") == [], "for how long is asked"
    grants.give(owner, ref, {"storage": FILES}, people=[ada])
    assert buttons() == ["Change", "Revoke"], "of what is new"


def test_a_card_is_confirmed_as_one(both: dict[str, Grant], owner: Person, ada: Person) -> None:
    Grant.objects.update(token="another")
    client = confirmed(owner)
    links = [one for one in parse(client.get(page_of(ada)).text).root.all("a") if one.text == "Confirm"]
    assert len(links) == 1
    assert client.send(links[0].get("href")).status_code == 200
    assert grants.unconfirmed(owner) == []


def test_a_form_that_was_open_gives_nothing_back_that_was_revoked_meanwhile(both: dict[str, Grant], owner: Person) -> None:
    client = confirmed(owner)
    seen = next(one.get("value") for one in parse(client.get(way_of(both)).text).root.all("input") if one.get("name") == "seen")
    grants.revoke(owner, both["management"])
    refused = client.send(way_of(both), **SAME, seen=seen)
    assert refused.status_code == 409
    assert "This access has changed since you opened it. It is now: View, upload · handbook/, labels/." in refused.text
    assert list(stored(both)) == ["storage"]
    assert ticked(parse(refused.text).root, "sections") == SAME["sections"], "what was ticked is kept"


def test_who_has_access_already_is_led_to_change_it(both: dict[str, Grant], owner: Person, ada: Person, ref: str) -> None:
    client = confirmed(owner)
    answer = client.get(f"{new(ref)}&person={ada.pk}")
    assert answer.headers["Location"] == way_of(both)
    form = parse(client.get(f"{reverse('access:folder', args=[ref, 'invoices'])}?folder=2026/").text).root
    assert ticked(form, "people") == []
    led = next(one.get("href") for one in form.all("a") if one.text == "Ada Member")
    added = parse(client.get(led).text).root
    assert ticked(added, "folders") == ["handbook/", "labels/", "invoices/2026/"]
    assert len(stored(both)) == 2


def test_folders_that_the_form_shows_are_not_offered_again(both: dict[str, Grant], owner: Person, ref: str) -> None:
    client, address = client_of(owner), f"{reverse('access:folders')}?place={ref}"

    def offered(grant: object) -> list[str]:
        boxes = parse(client.part(f"{address}&grant={grant}", "").text).root.all("input")
        return [one.get("value") for one in boxes if one.get("value") in FILES.folders]

    assert offered(both["storage"].pk) == []
    for other in ("", "x", both["management"].pk, 10**30):
        assert offered(other) == [*FILES.folders]


@pytest.mark.django_db(transaction=True)
def test_all_of_it_is_saved_or_nothing(both: dict[str, Grant], owner: Person) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("The trigger is written for SQLite.")
    before = stored(both)
    with connection.cursor() as cursor:
        refusing = "WHEN NEW.kind = 'management' BEGIN SELECT RAISE(ABORT, 'no'); END"
        cursor.execute(f"CREATE TRIGGER refuse BEFORE UPDATE ON tokens_grant {refusing}")
        try:
            with pytest.raises(DatabaseError):
                grants.change(owner, both, {"storage": Terms(acts=("read",), folders=("labels/",))})
        finally:
            cursor.execute("DROP TRIGGER refuse")
    assert stored(both) == before
