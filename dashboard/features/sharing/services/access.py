"""Check which share links the owner's new storage token can open."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from django.utils import timezone

from dashboard.catalog.lookup import is_empty
from dashboard.interfaces import StorageInterface
from dashboard.interfaces.errors import InterfaceError
from dashboard.links.models import Share, Target
from dashboard.team.models import Person
from dashboard.tokens.actor import workspace_of
from dashboard.tokens.errors import TokenMissing
from dashboard.tokens.models import Kind

MOST_SHARES = 1000
MOST_FOLDERS = 50
AT_ONCE = 1000


def update_links(person: Person, space: str) -> None:
    """Update the links' states: S15 for objects, 1,000 per call, and S13 for folders.

    Links beyond the limits, or all if the service fails, keep their state until somebody opens them.
    """
    mine = Share.objects.current().filter(owner=person, grant=None, space=space, kind=Share.Kind.OBJECTS, gone_at=None)
    shares = list(mine.prefetch_related("targets")[:MOST_SHARES])
    try:
        with workspace_of(person.pk) as workspace:
            found = dict(_read(workspace.storage(space), [target for share in shares for target in share.targets.all()]))
            reader = workspace.fingerprint(Kind.STORAGE, space)
    except TokenMissing:
        mine.update(hidden_at=timezone.now())
        return
    except InterfaceError:
        return
    asked = [share for share in shares if any(target.pk in found for target in share.targets.all())]
    read = [share.pk for share in asked if any(found.get(target.pk) for target in share.targets.all())]
    Share.objects.filter(pk__in=read).update(hidden_at=None, reader=reader)
    Share.objects.filter(pk__in={share.pk for share in asked} - set(read)).update(hidden_at=timezone.now())


def _read(storage: StorageInterface, targets: Iterable[Target]) -> Iterator[tuple[int, bool]]:
    objects: dict[str, list[Target]] = defaultdict(list)
    folders: dict[tuple[str, str], list[Target]] = defaultdict(list)
    for target in targets:
        if target.is_folder:
            folders[target.bucket, target.key].append(target)
        else:
            objects[target.bucket].append(target)
    for bucket, wanted in objects.items():
        for at in range(0, len(wanted), AT_ONCE):
            some = wanted[at : at + AT_ONCE]
            items = storage.signing.sign_many(bucket, [target.key for target in some], expires_in=1)
            yield from ((target.pk, item.link is not None) for target, item in zip(some, items, strict=True))
    for bucket, folder in list(folders)[:MOST_FOLDERS]:
        reads = not is_empty(storage, bucket, folder)
        yield from ((target.pk, reads) for target in folders[bucket, folder])
