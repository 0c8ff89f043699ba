"""Signed links for many objects: counted first, signed in the request or by a job, stored sealed until they expire."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from dashboard.catalog import queries
from dashboard.catalog.archive_names import Names, base_of
from dashboard.catalog.contents import Contents, Limits, count, tally
from dashboard.catalog.keys import enclosing, printable
from dashboard.catalog.link_export import Linked
from dashboard.catalog.selection import Selection
from dashboard.catalog.walk import Entry
from dashboard.features.sharing.models import LONGEST_KEPT, UNSIGNED_KEPT, LinkBatch, LinkSet, Signed
from dashboard.interfaces import errors
from dashboard.interfaces.storage.signed_links import SignedItem
from dashboard.jobs.models import Job
from dashboard.jobs.transitions import give_to, retry_failed, start
from dashboard.links.lifecycle import MOST_TARGETS
from dashboard.links.models import RawLink
from dashboard.links.signed import download_of, note_more, note_raw
from dashboard.team.models import Person
from dashboard.tokens.errors import TokenLocked
from dashboard.tokens.models import Kind
from dashboard.tokens.takeover import Takeover
from dashboard.tokens.workspace import Workspace
from dashboard.vault.seals import CannotOpen

KIND = "sign objects"
MOST_LISTED = 10
MOST = 1000
NO_LINK = "No link was returned."
LIMITS = Limits(objects=MOST, lists=20, pages=5, lookups=500)
TOO_MANY = f"These are more than {MOST_TARGETS:,} objects. Share their folder instead."
UNREAD = "This bucket isn't searchable yet. Make it searchable on its search page first."


def prepare(
    workspace: Workspace,
    selection: Selection,
    *,
    life: int | None,
    ends_at: datetime | None,
    download: str | None,
    page_of: Callable[[LinkSet], str],
) -> LinkSet:
    """Count the objects (S13). Up to 1,000 are signed in a later request; for more, a job plans first.

    Without `life` and `ends_at` they can only be shared, not signed. `download` as in `OpensForm`. `page_of` returns the address
    that the job leads back to.
    Raises `ValidationError` for a search in an unindexed bucket, and for more objects than a share link can hold.
    """
    if selection.filter and queries.state(workspace, selection.space, selection.bucket) is None:
        raise ValidationError({"search": UNREAD})
    contents = count(workspace, selection, limits=LIMITS)
    if contents is None and life is None and ends_at is None:
        raise ValidationError(TOO_MANY)
    links = LinkSet(
        owner=workspace.person,
        space=selection.space,
        bucket=selection.bucket,
        selection=selection.as_parameters(),
        life=life,
        ends_at=None if life else ends_at,
        download=download,
        keeps_until=timezone.now() + (UNSIGNED_KEPT if contents else LONGEST_KEPT),
    )
    with transaction.atomic():
        if contents:
            links.waiting, links.facts = _rows(contents), _facts(selection, contents)
        links.save()
        if not contents:
            links.job = _start_job(workspace, links, selection, back=page_of(links))
            links.save(update_fields=("job",))
    return links


def find(workspace: Workspace, space: str, bucket: str, set_id: int) -> LinkSet | None:
    """Return the person's own set until it expires. Raises `TokenLocked` while the account is locked."""
    found = _kept(workspace.person, space=space, bucket=bucket).select_related("job").filter(pk=set_id).first()
    if found and workspace.person.is_locked:
        raise TokenLocked(kind="storage", space=space)
    return found


def kept(workspace: Workspace, space: str, bucket: str) -> list[LinkSet]:
    """Return the person's newest sets in this bucket that have not expired."""
    found = _kept(workspace.person, space=space, bucket=bucket)
    return list(found.select_related("job").order_by("-pk")[:MOST_LISTED])


def sets_of(person: Person, entries: Sequence[RawLink]) -> dict[int, LinkSet]:
    """Return the person's own sets by the id of their ledger entry."""
    return {links.raw_id: links for links in _kept(person, raw__in=entries) if links.raw_id}


def all_of(person: Person) -> QuerySet[LinkSet]:
    return LinkSet.objects.filter(owner=person)


def live_of(person: Person) -> QuerySet[LinkSet]:
    """Return the sets whose links still work, without those made through a grant, which work for at most an hour."""
    return _kept(person, ends_at__gt=timezone.now(), raw__isnull=False, raw__grant=None).select_related("job")


