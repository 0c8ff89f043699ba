"""Names and sizes compared with the bucket before the first byte, and read back after the last one, in few calls."""

import json
from collections.abc import Callable

import pytest

from dashboard.catalog import queries, receipts
from dashboard.catalog.crawl import begin
from dashboard.catalog.query import Filter
from dashboard.catalog.receipts import Existing
from dashboard.team.models import Person
from dashboard.tokens.credentials import store
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace
from tests.conftest import Sandbox
from tests.features.objects.conftest import Desk
from tests.features.objects.test_upload import check, plan, put, sent, told
from tests.features.service import Faults
from tests.worker import run_once

Calls = Callable[[], list[str]]


def kinds(calls: list[str]) -> list[str]:
    """S15, S13 or S19 of each call, in order."""
    known = {"/object/sign/": "S15", "/object/list/": "S13", "/object/info/": "S19"}
    return [next((name for part, name in known.items() if part in call), call) for call in calls]


def test_a_plan_tells_new_same_size_and_different(desk: Desk) -> None:
    desk.put("in/same.txt", body=b"12345")
    desk.put("in/other.txt", body=b"123")
    desk.put("in/empty.txt", body=b"")
    found = plan(desk, "in/same.txt", "in/other.txt", "in/new.txt", "in/empty.txt", size=5)
    assert [(one["state"], one["there"]) for one in found] == [("same", 5), ("different", 3), ("new", None), ("different", 0)]
    assert plan(desk, "in/empty.txt", size=0)[0]["state"] == "same"


def test_a_plan_tells_the_type_that_would_be_stored(desk: Desk) -> None:
    files = [("a.png", 1, ""), ("b.bin", 1, "image/png"), ("c", 1, "")]
    types = [one["type"] for one in told(desk, "plan", *files)["files"]]
    assert types == ["image/png", "image/png", "application/octet-stream"]


def test_a_thousand_new_names_cost_one_call_and_more_are_refused(desk: Desk, calls: Calls) -> None:
    before = len(calls())
    assert {one["state"] for one in plan(desk, *[f"{number}.txt" for number in range(1000)])} == {"new"}
    assert kinds(calls()[before:]) == ["S15"]
    over = json.dumps({"files": [["x", 1, ""]] * 1001, "receipts": [sent("x", 1)] * 1001})
    for verb in ("plan", "check"):
        assert desk.client.post(desk.address(verb), over, content_type="application/json").status_code == 413


def test_many_of_one_folder_are_listed_and_few_of_many_are_asked_for(desk: Desk, calls: Calls) -> None:
    many = [f"many/{number}.txt" for number in range(8)]
    few = [f"few {number}/a.txt" for number in range(3)]
    desk.put(*many, *few)
    before = len(calls())
    assert {one["state"] for one in plan(desk, *many)} == {"same"}
    assert kinds(calls()[before:]) == ["S15", "S13"]
    before = len(calls())
    assert {one["state"] for one in plan(desk, *few)} == {"same"}
    assert kinds(calls()[before:]) == ["S15", "S19", "S19", "S19"]


def test_folders_that_differ_in_case_are_not_taken_for_one_another(desk: Desk) -> None:
    names = [f"{number}.txt" for number in range(6)]
    desk.put(*(f"Photos/{name}" for name in names), body=b"12345")
    assert {one["state"] for one in plan(desk, *(f"photos/{name}" for name in names), size=5)} == {"new"}
    desk.put(*(f"photos/{name}" for name in names), body=b"1")
    assert {one["there"] for one in plan(desk, *(f"photos/{name}" for name in names), size=5)} == {1}
    assert {one["there"] for one in plan(desk, *(f"Photos/{name}" for name in names), size=5)} == {5}


def test_a_listing_goes_on_where_the_last_thousand_ended(desk: Desk, calls: Calls) -> None:
    names = [f"{number:03}.txt" for number in range(8)]
    desk.put(*names)
    files = [(name, 1, "") for name in names]
    for start in ({}, {"": 3}, {"": 8}, {"": 10_000}):
        before = len(calls())
        answer = told(desk, "plan", *files, start=start)
        assert {one["state"] for one in answer["files"]} == {"same"}, start
        assert set(answer["reached"]) == {""}
        assert len(calls()) - before <= 10


