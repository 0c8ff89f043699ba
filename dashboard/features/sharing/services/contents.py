"""What a link leads to, as its page lists it: read with the owner's token at the moment of opening."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from urllib.parse import urlencode

from dashboard.catalog.keys import folder_of, name_of, printable
from dashboard.catalog.walk import Entry, list_page, walk
from dashboard.features.sharing.views.end_states import GONE, Dead
from dashboard.interfaces.storage import StorageInterface
from dashboard.links.models import Share, Target
from dashboard.web.text import bytes_text

MOST = 1000
MOST_FOLDERS = 4

_Place = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """One thing to download: name, ready to print, and the query of its download. `size` and `kind` are "" where not known.

    `gone`: the service lists its folder without it.
    """

    bucket: str
    key: str
    name: str
    size: str
    kind: str
    query: str
    bytes: int | None = None
    gone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """`single`: the link is for one object. `more`: there are more files than are listed."""

    title: str
    files: list[File]
    single: bool
    more: bool = False

    @property
    def packs(self) -> bool:
        """May all of it come as one archive? It has to say beforehand how long it is, so every size must be known."""
        there = [file for file in self.files if not file.gone]
        return not self.single and not self.more and bool(there) and all(file.bytes is not None for file in there)


def single_of(share: Share) -> Target | None:
    """The one object of a link that is for one."""
    first = share.first_targets
    return first[0] if len(first) == 1 and not first[0].is_folder else None


def located(share: Share, number: str, key: str) -> tuple[str, str]:
    """Bucket and key of what a download names: by number, below a folder by key as well. Raises `Dead` for anything else."""
    targets = list(share.targets.all())
    if not number and len(targets) == 1:
        number = "0"
    if not number.isdecimal() or len(number) > 4 or int(number) >= len(targets):
        raise Dead(GONE)
    target = targets[int(number)]
    if not target.is_folder:
        return target.bucket, target.key
    if not key.startswith(target.key) or key == target.key or any(part in (".", "..") for part in key.split("/")):
        raise Dead(GONE)
    return target.bucket, key


def read_one(storage: StorageInterface, target: Target) -> Contents:
    """S19."""
    info = storage.objects.info(target.bucket, target.key)
    file = _file(target, Entry(key=target.key, size=info.size, mimetype=info.content_type))
    return Contents(title=file.name, files=[file], single=True)


def read_all(storage: StorageInterface, share: Share, title: str) -> Contents:
    """S13 of the folders in question. A set spread over more than 4 folders is listed by name only."""
    targets = list(share.targets.all())
    known, whole = _known(storage, [target for target in targets if not target.is_folder])
    above = _common([target.key for target in targets])
    files: list[File] = []
    for number, target in enumerate(targets):
        if not target.is_folder:
            entry = known.get((target.bucket, target.key))
            gone = entry is None and (target.bucket, folder_of(target.key)) in whole
            file = _file(target, entry or Entry(key=target.key), above=above, query=urlencode({"n": number}))
            files.append(replace(file, gone=gone))
            continue
        files += [
            _file(target, entry, above=above, query=urlencode({"n": number, "key": entry.key}))
            for entry in islice(_below(storage, target), MOST + 1 - len(files))
        ]
    if all(file.gone for file in files):
        raise Dead(GONE)
    return Contents(title=title, files=files[:MOST], single=False, more=len(files) > MOST)


def _file(target: Target, entry: Entry, *, above: str | None = None, query: str = "") -> File:
    """`above` is the folder that all of the files are in: their names are told without it."""
    name = printable(name_of(entry.key) if above is None else entry.key.removeprefix(above)) or printable(entry.key)
    size = "" if entry.size is None else bytes_text(entry.size)
    return File(
        bucket=target.bucket,
        key=entry.key,
        name=name,
        size=size,
        kind=(entry.mimetype or "").partition(";")[0],
        query=query,
        bytes=entry.size,
    )


def _common(keys: Sequence[str]) -> str:
    """The folder that all of them are in; of a single folder that itself."""
    if len(keys) == 1 and keys[0].endswith("/"):
        return keys[0]
    first = folder_of(keys[0].rstrip("/"))
    while first and not all(key.startswith(first) for key in keys):
        first = folder_of(first.rstrip("/"))
    return first


def _known(storage: StorageInterface, targets: Sequence[Target]) -> tuple[dict[_Place, Entry], set[_Place]]:
    """What the first page of each folder says of its objects, and which folders ended on it."""
    folders = dict.fromkeys((target.bucket, folder_of(target.key)) for target in targets)
    if len(folders) > MOST_FOLDERS:
        return {}, set()
    pages = {(bucket, folder): list_page(storage, bucket, folder) for bucket, folder in folders}
    known = {(bucket, entry.key): entry for (bucket, _), page in pages.items() for entry in page.entries}
    return known, {place for place, page in pages.items() if page.next_offset is None}


def _below(storage: StorageInterface, target: Target) -> Iterator[Entry]:
    for listing in walk(storage, target.bucket, [target.key]):
        yield from (entry for entry in listing.entries if not entry.is_marker)
