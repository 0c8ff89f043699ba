"""Links for more objects than one request signs: counted by the plan, then S15 for 1,000 at once."""

from collections.abc import Mapping
from functools import partial

from django.utils import timezone

from dashboard.catalog.selection import Selection, resolve
from dashboard.catalog.walk import Entry
from dashboard.features.sharing.models import LinkSet
from dashboard.features.sharing.services import link_sets
from dashboard.features.sharing.services.signatures import MOST, Batches
from dashboard.interfaces.storage.signed_links import SignedItem
from dashboard.jobs.batch import Batch, Item, Stop
from dashboard.jobs.models import Job, JobItem
from dashboard.jobs.plans import Plan
from dashboard.tokens.workspace import Workspace
from dashboard.web.text import bytes_text

MISSING = "It is not in the list"
FORGOTTEN = "Its links were thrown away, or have ended: begin anew at the sign desk."
NAMED = 5


def plan(workspace: Workspace, batch: Batch) -> None:
    """S13: every object that was chosen, as an item. A key that the list does not show stays in: signing it will tell."""
    for resolved in resolve(workspace, batch, Selection.from_parameters(batch.parameters["selection"])):
        entries = [entry for group in resolved.groups for entry in group.entries if not entry.is_marker]
        missing = [entry.key for entry in entries if entry == Entry(entry.key)]
        lost = set(missing)
        batch.add(Item(entry.key, size=entry.size, conflict=MISSING if entry.key in lost else "") for entry in entries)
        _count(batch, entries, missing)
        batch.advance(resolved.cursor, seen=len(entries))


def shown(job: Job) -> Plan:
    """What was counted."""
    facts, total = job.facts, job.total or 0
    bucket = str(job.parameters["selection"]["bucket"])
    lines = ["Anyone who has such a link can open its object until it ends; that can't be taken back before."]
    if missing := facts.get("missing", 0):
        named = ", ".join(f"“{key}”" for key in facts["named"][:NAMED])
        more = f" and {missing - NAMED:,} more" if missing > NAMED else ""
        does, them = ("does", "it") if missing == 1 else ("do", "them")
        lines.insert(0, f"{missing:,} {does} not exist, or your token may not see {them}: {named}{more}.")
    if unsized := facts.get("unsized", 0):
        lines.append(f"The size of {unsized:,} is not known.")
    calls = -(-total // MOST)
    lines.append(f"{calls:,} call{'' if calls == 1 else 's'}, at most {MOST:,} objects in each.")
    there = total - missing
    return Plan(
        f"{there:,} object{'' if there == 1 else 's'} of {bucket}, {bytes_text(facts.get('bytes', 0))}.",
        details=tuple(lines),
        conflicts=job.conflicts,
        button="Make the links",
    )


def sign(workspace: Workspace, batch: Batch) -> None:
    """S15. The links are kept sealed in the transaction that writes the outcomes; the rows of the job hold none of them."""
    links = LinkSet.objects.filter(pk=batch.parameters["links"]).first()
    if links is None or (links.signed and links.ends_at and links.ends_at <= timezone.now()):
        raise Stop(FORGOTTEN)
    rows = {row.target: row for row in batch.items}
    seconds = link_sets.begin(links)
    ask = partial(workspace.storage(links.space).signing.sign_many, links.bucket, expires_in=seconds)
    batches = Batches(ask, most=int(batch.facts.get("batch", MOST)))
    with workspace.record("S15", target=f"{len(rows):,} objects in {links.bucket}", place=links.space) as change:
        done: list[str] = []
        try:
            for items in batches.run(list(rows)):
                _write(workspace, batch, links, rows, items)
                done += [item.path for item in items if item.link]
                if batch.stopping:
                    break
        finally:
            change.after = {"ends_at": links.ends_at.isoformat() if links.ends_at else "", "keys": done}
    for row in batch.open_items():
        batch.requeue(row)
    if batches.most < MOST and batches.most != batch.facts.get("batch"):
        batch.facts["batch"] = batches.most
        batch.advance(None)


def _write(workspace: Workspace, batch: Batch, links: LinkSet, rows: Mapping[str, JobItem], items: list[SignedItem]) -> None:
    for item in items:
        if item.link:
            batch.done(rows[item.path])
        else:
            batch.failed(rows[item.path], item.error or link_sets.NOTHING_CAME)
    sizes = {key: row.size for key, row in rows.items()}
    batch.on_save = lambda _said: link_sets.keep(workspace, links, items, sizes)
    batch.save()
    batch.on_save = None


def _count(batch: Batch, entries: list[Entry], missing: list[str]) -> None:
    facts = batch.facts
    facts["bytes"] = facts.get("bytes", 0) + sum(entry.size or 0 for entry in entries)
    facts["missing"] = facts.get("missing", 0) + len(missing)
    facts["named"] = [*facts.get("named", []), *missing][:NAMED]
    facts["unsized"] = facts.get("unsized", 0) + sum(entry.size is None for entry in entries) - len(missing)
