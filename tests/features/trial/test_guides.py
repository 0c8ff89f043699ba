"""The guided minutes: each step is noticed from what the person really did."""

from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.features.secrets.services.secrets import purpose_of
from dashboard.features.trial.models import Trial
from dashboard.features.trial.rules import GUIDES, Guide, steps_done
from dashboard.journal.models import Entry, Outcome
from dashboard.links.lifecycle import Terms, make
from dashboard.links.models import Share
from dashboard.team.models import Person
from dashboard.tokens.models import StoredToken
from tests.features.hostname.desk import Desk
from tests.pages import PageClient
from tests.people import client_of, hold
from tests.sandboxes import Sandbox

LINE = "/sandbox/line/"
FIRST, SECOND = "ktmvqhzwrbnxpgaydcle", "xreugplnbwsqhdvfyakt"


def line(client: PageClient) -> str:
    return str(client.part(LINE, "sandbox").text)


def test_the_banner_offers_the_guides_and_names_the_sandbox(as_keeper: PageClient, embedded: Sandbox) -> None:
    text = as_keeper.get("/").text
    assert "Nothing here is real" in text
    for guide in GUIDES:
        assert f"/sandbox/guides/{guide.key}/" in text


def test_members_are_not_offered_the_guide_that_needs_the_switches(as_ada: PageClient, embedded: Sandbox) -> None:
    assert "hostname" not in as_ada.get("/sandbox/").text.split("<main")[1]
    assert as_ada.post("/sandbox/guides/hostname/").status_code == 404


def test_viewers_are_offered_no_guide_that_their_role_refuses(as_ada: PageClient, ada: Person, embedded: Sandbox) -> None:
    Person.objects.filter(pk=ada.pk).update(role="viewer")
    text = as_ada.get("/sandbox/").text
    assert "No guides for your role" in text
    assert "Nothing here is real." in text
    assert "Paste a .env" not in text
    assert as_ada.post("/sandbox/guides/secrets/").status_code == 404


def test_the_banner_is_hidden_for_good_for_one_person(as_keeper: PageClient, as_ada: PageClient, embedded: Sandbox) -> None:
    as_keeper.post("/sandbox/banner/")
    assert 'id="sandbox"' not in as_keeper.get("/").text
    assert 'id="sandbox"' in as_ada.get("/").text
    as_keeper.post("/sandbox/guides/share/")
    assert 'id="sandbox"' in as_keeper.get("/").text, "a guide that is started shows again"
    as_keeper.post("/sandbox/guides/share/leaving/")
    assert 'id="sandbox"' not in as_keeper.get("/").text


def test_pasting_a_env_is_noticed_step_by_step(as_keeper: PageClient, embedded: Sandbox, ref: str) -> None:
    as_keeper.get(f"/projects/{ref}/secrets/")
    started = as_keeper.post("/sandbox/guides/secrets/")
    assert started["Location"] == f"/projects/{ref}/secrets/draft/", "the project used last"
    assert "1 of 3" in line(as_keeper)
    assert "SHOP_NAME=Harbour" in line(as_keeper), "a sample to copy"
    review = as_keeper.post(started["Location"], {"text": "GUIDE_A=1\nGUIDE_B=2"})["Location"]
    assert "2 of 3" in line(as_keeper)
    assert "GUIDE_A" in as_keeper.get(review).text
    as_keeper.post(f"/projects/{ref}/secrets/new/", {"name": "GUIDE_A", "value": "1"})
    assert "3 of 3" in line(as_keeper)
    as_keeper.post(f"/projects/{ref}/secrets/delete/?name=GUIDE_A", {"typed": "GUIDE_A"})
    assert "Paste a .env: done." in line(as_keeper)


def test_bringing_a_hostname_live_is_noticed_step_by_step(as_keeper: PageClient, embedded: Sandbox, desk: Desk, ref: str) -> None:
    project, host = desk.project(), desk.host()

    def verify() -> None:
        for _ in range(2):
            as_keeper.post(f"/projects/{project}/hostname/verification/")

    assert as_keeper.post("/sandbox/guides/hostname/")["Location"] == "/hostnames/"
    as_keeper.post(f"/projects/{project}/hostname/new/", {"custom_hostname": host, "anyway": "on"})
    assert "2 of 6" in line(as_keeper)
    assert 'href="/sandbox/switches/"' in line(as_keeper)
    as_keeper.post(f"/sandbox/dns/{project}/")
    assert "3 of 6" in line(as_keeper)
    assert f'href="/projects/{project}/hostname/"' in line(as_keeper)
    verify()
    assert "4 of 6" in line(as_keeper), "the certificate's record was only asked for now"
    assert 'href="/sandbox/switches/"' in line(as_keeper)
    as_keeper.post(f"/sandbox/dns/{project}/")
    assert "5 of 6" in line(as_keeper)
    assert f'href="/projects/{project}/hostname/"' in line(as_keeper), "the page where it is verified, not the one that is open"
    verify()
    assert "6 of 6" in line(as_keeper)
    assert f'href="/projects/{project}/hostname/"' in line(as_keeper)


