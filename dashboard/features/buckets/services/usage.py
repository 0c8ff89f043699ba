"""Usage of a bucket: bytes by folder, type and age, from its index. Only the bucket's settings are read (S4)."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

from django.utils import timezone

from dashboard.catalog import queries
from dashboard.catalog.keys import folder_of
from dashboard.catalog.queries import Known, Large, Sums
from dashboard.catalog.walk import Entry
from dashboard.features.buckets.services.buckets import get_bucket
from dashboard.features.buckets.services.contents import counted
from dashboard.interfaces.errors import InterfaceError, TokenRefused
from dashboard.interfaces.storage.buckets import Bucket
from dashboard.tokens.workspace import Workspace

FOLDERS_MAX, TYPES_MAX, FILES_MAX = 20, 8, 8
# A folder with this share of the bytes doesn't say where they are: one of its own may, or its files.
MOSTLY = 0.9
# Lower bound of each age, in days.
AGES = (7, 30, 365)


class Share(NamedTuple):
    """A part of a folder's usage: a type, or an age as an index into `AGES`."""

    name: str
    objects: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Spread:
    """Where the bytes of a folder spread: in `place`, itself or one below that holds nearly all of them, largest first.

    `files`: the largest ones directly in the place, if they hold nearly all; then `here` is what is left of those.
    """

    place: Large
    folders: Sequence[Large]
    files: Sequence[Entry]
    here: Large
    others: Large | None


@dataclass(frozen=True, slots=True)
class Usage:
    """The usage below one folder, largest first.

    `here`: the objects directly in the folder. `others`: the subfolders beyond the largest; `other_types` likewise.
    """

    total: Large
    folders: Sequence[Large]
    here: Large
    others: Large | None
    types: Sequence[Share]
    other_types: Share | None
    ages: Sequence[Share]
    largest: Sequence[Entry]
    newest: Sequence[Entry]
    spread: Spread


def read(workspace: Workspace, space: str, bucket: str, path: str) -> tuple[Known | None, Usage | None]:
    """Return the state of the index and the usage of a folder: None if the index is incomplete or has no such folder."""
    known = counted(workspace, space, bucket)
    here = queries.direct(workspace, space, bucket, path) if known else None
    if known is None or here is None:
        return queries.state(workspace, space, bucket), None
    now = timezone.now()
    sums = queries.sums(workspace, space, bucket, path, [now - timedelta(days=days) for days in AGES])
    total = Large(path, sum(one.objects for one in sums), sum(one.bytes for one in sums))
    folders = queries.largest(workspace, space, bucket, path, limit=FOLDERS_MAX)
    others = _rest(total, [*folders, here])
    types = _shares((one.mimetype, one) for one in sums)
    ages = {share.name: share for share in _shares((str(one.age), one) for one in sums)}
    return known, Usage(
        total=total,
        folders=folders,
        here=here,
        others=others,
        types=types[:TYPES_MAX],
        other_types=_joined(types[TYPES_MAX:]),
        ages=[ages.get(str(age), Share(str(age), 0, 0)) for age in range(len(AGES) + 1)],
        largest=queries.first(workspace, space, bucket, path, sort="size", limit=FILES_MAX),
        newest=queries.first(workspace, space, bucket, path, sort="changed", limit=FILES_MAX),
        spread=_spread(workspace, space, bucket, Spread(total, folders, (), here, others)),
    )


def find_start(workspace: Workspace, space: str, bucket: str) -> str:
    """Return the first folder of which no subfolder holds 90 % of the bytes, "" for the bucket. Calls no service."""
    known = counted(workspace, space, bucket)
    return _concentrated(workspace, space, bucket, Large("", known.objects, known.bytes)).path if known else ""


def _concentrated(workspace: Workspace, space: str, bucket: str, place: Large) -> Large:
    """Return the first folder, from this one down, of which no subfolder holds nearly all the bytes."""
    while place.bytes:
        found = queries.largest(workspace, space, bucket, place.path, limit=1)
        if not found or found[0].bytes < MOSTLY * place.bytes:
            break
        place = found[0]
    return place


def _spread(workspace: Workspace, space: str, bucket: str, top: Spread) -> Spread:
    """Return where the bytes spread, given the folder itself."""
    place, folders, here = top.place, top.folders, top.here
    if folders and folders[0].bytes >= MOSTLY * place.bytes:
        place = _concentrated(workspace, space, bucket, folders[0])
        folders = queries.largest(workspace, space, bucket, place.path, limit=FOLDERS_MAX)
        here = queries.direct(workspace, space, bucket, place.path) or Large(place.path, 0, 0)
    others, files = _rest(place, [*folders, here]), list[Entry]()
    if here.bytes >= MOSTLY * place.bytes:
        largest = queries.first(workspace, space, bucket, place.path, sort="size", limit=FOLDERS_MAX)
        files = [one for one in largest if folder_of(one.key) == place.path]
        here = Large(here.path, here.objects - len(files), max(0, here.bytes - sum(one.size or 0 for one in files)))
    return Spread(place, folders, files, here, others)


def read_access(workspace: Workspace, space: str, bucket: str) -> Bucket | InterfaceError:
    """Return the bucket (S4) or the failure, since the index is shown anyway. Raises `TokenRefused`."""
    try:
        return get_bucket(workspace, space, bucket)
    except TokenRefused:
        raise
    except InterfaceError as error:
        return error


def _shares(named: Iterable[tuple[str, Sums]]) -> list[Share]:
    found: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for name, one in named:
        found[name][0] += one.objects
        found[name][1] += one.bytes
    shares = [Share(name, objects, size) for name, (objects, size) in found.items()]
    return sorted(shares, key=lambda share: (-share.bytes, -share.objects, share.name))


def _joined(shares: Sequence[Share]) -> Share | None:
    return Share("", sum(one.objects for one in shares), sum(one.bytes for one in shares)) if shares else None


def _rest(total: Large, parts: Sequence[Large]) -> Large | None:
    objects = total.objects - sum(part.objects for part in parts)
    return Large("", objects, total.bytes - sum(part.bytes for part in parts)) if objects > 0 else None