def test_what_was_stored_is_read_back(desk: Desk, calls: Calls) -> None:
    put(desk, "a.txt", b"12345")
    desk.put("empty.txt", body=b"")
    before = len(calls())
    answer = check(desk, sent("a.txt", 5), sent("empty.txt", 0), sent("gone.txt", 5))
    assert answer["sizes"] == {"a.txt": 5, "empty.txt": 0}
    assert answer["verdicts"] == {"a.txt": "checked", "empty.txt": "checked", "gone.txt": "missing"}
    assert kinds(calls()[before:]) == ["S19", "S19", "S19"]


def test_other_bytes_of_the_same_size_are_no_proof_of_an_upload(desk: Desk) -> None:
    keys = [f"in/{number}.txt" for number in range(6)]
    receipts = [put(desk, key, b"mine!").json() for key in keys]
    assert set(check(desk, *receipts)["verdicts"].values()) == {"checked"}
    desk.storage.objects.replace(desk.bucket, keys[0], b"other", content_type="text/plain")
    assert check(desk, *receipts)["verdicts"] == dict.fromkeys(keys, "checked") | {keys[0]: "content"}
    assert check(desk, receipts[0])["verdicts"] == {keys[0]: "content"}


def test_where_no_hash_is_known_size_and_time_of_the_last_change_are_compared(desk: Desk) -> None:
    receipt = put(desk, "a.txt", b"12345").json() | {"md5": ""}
    assert check(desk, receipt)["verdicts"] == {"a.txt": "checked"}
    assert check(desk, receipt | {"size": 4})["verdicts"] == {"a.txt": "size"}
    hour = 3600
    other = {"since": receipt["since"] - hour, "until": receipt["until"] - hour}
    assert check(desk, receipt | other)["verdicts"] == {"a.txt": "date"}


def test_an_upload_without_an_answer_is_proved_by_its_bytes_and_not_by_those_that_were_there(desk: Desk, faults: Faults) -> None:
    desk.put("done.txt", "not.txt", body=b"12345")
    faults("S10", cut="after", times=1)
    done = put(desk, "done.txt", b"67890", policy="replace")
    faults("S10", cut="before", times=1)
    lost = put(desk, "not.txt", b"67890", policy="replace")
    assert [answer.status_code for answer in (done, lost)] == [200, 504]
    assert check(desk, done.json(), lost.json()["receipt"])["verdicts"] == {"done.txt": "checked", "not.txt": "content"}


@pytest.mark.parametrize(
    ("etag", "verdict"), [('"5d41402abc4b2a76b9719d911017c592"', "content"), ('"5d41402abc4b2a76b9719d911017c592-2"', "checked")]
)
def test_an_etag_is_a_hash_only_where_it_has_32_digits_and_no_dash(etag: str, verdict: str) -> None:
    sent_md5 = receipts.Receipt("a", 5, "00000000000000000000000000000000")
    assert receipts.verdict(sent_md5, Existing(5, etag, None)) == verdict


def test_many_of_a_folder_are_read_back_by_one_page(desk: Desk, calls: Calls) -> None:
    keys = [f"in/{number}.txt" for number in range(12)]
    desk.put(*keys, body=b"123")
    before = len(calls())
    assert check(desk, *(sent(key, 3) for key in keys))["sizes"] == dict.fromkeys(keys, 3)
    assert kinds(calls()[before:]) == ["S13"]


def test_a_check_of_names_that_can_not_be_asks_nothing(desk: Desk, calls: Calls) -> None:
    before = len(calls())
    assert check(desk, sent("../x", 1), sent("ü", 1), sent("", 1))["sizes"] == {}
    assert len(calls()) == before


def test_a_weak_token_sees_nothing_there(desk: Desk, owner: Person, service: Sandbox) -> None:
    desk.put("a.txt")
    store(owner, Kind.STORAGE, desk.space, service.storage_tokens[desk.space]["anon"])
    assert plan(desk, "a.txt")[0]["state"] == "new"
    assert check(desk, sent("a.txt", 1))["sizes"] == {}


@pytest.mark.parametrize("verb", ["plan", "check"])
def test_it_is_asked_by_post_alone(desk: Desk, verb: str) -> None:
    assert desk.client.get(desk.address(verb)).status_code == 405


def test_what_is_uploaded_is_in_the_index_at_once(desk: Desk, owner: Person) -> None:
    place = (Workspace(owner), desk.space, desk.bucket)
    run_once(begin(*place).job.pk)
    put(desk, "in/a.txt", b"12345")
    desk.client.post(desk.address("folder"), {"path": "", "name": "empty"})
    known = {entry.key: entry.size for entry in queries.keys(*place, Filter.parse(""))}
    assert known["in/a.txt"] == 5
