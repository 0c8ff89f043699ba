"""Jobs whose effect is a line in a file: work done twice is in it twice, lost work is missing."""

import os
import time
from pathlib import Path

from dashboard.jobs import kinds, schedules
from dashboard.jobs.batch import Batch, Item
from dashboard.jobs.kinds import Kind
from dashboard.jobs.models import Job, JobItem, Schedule
from dashboard.jobs.plans import Plan, Policy
from dashboard.tokens.workspace import Workspace


def register() -> None:
    for kind in KINDS:
        kinds.register(kind)
    schedules.register("trial tick", tick)


def write(file: str, text: str) -> None:
    """Write one line, whole or not at all."""
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(descriptor, f"{text}\n".encode())
    os.close(descriptor)


def written(file: str | Path) -> list[str]:
    return Path(file).read_text().split() if Path(file).exists() else []


def one_by_one(workspace: Workspace, batch: Batch) -> None:
    for item in batch.items:
        if batch.stopping:
            batch.requeue(item)
            continue
        write(batch.parameters["file"], item.target)
        time.sleep(batch.parameters.get("seconds", 0))
        batch.done(item, str(os.getpid()))


def side_by_side(workspace: Workspace, batch: Batch) -> None:
    def call(item: JobItem) -> None:
        time.sleep(batch.parameters.get("seconds", 0))
        write(batch.parameters["file"], item.target)
        time.sleep(batch.parameters.get("seconds", 0))

    batch.for_each(call)


def read_back(workspace: Workspace, batch: Batch) -> None:
    there = set(written(batch.parameters["file"]))
    for item in batch.items:
        if item.target in there:
            batch.done(item)
        else:
            batch.requeue(item)


def by_cursor(workspace: Workspace, batch: Batch) -> None:
    """Work through pages of one number each. A kill may part effect and cursor, so repeating the last page must be harmless."""
    page = int(batch.cursor)
    write(batch.parameters["file"], str(page))
    time.sleep(batch.parameters.get("seconds", 0))
    batch.advance(page + 1 if page < batch.parameters["pages"] else None, seen=10)


def find_lines(workspace: Workspace, batch: Batch) -> None:
    """Plan pages of ten lines. Every fifth line has a conflict."""
    page = int(batch.cursor.get("page", 1))
    wait = batch.parameters.get("plan_seconds", 0)
    names = [str(number) for number in range(10 * page - 9, 10 * page + 1)]
    batch.add(
        Item(name, {"to": f"there/{name}", "beside": f"there/{name} (2)"}, size=100, conflict=_conflict(batch, name))
        for name in names
    )
    time.sleep(wait / 2)
    batch.facts["bytes"] = batch.facts.get("bytes", 0) + 1000
    batch.facts["conflicts"] = batch.facts.get("conflicts", 0) + sum(bool(_conflict(batch, name)) for name in names)
    batch.advance({"page": page + 1} if page < batch.parameters.get("pages", 3) else None, seen=12)
    time.sleep(wait / 2)


def said(job: Job) -> Plan:
    policies = (
        Policy("skip", "Skip", "What is there stays, and the new line is not written."),
        Policy("both", "Keep both", "The new line gets another name."),
    )
    return Plan(
        f"{job.total:,} lines are written, {job.facts['bytes']:,} bytes in all.",
        details=("Nothing is read.", f"{job.total:,} calls."),
        policies=policies,
        policy="skip",
        conflicts=job.facts["conflicts"],
        typed=job.parameters.get("typed", ""),
        danger=bool(job.parameters.get("typed")),
        button=f"Write {job.total:,} lines",
    )


def look_again(workspace: Workspace, job: Job) -> str:
    return "There are other lines than before." if written(f"{job.parameters['file']}.changed") else ""


def check(workspace: Workspace, batch: Batch) -> None:
    """Check that every line is in the file, except those that were lost."""
    items = batch.done_after(int(batch.cursor.get("after", 0)), 7)
    time.sleep(batch.parameters.get("check_seconds", 0))
    lost = set(written(f"{batch.parameters['file']}.lost"))
    there = set(written(batch.parameters["file"])) - lost
    batch.correct({item.number: "It is not there." for item in items if item.target not in there})
    batch.advance({"after": items[-1].number} if items else None, seen=len(items))


def _conflict(batch: Batch, name: str) -> str:
    return "There is one already." if batch.parameters.get("conflicts") and int(name) % 5 == 0 else ""


def hang(workspace: Workspace, batch: Batch) -> None:
    write(batch.parameters["file"], "begun")
    time.sleep(60)


def tick(workspace: Workspace, schedule: Schedule) -> float | None:
    write(schedule.payload["file"], f"{time.time():.3f}")
    schedule.payload["times"] = schedule.payload.get("times", 0) + 1
    return None if schedule.payload["times"] >= schedule.payload.get("most", 100) else schedule.every


KINDS = (
    Kind("trial one by one", title="Write lines", step=one_by_one, settle=read_back, batch_size=5, settle_delay=0),
    Kind("trial side by side", title="Write lines", step=side_by_side, settle=read_back, batch_size=20, settle_delay=0.3),
    Kind("trial by cursor", title="Write pages", step=by_cursor, settle_delay=0),
    Kind(
        "trial plan",
        title="Write planned lines",
        step=side_by_side,
        settle=read_back,
        batch_size=20,
        settle_delay=0,
        plan=find_lines,
        describe=said,
        revalidate=look_again,
        verify=check,
        changes=("lines",),
    ),
    Kind("trial hang", title="Hang", step=hang, settle=read_back, settle_delay=0),
)