def hand_over(person: Person, receiver: Person) -> int:
    """Transfer a person's sets, with their records and jobs, to somebody whose token allows them. Return how many."""
    takeover, moved = Takeover(person, receiver), 0
    for links in live_of(person).select_for_update(of=("self",)):
        is_busy = bool(links.job and links.job.is_alive)
        if is_busy or person.is_locked or not takeover.allows(Kind.STORAGE, links.space):
            continue
        with suppress(CannotOpen), transaction.atomic():
            links.give_to(receiver)
            if links.job:
                give_to(receiver, links.job)
            moved += 1
    return moved


def shareable(links: LinkSet) -> tuple[Sequence[str], Sequence[str]]:
    """Return the keys and folders for a share link to the same objects, without missing ones; for a search, its results.

    Empty if there are too many.
    """
    selection = links.chosen
    keys, folders = selection.keys, selection.folders
    if selection.filter:
        keys = (*(key for key, _ in links.waiting), *(links.raw.keys if links.raw else ()))
    if len(keys) + len(folders) > MOST_TARGETS:
        return (), ()
    missing = {*links.facts.get("named", ()), *(one.key for one in links.refusals())}
    return [key for key in keys if key not in missing], folders


def sign(workspace: Workspace, links: LinkSet) -> None:
    """Sign waiting objects (S15). If the service fails halfway, the signed ones are kept and the rest stay waiting."""
    sizes: dict[str, int | None] = {str(key): size for key, size in links.waiting}
    if not sizes:
        return
    seconds = begin(links)
    storage = workspace.storage(links.space)
    ask = Batches(partial(storage.signing.sign_many, links.bucket, expires_in=seconds))
    target = f"{len(sizes):,} objects in {links.bucket}" if len(sizes) > 1 else f"object {links.bucket}/{next(iter(sizes))}"
    with workspace.record("S15", target=target, place=links.space, right="link signed") as change:
        done: list[str] = []
        try:
            for items in ask.run(list(sizes)):
                keep(workspace, links, items, sizes)
                done += [item.path for item in items if item.link]
        finally:
            change.after = {"ends_at": links.ends_at.isoformat() if links.ends_at else "", "keys": done}


def sign_refused(workspace: Workspace, links: LinkSet) -> bool:
    """Retry the failed ones. Returns False if handed to a job."""
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
    """Yield every link with its absolute address, then the refusals. Raises `CannotOpen` at the first."""
    names, number = Names(base=base_of(links.chosen)), 0
    for good in links.signed_batches():
        for one, name in zip(good, names.give([one.key for one in good]), strict=True):
            number += links.signed > 1
            address = one.address(base, download_of(links.download, one.key, number))
            yield Linked(Entry(one.key, one.size), name, address, "")
    for one in links.refusals():
        yield Linked(Entry(one.key, one.size), one.key, "", one.words)


def _kept(person: Person, **fields: object) -> QuerySet[LinkSet]:
    return LinkSet.objects.filter(owner=person, keeps_until__gt=timezone.now(), **fields)


def _start_job(workspace: Workspace, links: LinkSet, selection: Selection, *, back: str) -> Job:
    what = printable(selection.only)[:100] or selection.sentence()
    return start(
        workspace,
        KIND,
        title=f"Create links for {what}",
        place=selection.space,
        back=back,
        parameters={"selection": selection.as_parameters(), "links": links.pk},
    )


def _rows(contents: Contents) -> list[list[str | int | None]]:
    """Return [key, size] of each object to sign, including missing and unchecked ones: signing will tell."""
    chosen = [[key, entry.size if entry else None] for key, entry in contents.chosen.items()]
    return [*chosen, *([entry.key, entry.size] for entry in contents.inside)]


def _facts(selection: Selection, contents: Contents) -> dict[str, object]:
    """Return the facts to store. `empty`: folders without objects; the service doesn't say whether one ever existed."""
    facts: dict[str, object] = {}
    tally(facts, contents.found)
    wanted = sorted(selection.folders)
    full = {enclosing(entry.key, wanted) for entry in contents.inside}
    return {
        **facts,
        "missing": len(contents.missing),
        "named": contents.missing[:100],
        "unchecked": len(contents.unchecked),
        "empty": [folder for folder in selection.folders if folder not in full][:100],
    }


def begin(links: LinkSet) -> int:
    """Return the lifetime to request, in seconds. The first call fixes the expiry that all links share."""
    now = timezone.now()
    if links.ends_at is None or (links.life and not links.signed):
        links.ends_at = now + timedelta(seconds=links.life or 0)
        links.save(update_fields=("ends_at",))
    return max(1, round((links.ends_at - now).total_seconds()))


