"""The job that signs more objects than one request can, and what the worker does for links."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import partial

from django.db.models import F
from django.urls import reverse
from django.utils import timezone

from dashboard.catalog import contents
from dashboard.catalog.selection import Selection
from dashboard.catalog.walk import Entry
from dashboard.features.sharing.models import LinkSet
from dashboard.features.sharing.services import batch as links_service
from dashboard.features.sharing.services.batch import MOST, Batches
from dashboard.interfaces.storage.signed_links import SignedItem
from dashboard.jobs.batch import Batch, Item, Stop
from dashboard.jobs.models import Job, JobItem
from dashboard.jobs.plans import Plan
from dashboard.links import policy
from dashboard.links.ledger import expires_soon, name_of
from dashboard.links.models import Share, Shares
from dashboard.notifications import outbox
from dashboard.tokens.workspace import Workspace
from dashboard.web.text import bytes_text, counted

MISSING = "Not found"
FORGOTTEN = "These links were removed or have expired. Create them again."
NAMED = 5
EXPIRES, LIMIT, MISSING_FILE, OPENED = "link expires", "link limit", "link file missing", "link opened"
RECENT = timedelta(days=1)
MOST_REMINDED = 500


def plan(workspace: Workspace, batch: Batch) -> None:
    """S13: one item per object. Keys that the list does not show stay in: signing them will tell."""
    for block in contents.read(workspace, batch, Selection.from_parameters(batch.parameters["selection"])):
        entries = [entry for entry in block.entries if not entry.is_marker]
        missing = [entry.key for entry in entries if entry == Entry(entry.key)]
        lost = set(missing)
        batch.add(Item(entry.key, size=entry.size, conflict=MISSING if entry.key in lost else "") for entry in entries)
        _count(batch, entries, missing)
        batch.advance(block.cursor, seen=len(entries))


def describe(job: Job) -> Plan:
    facts, total = job.facts, job.total or 0
    bucket = str(job.parameters["selection"]["bucket"])
    lines = ["Anyone with a link can open its object until it expires. Signed links can't be revoked."]
    if missing := facts.get("missing", 0):
        named = ", ".join(f"“{key}”" for key in facts["named"][:NAMED])
        more = f" and {missing - NAMED:,} more" if missing > NAMED else ""
        lines.insert(0, f"{counted(missing, 'object')} not found, or not visible to your token: {named}{more}.")
    if unsized := facts.get("unsized", 0):
        lines.append(f"{counted(unsized, 'object')} of unknown size.")
    calls = -(-total // MOST)
    lines.append(f"{counted(calls, 'call')} of up to {MOST:,} objects.")
    there = total - missing
    return Plan(
        f"{counted(there, 'object')} in {bucket}, {bytes_text(facts.get('bytes', 0))}.",
        details=tuple(lines),
        conflicts=job.conflicts,
        button="Create links",
    )


def sign(workspace: Workspace, batch: Batch) -> None:
    """S15. Links are sealed in the transaction that saves the outcomes; job rows hold none."""
    links = LinkSet.objects.filter(pk=batch.parameters["links"]).first()
    if links is None or (links.signed and links.ends_at and links.ends_at <= timezone.now()):
        raise Stop(FORGOTTEN)
    if refusal := policy.why_not_signed(workspace, links.space):
        raise Stop(f"Nothing more was signed. {refusal}")
    rows = {row.target: row for row in batch.items}
    seconds = links_service.begin(links)
    ask = partial(workspace.storage(links.space).signing.sign_many, links.bucket, expires_in=seconds)
    batches = Batches(ask, most=int(batch.facts.get("batch", MOST)))
    with workspace.record(
        "S15", target=f"{len(rows):,} objects in {links.bucket}", place=links.space, right="link signed"
    ) as change:
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
            batch.failed(rows[item.path], item.error or links_service.NO_LINK)
    sizes = {key: row.size for key, row in rows.items()}
    batch.on_save = lambda _said: links_service.keep(workspace, links, items, sizes)
    batch.save()
    batch.on_save = None


def _count(batch: Batch, entries: list[Entry], missing: list[str]) -> None:
    facts, lost = batch.facts, set(missing)
    contents.tally(facts, (entry for entry in entries if entry.key not in lost))
    facts["missing"] = facts.get("missing", 0) + len(missing)
    facts["named"] = [*facts.get("named", []), *missing][:NAMED]


def remind() -> None:
    """Notify the owners of links that expire within a day, reached their limit, lead to a missing file, or were opened first."""
    now = timezone.now()
    links = Share.objects.filter(owner__is_active=True, revoked_at=None, ends_at__gt=now)
    _tell(
        EXPIRES,
        links.current(now).filter(expires_soon(now)),
        "expires soon",
        lambda share: share.ends_at.isoformat(),
        by="ends_at",
    )
    used_up = links.filter(limit__isnull=False, opened__gte=F("limit"), opened_at__gt=now - RECENT)
    _tell(LIMIT, used_up, "has reached its limit", lambda share: str(share.limit), by="opened_at")
    missing = links.current(now).filter(gone_at__gt=now - RECENT)
    _tell(MISSING_FILE, missing, "leads to a missing file", lambda share: f"{share.gone_at}", by="gone_at")
    opened = Share.objects.filter(tells_first=True, openings__isnull=False).values_list("pk", flat=True).distinct()
    told = list(opened.order_by("pk")[:MOST_REMINDED])
    by_person = Share.objects.filter(pk__in=told, owner__is_active=True)
    _tell(OPENED, by_person, "was opened for the first time", lambda _share: "opened", by="opened_at")
    Share.objects.filter(pk__in=told).update(tells_first=False)


def _tell(kind: str, links: Shares, what: str, event: Callable[[Share], str], *, by: str) -> None:
    """Notify owners of what happened to their links. `event` differs each time it happens; `by` is the field with its time."""
    latest = list(links.order_by(f"-{by}")[:MOST_REMINDED])
    found = {f"{share.pk} {event(share)}": share for share in reversed(latest)}
    for key in outbox.untold(kind, found):
        share = found[key]
        title, address = f"Share link to {name_of(share)} {what}", reverse("sharing:edit", args=[share.pk])
        outbox.notify(kind, [share.owner], title=title, address=address, key=key, place=share.space)
