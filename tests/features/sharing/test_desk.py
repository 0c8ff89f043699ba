"""The sign desk: many objects, counted first, signed in batches, and kept sealed until the links end."""

import csv
import json
import re
from datetime import timedelta
from io import StringIO
from urllib.request import urlopen

import pytest
from django.urls import reverse
from django.utils import timezone

from dashboard.features.sharing.models import LinkBatch, LinkSet
from dashboard.jobs import Job, JobItem, acts, planning
from dashboard.jobs.models import ItemState, State
from dashboard.jobs.running import Hand, run
from dashboard.journal.models import Entry
from dashboard.links.models import RawLink
from tests.features.sharing.conftest import Calls, Desk, Faults
from tests.pages import PageClient, htmx

MISSING = "Either the object does not exist or you do not have access to it"


def address(desk: Desk, verb: str = "desk", *more: object) -> str:
    return reverse(f"sharing:{verb}", args=(desk.space, desk.bucket, *more))


def prepared(desk: Desk, **fields: object) -> LinkSet:
    """What the form leads to."""
    answer = desk.client.post(address(desk), {"life": "3600", **fields})
    assert answer.status_code == 303, answer.text
    return LinkSet.objects.latest("pk")


def signed(desk: Desk, links: LinkSet, **fields: object) -> LinkSet:
    answer = desk.client.post(address(desk, "signing", links.pk), fields)
    assert answer.status_code == 303, answer.text
    links.refresh_from_db()
    return links


def output(desk: Desk, links: LinkSet, kind: str) -> str:
    answer = desk.client.get(address(desk, "output", links.pk, kind))
    assert answer.status_code == 200
    assert "no-store" in answer["Cache-Control"]
    return answer.getvalue().decode()


def through(job: Job) -> Job:
    for _ in range(60):
        Job.objects.filter(pk=job.pk).exclude(next_try_at=None).update(next_try_at=timezone.now())
        run(job.pk, Hand())
        job.refresh_from_db()
        if not job.is_alive:
            return job
    raise AssertionError(f"the job does not end: {job.state} ({job.words})")


def job_of(links: LinkSet) -> Job:
    assert links.job is not None
    return links.job


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(text)))


def test_2500_keys_of_which_3_are_missing_give_2497_links_3_named_errors_one_table_and_one_entry(desk: Desk) -> None:
    there = [f"set/{number:04}.txt" for number in range(2497)]
    missing = ["set/gone 1.txt", "set/gone 2.txt", "elsewhere/gone 3.txt"]
    fill(desk, there)
    links = prepared(desk, keys="\n".join([*missing, *there]))
    job = through(job_of(links))
    assert job.state == State.PLANNED
    plan = planning.shown(job)
    assert plan.sentence.startswith("2,497 objects of ")
    assert plan.lines[0].startswith("3 do not exist, or your token may not see them: ")
    assert not RawLink.objects.exists()
    assert acts.begin(job)
    job = through(job)
    assert (job.state, job.done, job.failed) == (State.DONE, 2497, 3)
    failed = dict(JobItem.objects.filter(job=job, state=ItemState.FAILED).values_list("target", "words"))
    assert failed == dict.fromkeys(missing, MISSING)

    links.refresh_from_db()
    assert (links.signed, links.refused) == (2497, 3)
    rows = table(output(desk, links, "csv"))
    assert len(rows) == 2500
    assert {row["key"]: row["refusal"] for row in rows if not row["address"]} == failed
    assert [row["key"] for row in rows if row["address"]] == there
    with urlopen(rows[1234]["address"], timeout=10) as read:  # noqa: S310 - an address of the sandbox
        assert read.read() == b"x"

    entry = RawLink.objects.get()
    assert (entry.count, entry.ends_at) == (2497, links.ends_at)
    assert set(entry.keys) == set(there)
    page = desk.client.get(address(desk, "signed", links.pk)).text
    assert "2,497 links are ready" in page
    assert all(key in page for key in missing)
    assert page.count(MISSING) == 3


def fill(desk: Desk, keys: list[str]) -> None:
    """Copies of one object, several at once."""
    desk.put("seed")
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda key: desk.storage.objects.copy(desk.bucket, "seed", key), keys))


def test_few_are_counted_first_and_signed_in_the_request(desk: Desk, calls: Calls) -> None:
    desk.put("a/1.txt", "a/2.txt", "b.txt", body=b"12345")
    links = prepared(desk, keys="a/1.txt\r\n  b.txt \nnot there.txt\n\n")
    assert not any("/object/sign/" in call for call in calls())
    page = desk.client.get(address(desk, "signed", links.pk)).text
    assert "2 objects, 10 bytes." in page
    assert "1 does not exist, or your token may not see it." in page
    assert "not there.txt" in page
    calls()
    signed(desk, links)
    assert [call for call in calls() if "/object/sign/" in call] == [sign_call(desk)]
    assert (links.signed, links.refused, links.waiting) == (2, 1, [])
    assert RawLink.objects.get().keys == ["a/1.txt", "b.txt"]
    assert Entry.objects.get(operation="S15").after["keys"] == ["a/1.txt", "b.txt"]
    assert not Job.objects.exists()


