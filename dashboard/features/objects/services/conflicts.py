"""What the target holds already: which keys are taken, and how large the objects are, in as few calls as may be.

S15 tells of a thousand keys at once which are taken, and exactly. Sizes come from S13, a page of 1,000 rows a folder, where
that costs fewer calls than one S19 for each object.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Protocol

from dashboard.catalog.keys import folder_of
from dashboard.catalog.walk import list_page
from dashboard.interfaces import StorageInterface
from dashboard.interfaces.errors import NotFound

# Up to so many objects of one folder are asked for one by one.
FEW = 3
# A listing may cost this part of what single questions would, before it is given up.
PART = 4
AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class There:
    """What the service says of an object: size in bytes, ETag and time of the last change, each None where it does not."""

    size: int | None
    etag: str | None
    modified: datetime | None


Answer = tuple[str, There | None]


class Together(Protocol):
    """Runs the calls side by side and gives their results in order."""

    def __call__(self, *calls: Callable[[], Answer]) -> Sequence[Answer]: ...


@dataclass(slots=True)
class Sizes:
    """`found`: what the service says, by key; what is not there is absent.

    `reached`: for each listed folder the offset of the last page that told something, where the next question may go on.
    """

    found: dict[str, There] = field(default_factory=dict)
    reached: dict[str, int] = field(default_factory=dict)


def touched(bucket: str, key: str) -> str:
    """What every single change of an object touches."""
    return f"object {bucket}/{key}"


def taken(storage: StorageInterface, bucket: str, keys: Sequence[str]) -> set[str]:
    """S15 with links that live a second: those of at most 1,000 keys that lead to an object."""
    if not keys:
        return set()
    items = storage.signing.sign_many(bucket, keys, expires_in=1)
    return {key for key, item in zip(keys, items, strict=True) if item.link}


def sizes(storage: StorageInterface, bucket: str, keys: Iterable[str], *, start: Mapping[str, int], together: Together) -> Sizes:
    """S13 or S19 for objects that are believed to be there, folder by folder. `start` is the `reached` of the last answer."""
    told = Sizes()
    alone: list[str] = []
    for folder, mine in _by_folder(keys).items():
        if len(mine) > FEW:
            listed, told.reached[folder] = _list(storage, bucket, folder, mine, start.get(folder, 0))
            told.found |= listed
        alone += [key for key in mine if key not in told.found]
    for at in range(0, len(alone), AT_ONCE):
        answers = together(*(partial(_ask, storage, bucket, key) for key in alone[at : at + AT_ONCE]))
        told.found |= {key: there for key, there in answers if there}
    return told


def _by_folder(keys: Iterable[str]) -> dict[str, list[str]]:
    folders: dict[str, list[str]] = {}
    for key in dict.fromkeys(keys):
        folders.setdefault(folder_of(key), []).append(key)
    return folders


def _ask(storage: StorageInterface, bucket: str, key: str) -> Answer:
    try:
        info = storage.objects.info(bucket, key)
    except NotFound:
        return key, None
    return key, There(info.size, info.etag, info.last_modified)


def _list(storage: StorageInterface, bucket: str, folder: str, keys: Collection[str], first: int) -> tuple[dict[str, There], int]:
    """Pages from `first` on, then those before it, until few are missing or it would have been cheaper to ask one by one.

    What was told by key, and the offset of the last page that told one.
    """
    found: dict[str, There] = {}
    missing, seen = set(keys), set[str]()
    offset = last = first
    for _ in range(max(1, len(keys) // PART)):
        page = list_page(storage, bucket, folder, offset=offset)
        for entry in page.entries:
            if entry.key in seen:
                # A listing ignores the case of folders: two of this name, and no telling which is ours.
                found.pop(entry.key, None)
            elif entry.key in missing:
                found[entry.key] = There(entry.size, entry.etag, entry.updated_at)
                missing.discard(entry.key)
                seen.add(entry.key)
                last = offset
        turned = offset < first
        ended = page.next_offset is None
        offset = 0 if page.next_offset is None else page.next_offset
        if len(missing) <= FEW or (ended and (turned or not first)) or (turned and offset >= first):
            break
        if ended:
            seen.clear()
    return found, last
