"""Raw presigned links that were handed out: noted, since the service knows no list of them."""

from collections.abc import Sequence
from datetime import datetime

from dashboard.links.models import RawLink
from dashboard.tokens.workspace import Workspace

# So many keys of an entry are kept by name; more are counted.
MOST_NAMED = 10_000


def note_raw(workspace: Workspace, space: str, bucket: str, keys: Sequence[str], ends_at: datetime) -> RawLink | None:
    """Write down that this person was given links to these objects, as one entry; never the links themselves."""
    if not keys:
        return None
    named = list(keys[:MOST_NAMED])
    return RawLink.objects.create(
        person_id=workspace.person.pk, space=space, bucket=bucket, keys=named, count=len(keys), ends_at=ends_at
    )


def note_more(raw_id: int, keys: Sequence[str], ends_at: datetime) -> None:
    """More links of the same entry, which says until when the last one lives. Part of the transaction that keeps the links."""
    raw = RawLink.objects.select_for_update().get(pk=raw_id)
    raw.keys = [*raw.keys, *keys][:MOST_NAMED]
    raw.count += len(keys)
    raw.ends_at = max(raw.ends_at, ends_at)
    raw.save(update_fields=("keys", "count", "ends_at"))
