"""The dialogs that begin work on many objects."""

import html
import json
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from django.urls import reverse

from dashboard.catalog.keys import PLACEHOLDER
from dashboard.features.bulk import services
from dashboard.jobs import kinds, transitions
from dashboard.jobs.models import Approval, Job, State
from dashboard.reviews.models import Review
from tests.features.bulk.conftest import Calls, Desk
from tests.jobs.conftest import turn
from tests.markup import parse
from tests.pages import PageClient, kept

DIALOG = {"HX-Request": "true", "HX-Target": "dialog"}
VERBS = ["deletion", "move", "copy", "rename", "places", "emptying", "removal"]


def begun() -> Job:
    return Job.objects.latest("pk")


def asked(desk: Desk, verb: str, *names: str) -> str:
    """The address of the dialog that a list's boxes lead to."""
    chosen = desk.selection(*names)
    return kept(desk.client, desk.address(verb), key=chosen.keys, folder=chosen.folders)


@pytest.mark.parametrize("verb", VERBS)
def test_it_needs_the_persons_own_token(desk: Desk, as_ada: PageClient, verb: str) -> None:
    assert "token" in as_ada.get(desk.address(verb, key="a.txt")).text


def test_a_move_asks_for_a_place_and_then_begins(desk: Desk) -> None:
    desk.put("in/a.txt", "in/deep/b.txt", "out/c.txt")
    address = asked(desk, "move", "in/a.txt", "in/deep/")
    shown = desk.client.get(address, headers=DIALOG)
    assert "Move 1 object and 1 folder" in shown.text
    assert "Bucket root" in shown.text
    assert desk.other in shown.text
    answer = desk.client.post(address, {"to_bucket": desk.bucket, "to": "out", "new": "fresh"}, headers=DIALOG)
    assert json.loads(answer["HX-Trigger"]) == {"dialog:close": True, "jobs:changed": True}
    job = turn(begun())
    assert (job.approval, job.state) == (Approval.ON_CONFLICT, State.DONE)
    assert desk.names() == ["out/c.txt", "out/fresh/a.txt", "out/fresh/deep/b.txt"]


def test_a_destination_that_is_gone_leaves_no_other_bucket_chosen(desk: Desk) -> None:
    desk.put("a.txt")
    answer = desk.client.post(asked(desk, "move", "a.txt"), {"to_bucket": "nowhere", "to": "", "new": ""}, headers=DIALOG)
    assert answer.status_code == 422
    assert '<option value="" selected>Choose a bucket</option>' in answer.text
    assert answer.text.count(" selected>") == 1
    answer = desk.client.post(asked(desk, "move", "a.txt"), {"to_bucket": "", "to": "", "new": ""}, headers=DIALOG)
    assert "<p>Choose a bucket.</p>" in answer.text


def test_a_place_is_found_by_browsing(desk: Desk) -> None:
    desk.put("photos/2026/a.txt", "texts/b.txt", ".requests/1/sent.txt", "photos/.requests/2/sent.txt")
    root = desk.client.get(
        desk.address("places", to_bucket=desk.bucket), headers={"HX-Request": "true", "HX-Target": "bulk-places"}
    )
    assert 'value="photos/"' in root.text
    below = desk.client.get(
        desk.address("places", to_bucket=desk.bucket, to="photos/"), headers={"HX-Request": "true", "HX-Target": "bulk-places"}
    )
    assert 'value="photos/2026/"' in below.text
    assert "texts/" not in below.text
    assert ".requests" not in root.text + below.text, "what outsiders sent is no place for other objects"