def keep(workspace: Workspace, links: LinkSet, items: Sequence[SignedItem], sizes: Mapping[str, int | None]) -> None:
    """Save the service's answers. Drops answers for keys that another request has signed already."""
    with transaction.atomic():
        fresh = LinkSet.objects.select_for_update().get(pk=links.pk)
        if fresh.job_id is None:
            waiting = {key for key, _ in fresh.waiting}
            items = [item for item in items if item.path in waiting]
        said = {item.path for item in items}
        good = [Signed(item.path, sizes.get(item.path), path=item.link.path) for item in items if item.link]
        bad = [[item.path, sizes.get(item.path), item.error or NO_LINK] for item in items if not item.link]
        fresh.refused += len(bad) - _forget_refusals(fresh, said)
        if items:
            batch = LinkBatch(of=fresh, number=_next_number(fresh), refused=bad)
            batch.seal(good, owner=fresh.owner_id)
            batch.save()
        ends = [item.link.expires_at for item in items if item.link and item.link.expires_at]
        last = max(ends, default=fresh.ends_at)
        fresh.ends_at = min([*(end for end in (fresh.ends_at,) if end), *ends], default=None)
        fresh.signed += len(good)
        fresh.waiting = [row for row in fresh.waiting if row[0] not in said]
        _note(workspace, fresh, [one.key for one in good], last)
        fresh.keeps_until = min(fresh.ends_at or timezone.now(), timezone.now() + LONGEST_KEPT)
        fresh.save()
    for name in ("refused", "signed", "waiting", "ends_at", "keeps_until", "raw_id"):
        setattr(links, name, getattr(fresh, name))


def forget_ended() -> None:
    """Delete expired links, and counts that were never signed."""
    LinkSet.objects.filter(keeps_until__lt=timezone.now()).delete()


def _note(workspace: Workspace, links: LinkSet, keys: Sequence[str], ends_at: datetime | None) -> None:
    """Write one ledger entry for the whole set."""
    if not keys or ends_at is None:
        return
    if links.raw_id is None:
        links.raw = note_raw(workspace, links.space, links.bucket, keys, ends_at)
    else:
        note_more(links.raw_id, keys, ends_at)


def _forget_refusals(links: LinkSet, keys: set[str]) -> int:
    """Delete earlier refusals of these keys. Return how many."""
    if not links.refused:
        return 0
    gone = 0
    for batch in links.batches.exclude(refused=[]).only("pk", "refused"):
        left = [row for row in batch.refused if row[0] not in keys]
        if len(left) < len(batch.refused):
            gone += len(batch.refused) - len(left)
            LinkBatch.objects.filter(pk=batch.pk).update(refused=left)
    return gone


def _next_number(links: LinkSet) -> int:
    last = links.batches.order_by("-number").values_list("number", flat=True).first()
    return (last or 0) + 1


TOO_MUCH = (errors.Rejected, errors.TooLarge)
# Stop once this many single keys were refused with the same message and none was signed: the keys are not the cause.
GIVE_UP_AFTER = 3

Sign = Callable[[Sequence[str]], Sequence[SignedItem]]


class Batches:
    """Signs any number of keys (S15): 1,000 per call, fewer if the service refuses that.

    `most`, the batch size, is halved on a refusal and restored once the faulty key is found.
    """

    def __init__(self, sign: Sign, *, most: int = MOST) -> None:
        self.most = most
        self._sign = sign
        self._best = 0
        self._words: list[str] = []

    def run(self, keys: Sequence[str]) -> Iterator[list[SignedItem]]:
        """Yield the answers in the order of the keys. A key refused on its own has the service's message."""
        left = list(keys)
        while left:
            some = left[: self.most]
            try:
                items = list(self._sign(some))
                self._best = max(self._best, len(some))
            except TOO_MUCH as refusal:
                if len(some) > 1:
                    self.most = len(some) // 2
                    continue
                items = self._refused(left, refusal.text or str(refusal))
                self.most = max(self._best, 1)
            left = left[len(items) :]
            yield items

    def _refused(self, left: Sequence[str], words: str) -> list[SignedItem]:
        self._words.append(words)
        alike = len(self._words) >= GIVE_UP_AFTER and set(self._words[-GIVE_UP_AFTER:]) == {words}
        lost = left if alike and not self._best else left[:1]
        return [SignedItem(path=key, error=words) for key in lost]
