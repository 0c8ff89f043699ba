"""Transfers and plans of bulk jobs. Pure: no calls, no database.

A transfer is two prefixes: the object `base + rest` goes to `to + rest`. Moving into a folder, renaming a folder and renaming one
object are the same operation.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from dashboard.catalog.archive_names import base_of
from dashboard.catalog.keys import folder_of, name_of, printable
from dashboard.catalog.selection import Selection
from dashboard.interfaces.names import key_problem
from dashboard.interfaces.storage.records import ObjectInfo
from dashboard.jobs.models import Approval, Job
from dashboard.jobs.plans import BOTH, KEEP, SKIP, STOP, UNKEPT, Plan, Policy
from dashboard.links.holders import FolderMove
from dashboard.snapshots import deletions, replacements, trash
from dashboard.web.pages.confirm import TYPED_FROM
from dashboard.web.text import bytes_text, counted

Verb = Literal["move", "copy"]
CALLS_ACROSS = 4
# The parameter of a job that says how many its owner confirmed before it counted itself.
CONFIRMED = "confirmed"
STAYING = "Stays and keeps working"
WHOLE = "This may take the service up to an hour."
STAYS = "What can't be kept, or has changed since, stays."
BATCH = 1000
LEAVING = (
    Policy(SKIP, "Skip them", "Keep the existing objects and don't transfer these."),
    Policy(BOTH, "Keep both", "Add a number to the new names, as listed below."),
)
STOPPING = (Policy(STOP, "Stop at the first", "Overwrite nothing and stop. What was done before stays done."),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer:
    """Move or copy everything selected from `base` to `to` in `bucket`."""

    verb: Verb
    selection: Selection
    base: str
    bucket: str
    to: str

    @property
    def space(self) -> str:
        return self.selection.space

    @property
    def source(self) -> str:
        """The source bucket."""
        return self.selection.bucket

    @property
    def is_across(self) -> bool:
        return self.bucket != self.selection.bucket

    def arrival(self, key: str) -> str:
        return self.to + key.removeprefix(self.base)

    @property
    def renamed(self) -> str:
        """What the one folder or file is called in its bucket, and what it becomes; "" if this is no renaming."""
        old = self.selection.only
        if self.verb != "move" or self.is_across or not old or self.base != old:
            return ""
        kind = "folder" if self.selection.folders else "file"
        return f"{kind} {self.source}/{old.removesuffix('/')} to {name_of(self.to.removesuffix('/'))}"

    @property
    def folder_move(self) -> FolderMove:
        """The folders that move as a whole; none for a copy."""
        going = self.selection.folders if self.verb == "move" else ()
        return FolderMove(
            space=self.space,
            bucket=self.source,
            to_bucket=self.bucket,
            folders={folder: self.arrival(folder) for folder in going},
        )

    def as_parameters(self) -> dict[str, Any]:
        """Return plain JSON for a job."""
        return {
            "selection": self.selection.as_parameters(),
            "verb": self.verb,
            "base": self.base,
            "to_bucket": self.bucket,
            "to": self.to,
        }

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> "Transfer":
        return cls(
            verb=parameters["verb"],
            selection=Selection.from_parameters(parameters["selection"]),
            base=parameters["base"],
            bucket=parameters["to_bucket"],
            to=parameters["to"],
        )


@dataclass(frozen=True, slots=True)
class Labels:
    """A new type and Cache-Control for objects; "" leaves a value unchanged."""

    content_type: str = ""
    cache_control: str = ""

    def are_of(self, info: ObjectInfo) -> bool:
        """Whether the object already has these values."""
        return self.content_type in {"", info.content_type} and self.cache_control in {"", info.cache_control}

    def as_parameters(self) -> dict[str, str]:
        """Return plain JSON for a job."""
        return {"type": self.content_type, "cache": self.cache_control}

    @classmethod
    def of(cls, info: ObjectInfo) -> "Labels":
        return cls(info.content_type or "", info.cache_control or "")

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> "Labels":
        return cls(parameters["type"], parameters["cache"])


def into(verb: Verb, selection: Selection, bucket: str, folder: str) -> Transfer:
    """Transfer the selection into a folder ("" is the bucket's root), keeping its structure."""
    return Transfer(verb=verb, selection=selection, base=base_of(selection), bucket=bucket, to=folder)


def renamed(selection: Selection, name: str) -> Transfer:
    """Rename the one selected object or folder in place."""
    old = selection.only
    ending = "/" if selection.folders else ""
    there = folder_of(old.removesuffix("/") if ending else old)
    return Transfer(verb="move", selection=selection, base=old, bucket=selection.bucket, to=f"{there}{name}{ending}")


def problem(transfer: Transfer) -> str:
    """Explain why the transfer is impossible; "" if it may work."""
    if not transfer.is_across:
        if transfer.to == transfer.base and (transfer.verb == "move" or transfer.selection.folders):
            return "Choose another folder: it is already in this one."
        for folder in transfer.selection.folders:
            if transfer.to.startswith(folder):
                return f"The folder “{name_of(folder[:-1])}” can't go into itself."
    name = transfer.to.removesuffix("/")
    if name and (refused := key_problem(name)):
        return refused
    return ""


def deletion(job: Job) -> Plan:
    selection = Selection.from_parameters(job.parameters["selection"])
    facts = job.facts
    count = _objects(facts)
    total = job.total or 0
    calls = -(-total // BATCH)
    days, policy = facts.get("days", 0), str(job.parameters.get("policy") or KEEP)
    kept = f"Kept for {counted(days, 'day')} in the trash of the bucket. What can't be kept isn't deleted."
    lines = [
        kept if days and policy == KEEP else "This can't be undone.",
        *deletions.links_lost(facts),
        *_staying(facts, STAYING),
        *_remarks(facts),
        *((f"{counted(calls, 'call')}.",) if calls > 1 else ()),
    ]
    named = f"Delete {selection.title()}: {count}." if selection.folders or selection.filter else f"Delete {count}."
    return Plan(
        named if number_of(facts) else _nothing_to("delete", selection, facts),
        details=tuple(lines),
        typed="" if _is_confirmed(job) else _typed(selection, facts),
        danger=True,
        policies=_keeping(facts, days),
        policy=policy if days else "",
        button=f"Delete {count.partition(',')[0] if facts.get('objects', 0) < BATCH else count.rpartition(', ')[0]}",
    )


def _typed(selection: Selection, facts: Mapping[str, Any]) -> str:
    """Return what confirms it: the name of the one folder, else the number shown; "" for few objects."""
    if selection.folders and (name := printable(name_of(selection.only.removesuffix("/")))).strip():
        return name
    number = next((facts[name] for name in ("objects", "marks", "pending") if facts.get(name)), 0)
    return str(number) if selection.folders or number >= TYPED_FROM else ""


def _keeping(facts: Mapping[str, Any], days: int) -> tuple[Policy, ...]:
    """Return the ways to delete; none where nothing is kept."""
    if not days:
        return ()
    return (
        Policy(KEEP, f"Keep for {counted(days, 'day')}", _copied(facts)),
        Policy(UNKEPT, trash.WITHOUT[1], "This can't be undone."),
    )


def _copied(facts: Mapping[str, Any]) -> str:
    return f"Copies {bytes_text(facts.get('bytes', 0))} to the trash first."


def labelling(job: Job) -> Plan:
    labels = Labels.from_parameters(job.parameters)
    values = [f"type {labels.content_type}" if labels.content_type else "", labels.cache_control]
    return Plan(f"Set {' and '.join(value for value in values if value)} for {_objects(job.facts)}.", button="Set them")


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
        *(("Each copy is verified before its original is deleted.",) if leaves else ()),
        *_followers(facts, wanted),
        *((f"{counted(calls, 'call')}.",) if calls > 1 else ()),
    ]
    return Plan(
        f"{act} {_objects(facts)} from {wanted.source}/{printable(wanted.base)} to {there}."
        if number_of(facts)
        else _nothing_to(wanted.verb, wanted.selection, facts),
        details=tuple(lines),
        policies=(*LEAVING, *replacements.policies(facts.get("days", 0)), *STOPPING)
        if job.conflicts > facts.get("refused", 0)
        else (),
        policy=SKIP if job.conflicts else STOP,
        conflicts=job.conflicts,
        button=f"{act} them",
    )


def emptying(job: Job) -> Plan:
    return _bucket(job, "Everything in it is deleted", f"Empty {job.parameters['bucket']}", STAYING, "in the trash of the bucket")


def removal(job: Job) -> Plan:
    words = "Everything in it is deleted, then the bucket with its settings"
    where = "and can be restored into another bucket"
    return _bucket(job, words, f"Delete {job.parameters['bucket']}", "Will stop working", where)


def _bucket(job: Job, words: str, button: str, held: str, kept: str) -> Plan:
    bucket, facts = str(job.parameters["bucket"]), job.facts
    days = facts.get("days", 0)
    ways = [f"{words}.", f"Kept for {counted(days, 'day')} {kept}. {STAYS}", _copied(facts)]
    lines = [
        *(ways if days else [f"{words}. This can't be undone."]),
        *deletions.links_lost(facts),
        *_staying(facts, held),
        *_remarks(facts),
        *(() if days else (WHOLE,)),
    ]
    return Plan(
        f"{bucket} holds {_objects(facts)}.",
        details=tuple(lines),
        typed="" if _is_confirmed(job) else bucket,
        danger=True,
        button=button,
    )


def number_of(facts: Mapping[str, Any]) -> int:
    """Return the number of objects, empty folders and requested files counted in these facts."""
    return sum(facts.get(name, 0) for name in ("objects", "marks", "pending"))


def _nothing_to(verb: str, selection: Selection, facts: Mapping[str, Any]) -> str:
    """Say that nothing was found, and why where that is certain."""
    if selection.filter or facts.get("still") or facts.get("refused"):
        return f"Nothing to {verb}."
    return f"Nothing to {verb}: the {'folder is' if selection.only else 'folders are'} gone."


def _is_confirmed(job: Job) -> bool:
    """Whether the job holds what its owner confirmed. A job that was planned again asks again."""
    return job.approval == Approval.ON_CONFLICT and bool(job.parameters.get(CONFIRMED) == number_of(job.facts))


def _objects(facts: dict[str, Any]) -> str:
    """Describe the contents: "3 objects, 1.2 MB". Markers of empty folders don't count as objects."""
    count, marks = facts.get("objects", 0), facts.get("marks", 0)
    if not count and (marks or facts.get("pending")):
        return counted(marks, "empty folder") if marks else counted(facts["pending"], "requested file")
    return f"{counted(count, 'object')}, {bytes_text(facts.get('bytes', 0))}" if count else "nothing"


def _followers(facts: dict[str, Any], wanted: Transfer) -> Iterator[str]:
    if wanted.verb == "copy":
        yield "Share links keep pointing to the originals."
    else:
        yield f"Everything that names them follows: {named}." if (named := facts.get("held")) else "Share links follow."


def _staying(facts: dict[str, Any], words: str) -> Iterator[str]:
    if named := facts.get("held"):
        yield f"{words}: {named}."


def _still(facts: dict[str, Any], verb: str) -> Iterator[str]:
    if count := facts.get("still", 0):
        yield f"{count:,} already {'is' if count == 1 else 'are'} there and won't be {verb}."


def _refused(facts: dict[str, Any], verb: str) -> Iterator[str]:
    if count := facts.get("refused", 0):
        yield " ".join([f"{count:,} can't be {verb}; see the list.", facts.get("limits", "")]).strip()


def _remarks(facts: dict[str, Any]) -> Iterator[str]:
    if count := facts.get("unseen", 0):
        yield f"{count:,} of them {'is' if count == 1 else 'are'} not listed."
    if count := facts.get("unsized", 0):
        yield f"The size of {counted(count, 'object')} is unknown."
    if marks := facts.get("marks", 0) if facts.get("objects") else 0:
        yield f"Includes {counted(marks, 'empty folder')}."
    if pending := facts.get("pending", 0) if facts.get("objects") or facts.get("marks") else 0:
        yield f"Includes {counted(pending, 'requested file')} still to review."