@pytest.mark.parametrize(
    ("verb", "names", "told", "said"),
    [
        ("move", ["a/"], {"to": "a/b/"}, "go into itself"),
        ("copy", ["a/"], {"to": "a/"}, "go into itself"),
        ("move", ["a/x.txt"], {"to": "a/"}, "already in this one"),
        ("copy", ["a/"], {"to": ""}, "already in this one"),
        ("move", ["a/x.txt"], {"to": "ü/"}, "contain"),
        ("move", ["a/x.txt"], {"to": "", "new": ".."}, "between its slashes"),
        ("move", ["a/x.txt"], {"to_bucket": "nowhere"}, "Bucket nowhere no longer exists. Choose another."),
    ],
)
def test_a_place_that_makes_no_sense_is_refused_at_the_form(
    desk: Desk, verb: str, names: list[str], told: dict[str, str], said: str
) -> None:
    data = {"to_bucket": desk.bucket, "to": "", "new": "", **told}
    answer = desk.client.post(asked(desk, verb, *names), data, headers=DIALOG)
    assert answer.status_code == 422
    assert said in answer.text
    assert not Job.objects.exists()


def test_a_wrong_place_is_told_where_it_was_typed_and_the_title_still_counts(desk: Desk) -> None:
    data = {"to_bucket": desk.bucket, "to": "../b", "new": ""}
    answer = desk.client.post(asked(desk, "move", "a/x.txt", "a/y.txt"), data, headers=DIALOG)
    assert 'aria-describedby="id_to_error"' in answer.text
    assert "Move 2 objects" in answer.text


@pytest.mark.parametrize("verb", ["move", "copy"])
def test_only_the_id_of_the_selection_travels_between_pages(desk: Desk, verb: str) -> None:
    address = asked(desk, verb, "secret plan.txt", "in/deep/")
    shown = desk.client.get(address, headers=DIALOG).text
    assert parse_qs(urlsplit(address).query).keys() == {"selection"}
    assert "secret plan" not in shown
    assert 'value="in/deep/"' not in shown.replace('name="to"', "")
    assert f'action="{address}"' in html.unescape(shown)


@pytest.mark.parametrize("verb", ["move", "copy", "rename", "deletion"])
def test_a_selection_is_another_persons_neither_to_see_nor_to_act_on(desk: Desk, as_ada: PageClient, verb: str) -> None:
    review = parse_qs(urlsplit(asked(desk, "move", "a.txt")).query)["selection"][0]
    address = desk.address(verb, selection=review)
    assert desk.client.get(address).status_code == 200
    assert as_ada.get(address).status_code == 404
    assert as_ada.post(address, {"to_bucket": desk.bucket, "to": "x/", "name": "b.txt"}).status_code == 404
    assert not Job.objects.exists()


@pytest.mark.parametrize("verb", ["move", "copy", "deletion"])
@pytest.mark.parametrize("told", [{}, {"key": ""}, {"folder": "", "path": "a/"}, {"all": "1", "filter": " "}])
def test_nothing_selected_is_said(desk: Desk, verb: str, told: dict[str, str]) -> None:
    answer = desk.client.post(desk.address(verb), told)
    if answer.status_code == 303:
        answer = desk.client.get(answer["Location"])
    else:
        assert answer.status_code == 422
    assert "Nothing selected" in answer.text
    assert not Job.objects.exists()


def test_a_selection_of_another_bucket_is_not_acted_on(desk: Desk) -> None:
    review = parse_qs(urlsplit(asked(desk, "move", "a.txt")).query)["selection"][0]
    address = reverse("bulk:move", kwargs={"space": desk.space, "bucket": desk.other}, query={"selection": review})
    assert desk.client.post(address, {"to_bucket": desk.other, "to": "x/"}).status_code == 422
    assert not Job.objects.exists()


def test_more_boxes_than_a_form_may_have_are_refused(desk: Desk) -> None:
    answer = desk.client.post(desk.address("move"), {"key": [str(number) for number in range(10_001)]})
    assert answer.status_code == 400
    assert not Review.objects.exists()


def test_a_new_name_has_its_old_one_before_the_ending_chosen(desk: Desk) -> None:
    desk.put("a/report.pdf")
    asked = desk.client.get(desk.address("rename", key="a/report.pdf"), headers=DIALOG)
    assert 'value="report.pdf"' in asked.text
    assert 'data-select="6"' in asked.text
    answer = desk.client.post(desk.address("rename", key="a/report.pdf"), {"name": "final.pdf"})
    assert answer.status_code == 303
    turn(begun())
    assert desk.names() == ["a/final.pdf"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("x.txt", "Enter a different name"),
        ("b/c", "contain a slash"),
        ("", "Enter a name."),
        ("ü", "For example: u"),
        ("x" * 901, "Use at most 900 characters."),
    ],
)
def test_a_name_that_does_not_work_is_refused(desk: Desk, name: str, said: str) -> None:
    answer = desk.client.post(desk.address("rename", key="a/x.txt"), {"name": name}, headers=DIALOG)
    assert answer.status_code == 422
    assert said in answer.text


