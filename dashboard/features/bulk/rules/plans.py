"""What the plans of these jobs say. Pure: facts in, sentences out."""

from collections.abc import Iterator
from typing import Any

from dashboard.catalog.keys import printable
from dashboard.catalog.selection import Selection
from dashboard.features.bulk.rules.targets import Transfer
from dashboard.jobs.models import Job
from dashboard.jobs.plans import BOTH, REPLACE, SKIP, STOP, Plan, Policy
from dashboard.web.text import bytes_text, counted

CALLS_ACROSS = 4
WHOLE = (
    "The service is asked to empty it as a whole, which may take it up to an hour; the list tells when it is done. "
    "Where it refuses that, the objects are deleted in batches."
)
BATCH = 1000
POLICIES = (
    Policy(SKIP, "Skip them", "What is there stays, and so does what would have replaced it."),
    Policy(BOTH, "Keep both", "The one that comes gets a number behind its name, as the list below shows."),
    Policy(REPLACE, "Replace them", "What is there is overwritten and can't be brought back."),
    Policy(STOP, "Stop at the first", "Nothing is overwritten; what was done before stays done."),
)


def deletion(job: Job) -> Plan:
    selection = Selection.from_parameters(job.parameters["selection"])
    facts = job.facts
    count = _objects(facts)
    calls = -(-(job.total or 0) // BATCH)
    lines = [
        f"They are removed from {selection.bucket} and can't be brought back.",
        *_links(facts),
        *_remarks(facts),
        f"About {counted(calls, 'call')}, at most {BATCH:,} objects in each; afterwards the folders are listed again.",
    ]
    return Plan(
        f"Delete {selection.sentence()}: {count}." if selection.folders or selection.filter else f"Delete {count}.",
        details=tuple(lines),
        typed=str(job.total or 0),
        danger=True,
        button=f"Delete {count.partition(',')[0] if facts.get('objects', 0) < BATCH else count.rpartition(', ')[0]}",
    )


def transfer(job: Job) -> Plan:
    wanted = Transfer.from_parameters(job.parameters)
    facts = job.facts
    act, verb = ("Move", "moved") if wanted.verb == "move" else ("Copy", "copied")
    there = f"{wanted.bucket}/{printable(wanted.to)}"
    leaves = wanted.is_across and wanted.verb == "move"
    calls = (job.total or 0) * (CALLS_ACROSS if leaves else 1)
    lines = [
        *_still(facts, verb),
        *_refused(facts, verb),
        *_remarks(facts),
        *(("Each is copied and compared before its original is deleted.",) if leaves else ()),
        "Links to them follow." if wanted.verb == "move" else "Links stay with the originals.",
        f"About {counted(calls, 'call')}.",
    ]
    return Plan(
        f"{act} {_objects(facts)} from {wanted.source}/{printable(wanted.base)} to {there}.",
        details=tuple(lines),
        policies=POLICIES if job.conflicts > facts.get("refused", 0) else (),
        policy=SKIP if job.conflicts else STOP,
        conflicts=job.conflicts,
        button=f"{act} them",
    )


def emptying(job: Job) -> Plan:
    return _bucket(job, "Everything in it is deleted", f"Empty {job.parameters['bucket']}")


def removal(job: Job) -> Plan:
    return _bucket(
        job, "Everything in it is deleted, and then the bucket itself with its settings", f"Delete {job.parameters['bucket']}"
    )


def _bucket(job: Job, words: str, button: str) -> Plan:
    bucket, facts = str(job.parameters["bucket"]), job.facts
    lines = [
        f"{words}. It can't be brought back.",
        *_links(facts),
        *_remarks(facts),
        WHOLE,
    ]
    return Plan(f"{bucket} holds {_objects(facts)}.", details=tuple(lines), typed=bucket, danger=True, button=button)


def _objects(facts: dict[str, Any]) -> str:
    """ "3 objects, 1.2 MiB"; the marks of empty folders are not counted as objects."""
    count, marks = facts.get("objects", 0), facts.get("marks", 0)
    if not count and marks:
        return counted(marks, "empty folder")
    return f"{counted(count, 'object')}, {bytes_text(facts.get('bytes', 0))}" if count else "nothing"


def _links(facts: dict[str, Any]) -> Iterator[str]:
    if count := facts.get("links", 0):
        yield f"{count:,} live {'link loses its object' if count == 1 else 'links lose their object'} and can't be opened."
        if named := facts.get("link names"):
            yield f"{'It is' if count == 1 else 'They are'}: {'; '.join(named)}."


def _still(facts: dict[str, Any], verb: str) -> Iterator[str]:
    if count := facts.get("still", 0):
        yield f"{count:,} {'is' if count == 1 else 'are'} there already and {'is' if count == 1 else 'are'} not {verb}."


def _refused(facts: dict[str, Any], verb: str) -> Iterator[str]:
    if count := facts.get("refused", 0):
        yield " ".join([f"{count:,} can't be {verb}, the list says why.", facts.get("limits", "")]).strip()


def _remarks(facts: dict[str, Any]) -> Iterator[str]:
    if count := facts.get("unseen", 0):
        yield f"{count:,} of them {'is' if count == 1 else 'are'} not in the list (any more)."
    if count := facts.get("unsized", 0):
        yield f"The size of {counted(count, 'object')} is not known."
    if marks := facts.get("marks", 0) if facts.get("objects") else 0:
        yield f"{marks:,} {'mark that keeps an empty folder goes' if marks == 1 else 'marks that keep empty folders go'} along."
