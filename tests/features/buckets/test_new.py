"""Creating a bucket."""

import json

import pytest

from dashboard.features.buckets.rules import notes, trouble
from dashboard.journal.models import Entry, Outcome
from tests.features.buckets.desk import Desk
from tests.features.service import Calls, Faults
from tests.markup import parse
from tests.pages import PageClient, is_ticked


def test_it_creates_and_the_list_refreshes_itself(as_keeper: PageClient, desk: Desk, calls: Calls) -> None:
    name = desk.name()
    answer = as_keeper.send(desk.address("new"), name=name, public="on", size="1.5", size_unit="MB", types="image/png\ntext/*")
    assert json.loads(answer["HX-Trigger"]) == {"dialog:close": True, "buckets:changed": True}
    assert f"Bucket {name} created." in answer.text
    assert calls() == [f"POST /{desk.space}/storage/v1/bucket/", f"GET /{desk.space}/storage/v1/bucket/{name}"]
    bucket = desk.bucket(name)
    assert bucket
    assert (bucket.public, bucket.file_size_limit, bucket.allowed_mime_types) == (True, 1_500_000, ["image/png", "text/*"])


@pytest.mark.parametrize("around", [" {}", "{} ", "   "])
@pytest.mark.parametrize("verb", ["new", "named"])
def test_a_name_is_never_trimmed_silently(as_keeper: PageClient, desk: Desk, verb: str, around: str) -> None:
    name = desk.put()
    answer = as_keeper.send(desk.address(verb), name=around.format(name), size="", size_unit="MB", types="")
    assert answer.status_code == 422
    assert "begin or end with a space" in answer.text


def test_without_script_and_without_choices(as_keeper: PageClient, desk: Desk) -> None:
    name = desk.name()
    assert as_keeper.get(desk.address("new")).status_code == 200
    answer = as_keeper.post(desk.address("new"), {"name": name, "size": "", "size_unit": "MB", "types": ""})
    assert (answer.status_code, answer["Location"]) == (303, desk.address("index"))
    bucket = desk.bucket(name)
    assert bucket
    assert (bucket.public, bucket.file_size_limit, bucket.allowed_mime_types) == (False, None, None)


def test_only_what_was_chosen_is_sent(as_keeper: PageClient, desk: Desk) -> None:
    name = desk.name()
    as_keeper.send(desk.address("new"), name=name, size="5", size_unit="MB")
    bucket = desk.bucket(name)
    assert bucket
    assert (bucket.file_size_limit, bucket.allowed_mime_types) == (5_000_000, None)


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ({"name": ""}, "Enter a name."),
        ({"name": "a/b"}, "“/”"),
        ({"name": "über"}, "“ü”"),
        ({"name": "x" * 101}, "101 characters"),
        ({"name": ".."}, "because they would change the address"),
        ({"name": "sign"}, "nothing could be uploaded"),
        ({"name": "a", "size": "many"}, "Enter a number"),
        ({"name": "a", "size": "-1"}, "can&#x27;t be negative"),
        ({"name": "a", "size": "0.3", "size_unit": "B"}, "not a whole number of bytes"),
        ({"name": "a", "size": "99999999", "size_unit": "GB"}, "This limit is too large."),
        ({"name": "a", "types": "*/*"}, "refuse every upload"),
        ({"name": "a", "types": "image"}, "“image” is not a type"),
        ({"name": "a", "types": "Image/PNG"}, "Use image/png"),
    ],
)
def test_what_is_wrong_is_said_at_the_field(
    as_keeper: PageClient, desk: Desk, calls: Calls, typed: dict[str, str], sentence: str
) -> None:
    answer = as_keeper.send(desk.address("new"), **{"size_unit": "MB", **typed})
    assert answer.status_code == 422
    assert sentence in answer.text
    assert calls() == []


