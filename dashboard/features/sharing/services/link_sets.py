"""The links of a set as rows: kept sealed while they come, noted once in the ledger, forgotten when they end."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from dashboard.features.sharing.models import LONGEST_KEPT, LinkBatch, LinkSet, Signed
from dashboard.interfaces.storage.signed_links import SignedItem
from dashboard.links.signed import note_more, note_raw
from dashboard.tokens.workspace import Workspace

NOTHING_CAME = "No link came back."


def begin(links: LinkSet) -> int:
    """Seconds that the links are asked for. The first time fixes the end that all of them share."""
    now = timezone.now()
    if links.ends_at is None or (links.life and not links.signed):
        links.ends_at = now + timedelta(seconds=links.life or 0)
        links.save(update_fields=("ends_at",))
    return max(1, round((links.ends_at - now).total_seconds()))


def keep(workspace: Workspace, links: LinkSet, items: Sequence[SignedItem], sizes: Mapping[str, int | None]) -> None:
    """Write down what the service answered. Another request may have been faster: what does not wait any more is dropped."""
    with transaction.atomic():
        fresh = LinkSet.objects.select_for_update().get(pk=links.pk)
        if fresh.job_id is None:
            waiting = {key for key, _ in fresh.waiting}
            items = [item for item in items if item.path in waiting]
        said = {item.path for item in items}
        good = [Signed(item.path, sizes.get(item.path), path=item.link.path) for item in items if item.link]
        bad = [[item.path, sizes.get(item.path), item.error or NOTHING_CAME] for item in items if not item.link]
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
    """Links that have ended, and counts that nobody acted on, are deleted."""
    LinkSet.objects.filter(keeps_until__lt=timezone.now()).delete()


def _note(workspace: Workspace, links: LinkSet, keys: Sequence[str], ends_at: datetime | None) -> None:
    """One entry for the whole set, however many batches."""
    if not keys or ends_at is None:
        return
    if links.raw_id is None:
        links.raw = note_raw(workspace, links.space, links.bucket, keys, ends_at)
    else:
        note_more(links.raw_id, keys, ends_at)


def _forget_refusals(links: LinkSet, keys: set[str]) -> int:
    """Those of the keys that were refused before have a new answer now."""
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