def test_a_rename_of_several_things_is_not_found(desk: Desk) -> None:
    assert desk.client.get(desk.address("rename")).status_code == 404


@pytest.mark.parametrize(
    ("names", "summary", "typed"),
    [
        (["a/"], "Delete a: 2 objects, 2 bytes.", "a"),
        (["a/", "c.txt"], "Delete 1 object and 1 folder: 3 objects, 3 bytes.", "3"),
    ],
)
def test_selected_folders_are_counted_in_the_dialog_before_they_are_deleted(
    desk: Desk, names: list[str], summary: str, typed: str
) -> None:
    desk.put("a/1.txt", "a/b/2.txt", "c.txt", "d.txt")
    address = asked(desk, "deletion", *names)
    opened = parse(desk.client.get(address, headers=DIALOG).text).root
    [counting] = [one for one in opened.all("div") if one.has("data-waits")]
    assert summary in desk.client.get(counting.get("hx-get"), headers=DIALOG).text
    assert not Job.objects.exists(), "choosing them begins nothing"
    number = summary.rpartition(": ")[2].partition(" ")[0]
    desk.client.post(address, {"count": number, "typed": typed}, headers=DIALOG)
    assert turn(begun()).state == State.DONE
    assert desk.names() == sorted({"c.txt", "d.txt"} - set(names))


def test_a_search_is_counted_by_the_job_before_it_is_deleted(desk: Desk) -> None:
    answer = desk.client.post(desk.address("deletion"), {"all": "1", "filter": "txt"}, headers=DIALOG)
    job = begun()
    assert answer["HX-Redirect"] == reverse("jobs:show", args=[job.pk])
    assert job.approval == Approval.REQUIRED


def test_a_folder_is_counted_in_its_dialog_and_then_deleted(desk: Desk) -> None:
    desk.put("a/1.txt", "a/b/2.txt", "c.txt")
    address = desk.address("deletion", folder="a/")
    opened = parse(desk.client.get(address, headers=DIALOG).text).root
    [counting] = [one for one in opened.all("div") if one.has("data-waits")]
    counted = desk.client.get(counting.get("hx-get"), headers=DIALOG).text
    assert "Delete a: 2 objects, 2 bytes." in counted
    assert "Delete 2 objects" in counted
    assert not Job.objects.exists(), "opening it begins nothing"
    for wrong in ({}, {"count": "2"}, {"count": "2", "typed": "2"}, {"count": "1", "typed": "a"}, {"typed": "a"}):
        assert desk.client.post(address, wrong, headers=DIALOG).status_code in (409, 422)
    assert not Job.objects.exists()
    answer = desk.client.post(address, {"count": "2", "typed": "a"}, headers=DIALOG)
    assert answer.status_code == 200
    job = turn(begun())
    assert job.parameters["selection"]["folders"] == ["a/"]
    assert (job.state, desk.names()) == (State.DONE, ["c.txt"]), "it doesn't ask again"


@pytest.mark.parametrize("verb", ["emptying", "removal"])
def test_a_bucket_is_asked_for_once_while_its_dialog_opens(desk: Desk, calls: Calls, verb: str) -> None:
    desk.put("a/1.txt")
    calls()
    opened = parse(desk.client.get(desk.address(verb), headers=DIALOG).text).root
    assert calls() == []
    [counting] = [one for one in opened.all("div") if one.has("data-waits")]
    assert "1 object" in desk.client.get(counting.get("hx-get"), headers=DIALOG).text
    assert sum(call.endswith(f"/bucket/{quote(desk.bucket)}") for call in calls()) == 1


