"""The sign desk for more than one request signs: a job, a plan, batches, and one entry in the ledger."""

import re
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen

import jwt
import pytest

from dashboard.jobs import kinds, transitions
from dashboard.jobs.models import ItemState, JobItem, State
from dashboard.links.models import RawLink
from tests.features.sharing.conftest import Desk, Faults
from tests.features.sharing.signing import MISSING, address, fill, job_of, output, prepared, signed, table, through
from tests.worker import run_once


def end_of(address: str) -> int:
    """When a presigned link ends, as its token says."""
    token = parse_qs(urlsplit(address).query)["token"][0]
    return int(jwt.decode(token, options={"verify_signature": False})["exp"])


@pytest.mark.exhaustive
@pytest.mark.one_database
def test_of_thousands_of_keys_3_are_missing_and_the_others_give_links_one_table_and_one_entry(desk: Desk) -> None:
    count = 2497
    there = [f"set/{number:04}.txt" for number in range(count)]
    missing = ["set/gone 1.txt", "set/gone 2.txt", "elsewhere/gone 3.txt"]
    fill(desk, there)
    links = prepared(desk, keys="\n".join([*missing, *there]))
    job = through(job_of(links))
    assert job.state == State.PLANNED
    plan = kinds.plan_of(job)
    assert plan.summary.startswith(f"{count:,} objects in ")
    assert plan.details[0].startswith("3 objects not found, or not visible to your token: ")
    assert not RawLink.objects.exists()
    assert transitions.apply(job)
    job = through(job)
    assert (job.state, job.done, job.failed) == (State.DONE, count, 3)
    failed = dict(JobItem.objects.filter(job=job, state=ItemState.FAILED).values_list("target", "message"))
    assert failed == dict.fromkeys(missing, MISSING)

    links.refresh_from_db()
    assert (links.signed, links.refused) == (count, 3)
    rows = table(output(desk, links, "csv"))
    assert len(rows) == count + 3
    assert {row["key"]: row["refusal"] for row in rows if not row["address"]} == failed
    assert [row["key"] for row in rows if row["address"]] == there
    with urlopen(rows[1034]["address"], timeout=10) as read:  # noqa: S310 - an address of the sandbox
        assert read.read() == b"x"

    entry = RawLink.objects.get()
    assert entry.count == count
    assert links.ends_at is not None
    ends = [datetime.fromtimestamp(end_of(row["address"]), UTC) for row in rows if row["address"]]
    assert links.ends_at <= min(ends) <= max(ends) == entry.ends_at
    assert links.ends_at - links.made_at > timedelta(minutes=59)
    assert set(entry.keys) == set(there)
    page = desk.client.get(address(desk, "signed", links.pk)).text
    assert f"{count:,} links created" in page
    assert all(key in page for key in missing)
    assert page.count(MISSING) == 3


def test_a_job_tries_its_failed_ones_again_and_keeps_one_entry(desk: Desk) -> None:
    desk.put("d/1.txt")
    links = prepared(desk, keys="\n".join(["d/1.txt", "d/late.txt", *(f"none/{number}" for number in range(1000))]))
    job = through(job_of(links))
    assert transitions.apply(job)
    through(job)
    desk.put("d/late.txt")
    signed(desk, links, refused="1")
    through(job_of(links))
    links.refresh_from_db()
    assert (links.signed, links.refused) == (2, 1000)
    assert RawLink.objects.get().keys == ["d/1.txt", "d/late.txt"]

    home = address(desk, "signed", links.pk)
    pages = [desk.client.part(home, "signed", **offset).text for offset in ({}, {"offset": "100"}, {"offset": "900"})]
    named = [set(re.findall(r"none/[0-9]+(?=<)", text)) for text in pages]
    assert [len(keys) for keys in named] == [100, 100, 100]
    assert len(set.union(*named)) == 300
    assert f'{home}?offset=100"' in pages[0]
    assert "1000 of 1000" in pages[2]


def test_a_job_waits_for_a_limit_and_survives_cut_answers(desk: Desk, faults: Faults) -> None:
    keys = [f"set/{number}" for number in range(1001)]
    fill(desk, keys)
    job = through(job_of(prepared(desk, folder="set")))
    faults("S15", status=429, retry_after=60, times=1)
    assert transitions.apply(job)
    run_once(job.pk)
    job.refresh_from_db()
    assert job.state == State.WAITING
    faults("S15", cut="mid", times=4)
    job = through(job)
    assert (job.state, job.done) == (State.DONE, 1001)
    assert RawLink.objects.get().count == 1001
