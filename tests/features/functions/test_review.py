"""A review: looked at, sent once, read back."""

import re
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from dashboard.features.functions.models import Seen
from dashboard.journal.models import Entry, Outcome
from dashboard.reviews.models import Part, Review, State
from dashboard.team.models import Person
from tests.features.functions.desk import BUNDLE, OTHER, REF, SOURCE, Desk, file, shown
from tests.features.service import FAILURES, Calls, Faults, Overtaken
from tests.markup import parse
from tests.pages import PageClient


def new(client: PageClient, desk: Desk, slug: str, **form: object) -> str:
    """Plan a new function; the review's address."""
    answer = client.post(desk.address("new"), {"slug": slug, "text": SOURCE, **form})
    assert answer.status_code == 303, answer.text
    return str(answer["Location"])


def test_a_new_function_from_source(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    slug = desk.slug()
    review = new(as_keeper, desk, slug, name="Fresh", text=SOURCE.replace("\n", "\r\n"), verify_jwt="on")
    calls()
    answer = as_keeper.get(review)
    assert len(calls()) == 3
    assert f"Creates the function {slug}" in answer.text
    carried = shown(as_keeper, review)
    calls()
    sent = as_keeper.post(review, {"shown": carried, "note": "first"})
    home = f"/v1/projects/{REF}/functions"
    assert calls() == [f"GET {home}/{slug}", f"POST {home}"]
    assert (sent.status_code, sent["Location"]) == (303, desk.address("show", slug))
    function = desk.get(slug)
    assert (function.name, function.verify_jwt, function.import_map, function.version) == ("Fresh", True, False, 1)
    assert desk.body(slug).decode() == SOURCE
    (seen,) = Seen.objects.filter(body__slug=slug)
    assert (seen.sent, seen.note, seen.version) == (True, "first", 1)


@pytest.mark.django_db(transaction=True)
def test_a_second_press_that_reads_the_new_version_leads_there(as_keeper: PageClient, desk: Desk, overtaken: Overtaken) -> None:
    slug = desk.put()
    review = desk.review(as_keeper, slug, OTHER)
    pressed = {"shown": shown(as_keeper, review)}
    first = overtaken(f"GET /v1/projects/{REF}/functions/{slug}", lambda: as_keeper.post(review, pressed))
    second = as_keeper.post(review, pressed)
    assert [answer.status_code for answer in (*first, second)] == [303, 303]
    assert desk.get(slug).version == 2


def test_a_note_that_is_too_long_deploys_nothing(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    slug = desk.put()
    review = desk.review(as_keeper, slug)
    pressed = {"shown": shown(as_keeper, review), "note": "x" * 401}
    calls()
    refused = as_keeper.post(review, pressed)
    assert refused.status_code == 422
    assert "at most 400 characters" in refused.text
    assert not [call for call in calls() if call.startswith(("POST", "PATCH"))]
    assert desk.body(slug).decode() == SOURCE


def test_a_new_function_from_a_bundle(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.slug()
    desk.send(as_keeper, new(as_keeper, desk, slug, text="", file=file(BUNDLE), import_map="on"))
    function = desk.get(slug)
    assert (function.name, function.verify_jwt, function.import_map) == (slug, False, True)
    assert desk.body(slug) == BUNDLE


def test_the_paths_inside_a_bundle_are_sent_shown_and_kept_with_it(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.slug()
    paths = {"entrypoint_path": "src/index.ts", "import_map_path": "deno.json"}
    review = new(as_keeper, desk, slug, text="", file=file(BUNDLE), **paths)
    assert "src/index.ts" in as_keeper.get(review).text
    desk.send(as_keeper, review)
    function = desk.get(slug)
    assert (function.entrypoint_path, function.import_map_path) == ("src/index.ts", "deno.json")
    assert paths.items() <= dict(Entry.objects.get(operation="M9", target=f"function {slug}").after or {}).items()
    assert "src/index.ts" in as_keeper.get(desk.address("show", slug)).text
    form = as_keeper.get(desk.address("replace", slug)).context["form"]
    assert form["entrypoint_path"].value() == "src/index.ts"

    changed = desk.review(as_keeper, slug, "", file=file(BUNDLE + b"2"), entrypoint_path="main.ts", import_map_path="")
    assert re.search(r"entrypoint_path</code>.*?src/index.ts.*?main.ts.*?changes", as_keeper.get(changed).text, re.DOTALL)
    desk.send(as_keeper, changed)
    assert desk.get(slug).entrypoint_path == "main.ts"

    first = Seen.objects.get(body__slug=slug, version=1)
    again = as_keeper.post(desk.address("again", slug, first.pk))["Location"]
    desk.send(as_keeper, again)
    assert desk.get(slug).entrypoint_path == "src/index.ts"


def test_a_source_text_is_sent_without_paths(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.slug()
    desk.send(as_keeper, new(as_keeper, desk, slug, entrypoint_path="src/index.ts"))
    assert desk.get(slug).entrypoint_path is None
    assert "entrypoint_path" not in dict(Entry.objects.get(operation="M9", target=f"function {slug}").after or {})


def test_a_source_replaces_a_source_with_the_difference_shown(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put(name="Kept", verify_jwt=False)
    review = desk.review(as_keeper, slug, OTHER)
    answer = as_keeper.get(review)
    assert "1 line removed, 1 added" in answer.text
    assert "difference__line--added" in answer.text
    assert "changes</span>" not in answer.text
    desk.send(as_keeper, review)
    function = desk.get(slug)
    assert (function.name, function.verify_jwt, function.import_map, function.version) == ("Kept", False, False, 2)
    assert desk.body(slug).decode() == OTHER


def test_a_bundle_replaces_a_source(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put(verify_jwt=False, name="Old")
    review = desk.review(as_keeper, slug, "", file=file(BUNDLE), import_map="on")
    assert "Bundles can't be compared line by line" in as_keeper.get(review).text
    desk.send(as_keeper, review)
    function = desk.get(slug)
    assert (function.name, function.verify_jwt, function.import_map, function.version) == ("Old", False, True, 2)
    assert desk.body(slug) == BUNDLE


def test_switching_the_check_off_is_said_aloud(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put(verify_jwt=True)
    review = as_keeper.post(desk.address("replace", slug), {"text": OTHER})["Location"]
    assert "This turns JWT verification off" in as_keeper.get(review).text


def test_the_same_body_is_said_to_be_the_same(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put()
    assert "is already deployed" in as_keeper.get(desk.review(as_keeper, slug, SOURCE)).text


def test_a_change_meanwhile_stops_it_and_shows_the_plan_anew(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    slug = desk.put()
    review = desk.review(as_keeper, slug)
    carried = shown(as_keeper, review)
    desk.management.functions.update(REF, slug, verify_jwt=False)
    calls()
    answer = as_keeper.post(review, {"shown": carried, "note": "kept"})
    assert len(calls()) == 2
    assert answer.status_code == 409
    assert "Nothing was deployed" in answer.text
    assert 'value="kept"' in answer.text
    assert desk.body(slug).decode() == SOURCE
    assert as_keeper.post(review, {"shown": str(answer.context["form"]["shown"].value())}).status_code == 303
    assert desk.body(slug).decode() == OTHER


def test_a_double_post_deploys_once(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put()
    review = desk.review(as_keeper, slug)
    form = {"shown": shown(as_keeper, review), "once": "k" * 20}
    assert as_keeper.post(review, form).status_code == 303
    assert as_keeper.post(review, form).status_code == 303
    assert as_keeper.post(review, {**form, "once": "l" * 20}).status_code == 303
    assert desk.get(slug).version == 2
    assert "Deployed and verified" in as_keeper.get(review).text


@pytest.mark.parametrize("operation", ["M9", "M12"])
def test_a_flag_that_was_not_applied_is_a_failure_that_stays(
    as_keeper: PageClient, desk: Desk, faults: Faults, operation: str
) -> None:
    if operation == "M9":
        slug = desk.slug()
        review = new(as_keeper, desk, slug)
    else:
        slug = desk.put()
        review = as_keeper.post(desk.address("replace", slug), {"text": OTHER})["Location"]
    faults(operation, stay=True)
    sent: Any = desk.send(as_keeper, review)
    assert (sent.status_code, sent["Location"]) == (303, review)
    for _ in range(2):
        answer = as_keeper.get(review)
        assert "alert--danger" in answer.text
        assert "“Require a JWT” was sent as off but is on." in answer.text
    entry = Entry.objects.get(operation=operation)
    assert entry.outcome == Outcome.FAILED
    assert "but is on" in entry.message


def test_nothing_is_sent_where_the_function_can_not_be_read(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    slug = desk.put()
    review = desk.review(as_keeper, slug)
    carried = shown(as_keeper, review)
    faults("M11", status=500)
    assert as_keeper.post(review, {"shown": carried}).status_code == 422
    assert desk.body(slug).decode() == SOURCE


def test_no_answer_is_settled_by_reading_back(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    slug = desk.put()
    review = desk.review(as_keeper, slug)
    carried = shown(as_keeper, review)
    faults("M12", cut="after", times=1)
    answer = as_keeper.post(review, {"shown": carried})
    assert (answer.status_code, answer["Location"]) == (303, desk.address("show", slug))
    assert desk.body(slug).decode() == OTHER
    assert Entry.objects.get(operation="M12").settled_at


def test_no_answer_and_no_new_version_is_an_unknown_outcome(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    slug = desk.put()
    review = desk.review(as_keeper, slug)
    carried = shown(as_keeper, review)
    faults("M12", status=504)
    answer = as_keeper.post(review, {"shown": carried})
    assert (answer.status_code, answer["Location"]) == (303, review)
    assert "Outcome unknown." in as_keeper.get(review).text
    assert Entry.objects.get(operation="M12").outcome == Outcome.UNKNOWN


def test_a_full_plan_is_told_in_the_services_words(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    slug = desk.slug()
    review = new(as_keeper, desk, slug)
    carried = shown(as_keeper, review)
    faults("M9", status=402)
    answer = as_keeper.post(review, {"shown": carried, "note": "kept"})
    assert answer.status_code == 422
    assert "allows no more functions" in answer.text
    assert "The service reported: “Refused”" in answer.text
    assert not desk.is_there(slug)


def test_a_refusal_stands_on_the_plan_which_can_be_sent_again(
    as_keeper: PageClient, desk: Desk, faults: Faults, calls: Calls
) -> None:
    slug = desk.put()
    review = desk.review(as_keeper, slug)
    form = {"shown": shown(as_keeper, review), "once": "k" * 20}
    faults("M12", status=400, times=1)
    calls()
    answer = as_keeper.post(review, form)
    assert len(calls()) == 2
    assert answer.status_code == 422
    assert "does not accept these values" in answer.text
    assert "1 line removed, 1 added" in answer.text
    assert as_keeper.post(review, form).status_code == 303
    assert desk.body(slug).decode() == OTHER


@pytest.mark.parametrize("failure", [name for name in FAILURES if name in ("failed", "the page of a proxy")])
def test_it_says_how_the_service_failed(as_keeper: PageClient, desk: Desk, faults: Faults, failure: str) -> None:
    fault, status, words = FAILURES[failure]
    slug = desk.put()
    review = desk.review(as_keeper, slug)
    faults("M11", **fault)
    answer = as_keeper.get(review)
    assert answer.status_code == status
    assert words in answer.text


def test_a_live_body_that_can_not_be_read_leaves_a_plan_without_a_difference(
    as_keeper: PageClient, desk: Desk, faults: Faults
) -> None:
    slug = desk.put()
    review = desk.review(as_keeper, slug)
    faults("M14", status=403)
    assert "The live code could not be read" in as_keeper.get(review).text


def test_the_body_that_goes_is_kept_before_it_is_replaced(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put()
    desk.send(as_keeper, desk.review(as_keeper, slug))
    kept = {(seen.version, seen.sent) for seen in Seen.objects.filter(body__slug=slug)}
    assert kept == {(1, False), (2, True)}


def test_the_journal_has_flags_digest_and_note_and_no_source(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put()
    desk.send(as_keeper, desk.review(as_keeper, slug, "// canary-4714\n"), note="because")
    entry = Entry.objects.get(operation="M12")
    assert (entry.target, entry.place, entry.outcome) == (f"function {slug}", REF, Outcome.DONE)
    assert entry.after
    assert entry.after["note"] == "because"
    assert entry.after["body"].startswith("sha256:")
    assert entry.after["verified"] == "as sent"
    assert (entry.after["version"], entry.after["verify_jwt"]) == ("2", True)
    assert "canary" not in f"{entry.before}{entry.after}"
    assert f"Deployed function {slug}" in parse(as_keeper.get("/journal/").text).root.text
    shown = parse(as_keeper.get(f"/journal/{entry.pk}/").text).root.text
    assert "Technicaloperation, status, duration OperationM12 Status200 Duration" in shown
    assert "recorded" not in shown
    assert "Unknown" not in shown


def test_a_removed_function_makes_room_for_a_new_one(as_keeper: PageClient, desk: Desk) -> None:
    review = new(as_keeper, desk, "resize", verify_jwt="on")
    desk.made.append("resize")
    assert "still lists a removed function" in as_keeper.get(review).text
    desk.send(as_keeper, review)
    assert desk.get("resize").version == 1
    assert desk.get("resize").status == "ACTIVE"


def test_a_review_expires_after_a_day_and_its_body_is_erased(as_keeper: PageClient, desk: Desk) -> None:
    review = new(as_keeper, desk, "never-sent", text="// 4715\n")
    Review.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert "This review has expired" in as_keeper.get(review).text
    assert not Part.objects.exists()


def test_a_review_survives_reload_back_and_a_second_tab(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put()
    first = desk.review(as_keeper, slug, "// first\n")
    second = desk.review(as_keeper, slug, "// second\n")
    for _ in range(2):
        assert "// first" in as_keeper.get(first).text
        assert "// second" in as_keeper.get(second).text
    desk.send(as_keeper, first)
    assert desk.body(slug).decode() == "// first\n"
    for answer in (as_keeper.get(first), as_keeper.get(as_keeper.post(first, {"shown": "any"})["Location"])):
        assert "Deployed and verified" in answer.text
    assert "// second" in as_keeper.get(second).text


def test_a_review_is_not_found_by_anybody_else_nor_with_another_token(
    as_keeper: PageClient, desk: Desk, owner: Person, ada: Person
) -> None:
    review = new(as_keeper, desk, "drafted")
    Review.objects.update(person=ada)
    assert as_keeper.get(review).status_code == 404
    Review.objects.update(person=owner)
    assert as_keeper.get(review).status_code == 200
    owner.stored_tokens.update(fingerprint="0" * 32)
    assert as_keeper.get(review).status_code == 404


def test_a_body_over_512_kib_is_stored_in_parts_and_erased_once_deployed(as_keeper: PageClient, desk: Desk) -> None:
    slug, body = desk.slug(), b"ESZIP2.3" + bytes(1 << 20)
    review = new(as_keeper, desk, slug, text="", file=file(body))
    assert Part.objects.count() > 2
    desk.send(as_keeper, review)
    assert desk.body(slug) == body
    assert not Part.objects.exists()


def test_an_unknown_outcome_keeps_the_body_until_it_can_be_reviewed_again(
    as_keeper: PageClient, desk: Desk, faults: Faults
) -> None:
    slug = desk.put()
    review = desk.review(as_keeper, slug)
    carried = shown(as_keeper, review)
    faults("M12", status=504, times=1)
    as_keeper.post(review, {"shown": carried})
    page = as_keeper.get(review).text
    assert "Outcome unknown" in page
    assert "Review again" not in page
    as_keeper.post(review, {"act": "reopen"})
    assert "Outcome unknown" in as_keeper.get(review).text
    with time_machine.travel(timezone.now() + timedelta(minutes=11)):
        assert "Not confirmed" in as_keeper.get(review).text
        assert Entry.objects.get(operation="M12").outcome == Outcome.NOT_APPLIED
        as_keeper.post(review, {"act": "reopen"})
        desk.send(as_keeper, review)
    assert desk.body(slug).decode() == OTHER


def test_a_deployment_that_is_carried_out_late_closes_its_review_and_is_kept(
    as_keeper: PageClient, desk: Desk, faults: Faults
) -> None:
    slug = desk.put()
    review = desk.review(as_keeper, slug)
    carried = shown(as_keeper, review)
    faults("M12", status=504, times=1)
    as_keeper.post(review, {"shown": carried, "note": "late"})
    desk.management.functions.update(REF, slug, body=OTHER, verify_jwt=True)
    assert "Deployed and verified" in as_keeper.get(review).text
    assert not Part.objects.exists()
    assert Seen.objects.get(body__slug=slug, sent=True).note == "late"


def test_an_interrupted_deployment_can_be_reviewed_again(as_keeper: PageClient, desk: Desk) -> None:
    slug = desk.put()
    review = desk.review(as_keeper, slug)
    Review.objects.update(state=State.APPLYING, applied_at=timezone.now())
    assert "is being deployed" in as_keeper.get(review).text
    Review.objects.update(applied_at=timezone.now() - timedelta(minutes=11))
    assert "Not confirmed" in as_keeper.get(review).text
    as_keeper.post(review, {"act": "reopen"})
    desk.send(as_keeper, review)
    assert desk.body(slug).decode() == OTHER