def test_what_came_after_the_count_is_asked_about(desk: Desk) -> None:
    desk.put("a/1.txt")
    assert desk.client.post(desk.address("deletion", folder="a/"), {"count": "1", "typed": "a"}).status_code == 303
    desk.put("a/2.txt")
    job = turn(begun())
    assert (job.state, desk.names()) == (State.PLANNED, ["a/1.txt", "a/2.txt"])
    assert (kinds.plan_of(job).typed, kinds.plan_of(job).button) == ("a", "Delete 2 objects")
    desk.storage.objects.delete(desk.bucket, "a/2.txt")
    transitions.replan_on_request(job, "")
    assert kinds.plan_of(turn(job)).typed == "a", "a new plan is confirmed anew"


@pytest.mark.parametrize("verb", ["deletion", "emptying", "removal"])
def test_what_takes_long_to_count_is_counted_by_the_job(desk: Desk, monkeypatch: pytest.MonkeyPatch, verb: str) -> None:
    monkeypatch.setattr(services, "COUNT_SECONDS", 0)
    desk.put("a/1.txt")
    address = desk.address(verb, **({"folder": "a/"} if verb == "deletion" else {}))
    assert "Count contents" in desk.client.get(f"{address}{'&' if '?' in address else '?'}counted=1", headers=DIALOG).text
    desk.client.post(address)
    assert turn(begun()).state == State.PLANNED


def test_an_empty_folder_is_counted_by_the_job(desk: Desk) -> None:
    assert "Count contents" in desk.client.get(desk.address("deletion", folder="gone/")).text


def test_few_objects_are_deleted_without_a_job_and_folders_with_one(desk: Desk) -> None:
    direct = reverse("objects:selection", kwargs={"space": desk.space, "bucket": desk.bucket})
    few = desk.client.post(direct, {"key": ["a", "b"], "path": "x/"})
    assert (few.status_code, urlsplit(few["Location"]).path) == (303, direct)
    many = desk.client.post(direct, {"folder": "a/"})
    assert (many.status_code, many["Location"]) == (307, desk.address("deletion"))
    much = desk.client.post(direct, {"key": [str(number) for number in range(1001)]})
    assert much.status_code == 307


@pytest.mark.parametrize("verb", ["emptying", "removal"])
def test_the_dialog_of_a_bucket_names_what_it_holds(desk: Desk, verb: str) -> None:
    desk.put("docs/a.txt", "b.txt")
    desk.put(PLACEHOLDER, body=b"")
    assert affected(desk, verb) == ["docs/", "b.txt"]
    desk.put(*(f"{number}.txt" for number in range(10)))
    assert affected(desk, verb) == ["docs/", *(f"{number}.txt" for number in range(9)), "and more"]


def affected(desk: Desk, verb: str) -> list[str]:
    shown = parse(desk.client.get(f"{desk.address(verb)}?counted=1", headers=DIALOG).text).root
    [names] = [one for one in shown.all("ul") if one.get("aria-label") == "Affected"]
    return [name.text for name in names.all("li")]


@pytest.mark.parametrize("verb", ["emptying", "removal"])
def test_a_bucket_is_counted_before_its_name_is_typed(desk: Desk, verb: str) -> None:
    desk.put("a.txt")
    assert f"{desk.bucket} holds 1 object, 1 byte." in desk.client.get(desk.address(verb)).text
    for wrong in ({"count": "1"}, {"count": "1", "typed": "other"}, {"count": "0", "typed": desk.bucket}):
        assert desk.client.post(desk.address(verb), wrong).status_code in (409, 422)
    assert not Job.objects.exists()
    desk.client.post(desk.address(verb), {"count": "1", "typed": desk.bucket})
    desk.put("b.txt")
    assert turn(begun()).state == State.PLANNED, "it holds more than was confirmed"


def test_a_bucket_that_is_gone_is_said_to_be(desk: Desk) -> None:
    address = reverse("bulk:removal", kwargs={"space": desk.space, "bucket": "nowhere"})
    assert desk.client.get(address).status_code == 404
    answer = desk.client.get(f"{address}?counted=1", headers=DIALOG)
    assert json.loads(answer["HX-Trigger"])["buckets:changed"] is True