def test_a_name_that_is_known_to_cause_trouble_is_asked_about(as_keeper: PageClient, desk: Desk) -> None:
    desk.made.append("authenticated")
    answer = as_keeper.send(desk.address("new"), name="authenticated")
    assert answer.status_code == 422
    assert "anyway" in answer.text
    assert desk.bucket("authenticated") is None
    asked = as_keeper.send(desk.address("new"), name="authenticated", accept="public")
    assert (asked.status_code, is_ticked(asked.text, "accept")) == (422, False), "ticked for another name"
    refused = as_keeper.send(desk.address("new"), name="authenticated", accept="authenticated", types="*/*")
    assert (refused.status_code, is_ticked(refused.text, "accept")) == (422, True), "it isn't asked about twice"
    as_keeper.send(desk.address("new"), name="authenticated", accept="authenticated")
    assert desk.bucket("authenticated")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("public", "is also part of the stora"),
        ("Authenticated", "is also part of the stora"),
        ("upload", "nothing could be uploaded"),
        ("a#b", "“#”"),
        ("my_photos", "may refuse “_”"),
        ("My_Photos", "may refuse upper case and “_”"),
        ("Photos", "“Photos” and “photos” are different buckets"),
        ("site.example", "as a file or host name"),
        ("ab", "fewer than 3 characters"),
        ("a b", "A space is easily lost"),
        ("photos", "/object/public/photos/</code>"),
        ("", 'role="status"'),
    ],
)
def test_advice_on_a_name_while_it_is_typed_asks_no_service(
    as_keeper: PageClient, desk: Desk, calls: Calls, name: str, words: str
) -> None:
    answer = as_keeper.part(desk.address("advice"), "name-advice", name=name)
    assert answer.status_code == 200
    assert words in answer.text
    assert calls() == []


def test_the_same_advice_stands_on_a_form_that_was_refused(as_keeper: PageClient, desk: Desk) -> None:
    answer = as_keeper.post(desk.address("new"), {"name": "My_Photos", "size": "many"})
    assert answer.status_code == 422
    assert "may refuse upper case and “_”" in answer.text


def test_a_plain_name_has_no_remarks() -> None:
    assert notes("invoices-2026") == []
    assert trouble("invoices-2026") == ""


def test_a_taken_name_stands_on_the_form(as_keeper: PageClient, desk: Desk) -> None:
    name = desk.put()
    answer = as_keeper.send(desk.address("new"), name=name)
    assert answer.status_code == 422
    assert "it already exists" in answer.text
    assert f'value="{name}"' in answer.text


def test_a_form_sent_twice_creates_once(as_keeper: PageClient, desk: Desk) -> None:
    typed = {"name": desk.name(), "once": "k" * 24}
    first = as_keeper.send(desk.address("new"), **typed)
    second = as_keeper.send(desk.address("new"), **typed)
    assert first.status_code == second.status_code == 200
    assert Entry.objects.filter(operation="S1").count() == 1


def test_it_is_written_in_the_journal(as_keeper: PageClient, desk: Desk) -> None:
    name = desk.name()
    as_keeper.send(desk.address("new"), name=name, public="on")
    entry = Entry.objects.get(operation="S1")
    assert (entry.target, entry.place, entry.outcome) == (f"bucket {name}", desk.space, Outcome.DONE)
    assert entry.after
    assert entry.after["public"] is True
    assert entry.token


def test_a_form_whose_outcome_is_unknown_says_so_once_and_invites_no_repeat(
    as_keeper: PageClient, desk: Desk, faults: Faults
) -> None:
    faults("S1", cut="before")
    answer = as_keeper.post(desk.address("new"), {"name": desk.name()})
    assert answer.text.count("may have been") == 1
    assert "We check until" in parse(answer.text).root.text, parse(answer.text).root.all("main")[0].text
    button = next(one for one in parse(answer.text).root.all("button") if one.text == "Create bucket")
    assert (button.get("class"), button.has("disabled")) == ("button", True)
    assert "data-in-doubt" in answer.text


def test_a_lost_answer_is_settled_by_reading_back(as_keeper: PageClient, desk: Desk, faults: Faults) -> None:
    faults("S1", cut="after")
    name = desk.name()
    assert f"Bucket {name} created." in as_keeper.send(desk.address("new"), name=name).text
    assert Entry.objects.get(operation="S1").outcome == Outcome.DONE