def test_sharing_a_file_is_noticed_step_by_step(as_keeper: PageClient, owner: Person, embedded: Sandbox, ref: str) -> None:
    as_keeper.post("/sandbox/guides/share/")
    for operation, words in (("S9", "2 of 4"), ("link shared", "3 of 4")):
        Entry.objects.create(person=owner, operation=operation, place=ref, outcome=Outcome.DONE)
        assert words in line(as_keeper)
    share, _ = make(owner, ref, "handbook", keys=["a.txt"], terms=Terms(ends_at=timezone.now() + timedelta(days=1)))
    Share.objects.filter(pk=share.pk).update(opened=1)
    assert "4 of 4" in line(as_keeper)
    Entry.objects.create(person=owner, operation="link revoked", place=ref, outcome=Outcome.DONE)
    assert "Share a file: done." in line(as_keeper)


def test_what_was_refused_or_done_by_others_or_before_is_no_step(
    as_keeper: PageClient, owner: Person, ada: Person, embedded: Sandbox
) -> None:
    Entry.objects.create(person=owner, operation="S9", outcome=Outcome.DONE)
    as_keeper.post("/sandbox/guides/share/")
    Entry.objects.create(person=owner, operation="S9", outcome=Outcome.REFUSED)
    Entry.objects.create(person=ada, operation="S9", outcome=Outcome.DONE)
    assert "1 of 4" in line(as_keeper)


def test_a_guide_that_was_left_is_resumed_where_it_was(as_keeper: PageClient, owner: Person, embedded: Sandbox) -> None:
    as_keeper.post("/sandbox/guides/share/")
    Entry.objects.create(person=owner, operation="S9", outcome=Outcome.DONE)
    as_keeper.post("/sandbox/guides/share/leaving/")
    assert "of 4" not in line(as_keeper)
    assert "Resume" in as_keeper.get("/sandbox/").text
    as_keeper.post("/sandbox/guides/share/")
    assert "2 of 4" in line(as_keeper)
    assert as_keeper.part(f"{LINE}?done=1", "sandbox").status_code == 204, "nothing is replaced until a step is done"
    assert as_keeper.part(f"{LINE}?done=0", "sandbox").status_code == 200


def test_a_finished_guide_starts_again_from_the_first_step(as_keeper: PageClient, owner: Person, embedded: Sandbox) -> None:
    as_keeper.post("/sandbox/guides/share/")
    Entry.objects.create(person=owner, operation="link revoked", outcome=Outcome.DONE)
    assert "Start again" in as_keeper.get("/sandbox/").text
    as_keeper.post("/sandbox/guides/share/")
    assert "1 of 4" in line(as_keeper)


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.key)
def test_a_later_step_proves_the_earlier_ones(guide: Guide) -> None:
    for number, step in enumerate(guide.steps, 1):
        assert [steps_done(guide, {proof: ""}) for proof in step.proofs] == [number] * len(step.proofs)
    assert steps_done(guide, {}) == 0


def test_without_tokens_the_guides_lead_to_the_lists(as_owner: PageClient, owner: Person, embedded: Sandbox) -> None:
    StoredToken.objects.all().delete()
    led = [client_of(owner).post(f"/sandbox/guides/{guide.key}/")["Location"] for guide in GUIDES]
    assert led == ["/?view=storage", "/", "/hostnames/"]
    assert Trial.objects.get().guide == "hostname"


def test_a_newcomer_is_led_to_a_storage_that_holds_buckets(as_keeper: PageClient, owner: Person, embedded: Sandbox) -> None:
    for space, keys in embedded.storage_tokens.items():
        hold(owner, keys["service"], space)
    as_keeper.get("/?list=now")
    for space in embedded.storage_tokens:
        as_keeper.part(f"/overview/{space}/", "home-list")
    address = as_keeper.post("/sandbox/guides/share/")["Location"]
    assert address.startswith("/storage/")
    assert "No buckets yet" not in as_keeper.get(address).text


def test_the_banner_leads_to_the_project_that_is_open(as_keeper: PageClient, embedded: Sandbox) -> None:
    as_keeper.post("/sandbox/guides/secrets/")
    for place in (FIRST, SECOND, FIRST):
        assert f'href="/projects/{place}/secrets/draft/"' in as_keeper.get(f"/projects/{place}/secrets/").text


def test_the_name_of_a_review_of_secrets_is_what_the_guide_looks_for() -> None:
    assert purpose_of("abc") == "secrets of abc"


def test_a_member_with_a_token_sees_what_is_switched_on_and_no_reset(
    as_ada: PageClient, ada: Person, as_keeper: PageClient, embedded: Sandbox
) -> None:
    hold(ada, embedded.personal_token)
    as_keeper.post("/sandbox/switches/stuck/")
    text = as_ada.get("/").text
    assert "leaves changes pending" in text
    assert "Reset" not in text