def sign_call(desk: Desk) -> str:
    path = f"/{desk.space}/storage/v1/object/sign/{desk.bucket.replace(' ', '%20')}"
    return f"POST {path}"


def test_the_failed_ones_are_signed_again_alone(desk: Desk) -> None:
    desk.put("a.txt")
    links = signed(desk, prepared(desk, keys="a.txt\nlate.txt"))
    desk.put("late.txt")
    end = links.ends_at
    signed(desk, links, refused="1")
    assert (links.signed, links.refused) == (2, 0)
    assert Entry.objects.filter(operation="S15").latest("pk").after["keys"] == ["late.txt"]
    entry = RawLink.objects.get()
    assert (entry.count, entry.keys) == (2, ["a.txt", "late.txt"])
    assert links.ends_at is not None
    assert end is not None
    assert abs(links.ends_at - end) < timedelta(seconds=2)


def test_a_job_tries_its_failed_ones_again_and_keeps_one_entry(desk: Desk) -> None:
    desk.put("d/1.txt")
    links = prepared(desk, keys="\n".join(["d/1.txt", "d/late.txt", *(f"none/{number}" for number in range(1000))]))
    job = through(job_of(links))
    assert acts.begin(job)
    through(job)
    desk.put("d/late.txt")
    signed(desk, links, refused="1")
    through(job_of(links))
    links.refresh_from_db()
    assert (links.signed, links.refused) == (2, 1000)
    assert RawLink.objects.get().keys == ["d/1.txt", "d/late.txt"]


def test_a_folder_a_search_and_a_table_of_keys_are_taken(desk: Desk) -> None:
    desk.put("f/1.txt", "f/g/2.txt", "k,1.txt")
    assert [key for key, _ in prepared(desk, folder="f").waiting] == ["f/1.txt", "f/g/2.txt"]
    assert [key for key, _ in prepared(desk, keys="f/g/\nk,1.txt").waiting] == ["k,1.txt", "f/g/2.txt"]
    assert [key for key, _ in prepared(desk, keys='key,size\n"k,1.txt",3\nf/1.txt,4').waiting] == ["k,1.txt", "f/1.txt"]
    answer = desk.client.post(address(desk), {"life": "3600", "search": "ext:txt"})
    assert answer.status_code == 422
    assert "has not been read" in answer.text


@pytest.mark.parametrize("fields", [{}, {"keys": "  \n"}, {"keys": "a", "search": "b"}, {"keys": "x" * 1025}])
def test_a_form_without_sense_says_so(desk: Desk, fields: dict[str, str]) -> None:
    answer = desk.client.post(address(desk), {"life": "3600", **fields})
    assert answer.status_code == 422
    assert not LinkSet.objects.exists()


def test_every_output_names_the_objects_and_leads_to_them(desk: Desk) -> None:
    desk.put("f/a & b.txt", "f/it's (1).txt")
    links = signed(desk, prepared(desk, keys="f/a & b.txt\nf/it's (1).txt\nf/none.txt"))
    lines = output(desk, links, "lines").splitlines()
    assert len(lines) == 2
    assert all(line.startswith("http") for line in lines)
    assert f"[f/a & b.txt](<{lines[0]}>)" in output(desk, links, "markdown")
    assert r"[f/it's \(1\).txt](<" in output(desk, links, "markdown")
    page = output(desk, links, "html")
    assert "f/a &amp; b.txt" in page
    assert page.count("<a href=") == 2
    found = json.loads(output(desk, links, "json"))
    assert [one["address"] for one in found["objects"]] == [*lines, None]
    assert found["objects"][2]["refusal"] == MISSING
    script = output(desk, links, "script")
    assert script.startswith("#!/bin/sh")
    assert script.count("\nfetch ") == 2
    for kind in ("lines", "markdown", "html"):
        shown = desk.client.get(address(desk, "output", links.pk, kind), {"show": "1"})
        assert "no-store" in shown["Cache-Control"]
        assert re.search(r'<textarea[^>]*readonly', shown.text)
    assert desk.client.get(address(desk, "output", links.pk, "exe")).status_code == 404


def test_what_was_signed_stays_when_the_service_fails_in_between(desk: Desk, faults: Faults) -> None:
    desk.put("a.txt")
    links = prepared(desk, keys="a.txt")
    faults("S15", status=429, retry_after=30)
    answer = desk.client.post(address(desk, "signing", links.pk))
    assert answer.status_code == 429
    links.refresh_from_db()
    assert links.waiting == [["a.txt", 1]]
    assert not RawLink.objects.exists()


