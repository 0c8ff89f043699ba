"""Raw presigned links that were handed out: noted, since the service knows no list of them."""

from collections.abc import Sequence
from datetime import datetime

from dashboard.links.models import RawLink
from dashboard.tokens.workspace import Workspace


def note_raw(workspace: Workspace, space: str, bucket: str, keys: Sequence[str], ends_at: datetime) -> None:
    """Write down that this person was given links to these objects, as one entry; never the links themselves."""
    if keys:
        RawLink.objects.create(
            person_id=workspace.person.pk, space=space, bucket=bucket, keys=list(keys), count=len(keys), ends_at=ends_at
        )
