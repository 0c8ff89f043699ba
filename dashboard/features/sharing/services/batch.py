"""The sign desk: links for many objects at once. Counted first, signed in the request or by a job, kept until they end."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial

from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404
from django.urls import reverse
from django.utils import timezone

from dashboard.catalog import queries
from dashboard.catalog.archive_names import Names, base_of
from dashboard.catalog.keys import printable
from dashboard.catalog.link_export import Linked
from dashboard.catalog.selection import Selection
from dashboard.catalog.walk import Entry
from dashboard.features.sharing.models import LONGEST_KEPT, UNSIGNED_KEPT, LinkSet
from dashboard.features.sharing.services import link_sets
from dashboard.features.sharing.services.selection import Ask, look
from dashboard.features.sharing.services.signatures import Batches
from dashboard.jobs.models import Job
from dashboard.jobs.transitions import retry_failed, start
from dashboard.links.lifecycle import MOST_TARGETS
from dashboard.links.models import RawLink
from dashboard.team.models import Person
from dashboard.tokens.errors import TokenLocked
from dashboard.tokens.workspace import Workspace
from dashboard.web.database import in_chunks

KIND = "sign objects"
MOST_LISTED = 10
UNREAD = "This bucket has not been read yet, so nothing can be found in it. Read it first, on its page Search."


def prepare(workspace: Workspace, selection: Selection, *, life: int | None, ends_at: datetime | None, ask: Ask) -> LinkSet:
    """Count what there is (S13). At most 1,000 objects then wait to be signed in a request; for more a job makes a plan first.

    Raises `ValidationError` for a search in a bucket that was never read.
    """
    if selection.filter and queries.state(workspace, selection.space, selection.bucket) is None:
        raise ValidationError({"search": UNREAD})
    looked = look(workspace, selection, ask=ask)
    links = LinkSet(
        owner=workspace.person,
        space=selection.space,
        bucket=selection.bucket,
        selection=selection.as_parameters(),
        life=life,
        ends_at=None if life else ends_at,
        keeps_until=timezone.now() + (UNSIGNED_KEPT if looked else LONGEST_KEPT),
    )
    with transaction.atomic():
        if looked:
            links.waiting, links.facts = [list(row) for row in looked.rows], looked.facts()
        links.save()
        if not looked:
            links.job = _begin(workspace, links, selection)
            links.save(update_fields=("job",))
    return links


def own(workspace: Workspace, space: str, bucket: str, set_id: int) -> LinkSet:
    """Only its owner sees it, and only until its end. Raises `Http404`, and `TokenLocked` for one from before a lock."""
    kept = LinkSet.objects.filter(owner=workspace.person, space=space, bucket=bucket, keeps_until__gt=timezone.now())
    found = kept.select_related("job").filter(pk=set_id).first()
    if found and workspace.person.locks(found.made_at):
        raise TokenLocked(kind="storage", space=space)
    if found is None:
        raise Http404("There are no such links, or they have ended and were forgotten.")
    return found


def kept(workspace: Workspace, space: str, bucket: str) -> list[LinkSet]:
    """The person's own sets in this bucket that have not ended, newest first; only as many as one looks through."""
    found = LinkSet.objects.filter(owner=workspace.person, space=space, bucket=bucket, keeps_until__gt=timezone.now())
    return list(found.select_related("job").order_by("-pk")[:MOST_LISTED])


def pages(person: Person, raws: Sequence[RawLink]) -> dict[int, str]:
    """Where the person's own links of these entries of the ledger are kept, by entry."""
    found = LinkSet.objects.filter(owner=person, raw__in=raws, keeps_until__gt=timezone.now())
    return {links.raw_id: page_of(links) for links in found if links.raw_id}


def page_of(links: LinkSet) -> str:
    return reverse("sharing:signed", args=(links.space, links.bucket, links.pk))


def shareable(links: LinkSet) -> tuple[Sequence[str], Sequence[str]]:
    """The keys and folders by which the same becomes one share link, without what is known to be missing; of a search, what it
    found. None where they are too many."""
    selection = Selection.from_parameters(links.selection)
    keys, folders = selection.keys, selection.folders
    if selection.filter:
        keys = (*(key for key, _ in links.waiting), *(links.raw.keys if links.raw else ()))
    if len(keys) + len(folders) > MOST_TARGETS:
        return (), ()
    missing = {*links.facts.get("named", ()), *(one.key for one in links.refusals())}
    return [key for key in keys if key not in missing], folders


def sign(workspace: Workspace, links: LinkSet) -> None:
    """S15 for what waits. What was signed is kept, even if the service fails in the middle of it; the rest goes on waiting."""
    sizes: dict[str, int | None] = {str(key): size for key, size in links.waiting}
    if not sizes:
        return
    seconds = link_sets.begin(links)
    storage = workspace.storage(links.space)
    ask = Batches(partial(storage.signing.sign_many, links.bucket, expires_in=seconds))
    target = f"{len(sizes):,} objects in {links.bucket}" if len(sizes) > 1 else f"object {links.bucket}/{next(iter(sizes))}"
    with workspace.record("S15", target=target, place=links.space) as change:
        done: list[str] = []
        try:
            for items in ask.run(list(sizes)):
                link_sets.keep(workspace, links, items, sizes)
                done += [item.path for item in items if item.link]
        finally:
            change.after = {"ends_at": links.ends_at.isoformat() if links.ends_at else "", "keys": done}


def sign_refused(workspace: Workspace, links: LinkSet) -> bool:
    """Once more for those that have none. False: a job does it."""
    if links.job and retry_failed(links.job):
        return False
    if not links.job:
        with transaction.atomic():
            fresh = LinkSet.objects.select_for_update().get(pk=links.pk)
            waiting = {key for key, _ in fresh.waiting}
            fresh.waiting += [[one.key, one.size] for one in fresh.refusals() if one.key not in waiting]
            fresh.save(update_fields=("waiting",))
        links.waiting = fresh.waiting
        sign(workspace, links)
    return True


def linked(links: LinkSet, base: str) -> Iterator[Linked]:
    """Every link with its absolute address, then those that have none with the reason. Raises `CannotOpen` at the first."""
    names = Names(base=base_of(Selection.from_parameters(links.selection)))
    for some in in_chunks(links.batches.order_by("number"), 1):
        good = some.links(links.owner_id)
        for one, name in zip(good, names.give([one.key for one in good]), strict=True):
            yield Linked(Entry(one.key, one.size), name, one.address(base), "")
    for one in links.refusals():
        yield Linked(Entry(one.key, one.size), one.key, "", one.words)


def _begin(workspace: Workspace, links: LinkSet, selection: Selection) -> Job:
    what = selection.sentence() if selection.filter or len(selection.keys) + len(selection.folders) != 1 else _only(selection)
    return start(
        workspace,
        KIND,
        title=f"Make links for {what}",
        place=selection.space,
        back=page_of(links),
        parameters={"selection": selection.as_parameters(), "links": links.pk},
    )


def _only(selection: Selection) -> str:
    return printable((selection.keys or selection.folders)[0])[:100]