def test_a_job_waits_for_a_limit_and_survives_cut_answers(desk: Desk, faults: Faults) -> None:
    keys = [f"set/{number}" for number in range(1001)]
    fill(desk, keys)
    job = through(job_of(prepared(desk, folder="set")))
    faults("S15", status=429, retry_after=60, times=1)
    assert acts.begin(job)
    run(job.pk, Hand())
    job.refresh_from_db()
    assert job.state == State.WAITING
    faults("S15", cut="mid", times=4)
    job = through(job)
    assert (job.state, job.done) == (State.DONE, 1001)
    assert RawLink.objects.get().count == 1001


def test_a_refused_number_makes_smaller_batches(desk: Desk, faults: Faults) -> None:
    desk.put(*(f"a/{number}" for number in range(12)))
    links = prepared(desk, folder="a/")
    faults("S15", status=413, message="Request body is too large", times=2)
    signed(desk, links)
    assert (links.signed, links.refused) == (12, 0)
    assert RawLink.objects.get().count == 12


def test_no_link_stands_in_clear_in_the_database(desk: Desk) -> None:
    desk.put("a.txt", "b/c.txt")
    links = signed(desk, prepared(desk, keys="a.txt\nb/c.txt"))
    tokens = [line.partition("token=")[2] for line in output(desk, links, "lines").split()]
    assert len(tokens) == 2
    assert not leaked(tokens)


def test_a_job_leaves_no_link_in_clear_either(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    desk.put("a.txt")
    links = prepared(desk, keys="\n".join(["a.txt", *(f"none/{number}" for number in range(1000))]))
    job = through(job_of(links))
    assert acts.begin(job)
    through(job)
    links.refresh_from_db()
    tokens = [line.partition("token=")[2] for line in output(desk, links, "lines").split()]
    assert len(tokens) == 1
    assert not leaked(tokens)
    assert tokens[0] not in caplog.text
    for answer in (desk.client.get(address(desk, "signed", links.pk)), desk.client.get(reverse("jobs:show", args=(job.pk,)))):
        assert tokens[0] not in f"{answer.headers}{answer.text}"
        assert "token=" not in answer.text


def leaked(tokens: list[str]) -> list[str]:
    """Every column of every table that holds one of them."""
    from django.db import connection  # noqa: PLC0415

    found = []
    with connection.cursor() as cursor:
        for name in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{name}"')  # noqa: S608 - names of our own tables
            found += [name for row in cursor.fetchall() if any(token in str(row) for token in tokens)]
    return found


def test_only_the_owner_sees_them_and_only_until_their_end(desk: Desk, as_ada: PageClient) -> None:
    desk.put("a.txt")
    links = signed(desk, prepared(desk, keys="a.txt"))
    batch = LinkBatch.objects.get()
    assert "token" not in batch.sealed.stored()
    for name in ("signed", "output"):
        more = ("csv",) if name == "output" else ()
        assert as_ada.get(address(desk, name, links.pk, *more)).status_code in {403, 404}
    LinkSet.objects.update(keeps_until=timezone.now())
    assert desk.client.get(address(desk, "output", links.pk, "csv")).status_code == 404
    prepared(desk, keys="a.txt")
    assert not LinkSet.objects.filter(pk=links.pk).exists()
    assert not LinkBatch.objects.exists()


def test_forgetting_takes_our_copy_away(desk: Desk) -> None:
    desk.put("a.txt")
    links = signed(desk, prepared(desk, keys="a.txt"))
    assert desk.client.post(address(desk, "forgetting", links.pk)).status_code == 303
    assert not LinkSet.objects.exists()
    assert RawLink.objects.get().count == 1


def test_a_second_post_signs_nothing_twice(desk: Desk) -> None:
    desk.put("a.txt")
    links = signed(desk, signed(desk, prepared(desk, keys="a.txt")))
    assert links.signed == 1
    assert Entry.objects.filter(operation="S15").count() == 1


def test_folders_searches_and_large_selections_lead_from_the_list_to_the_desk(desk: Desk) -> None:
    there = reverse("objects:links", args=(desk.space, desk.bucket))
    for fields in ({"folder": "f/"}, {"all": "1", "filter": "ext:txt"}, {"key": [f"{number}.txt" for number in range(1001)]}):
        answer = desk.client.post(there, fields)
        assert (answer.status_code, answer["Location"]) == (307, address(desk))
        shown = desk.client.post(address(desk), fields, headers=htmx("dialog"))
        assert shown.status_code == 200
        assert 'name="chosen"' in shown.text
    assert desk.client.post(there, {"key": "a.txt"}).status_code == 200


def test_without_an_address_for_browsers_it_says_so(desk: Desk, hidden: None) -> None:
    assert hidden is None
    assert "Presigned links are not possible here" in desk.client.get(address(desk)).text
