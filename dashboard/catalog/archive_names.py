"""Unique file names that every system can unpack, for archives and download scripts. Pure text."""

import unicodedata
from collections.abc import Iterable, Iterator
from itertools import chain, count

from dashboard.catalog.file_names import file_name
from dashboard.catalog.keys import folder_of, numbered
from dashboard.catalog.selection import Selection

LONGEST = 1000


class Names:
    """Give each key a valid relative path below `base`, unique even if letter case is ignored.

    A file never gets the name of a folder of the same call. `taken` are names already in use.
    """

    def __init__(self, *, base: str = "", taken: Iterable[str] = ()) -> None:
        self._base = base
        # Hashes only, since there may be a million names.
        self._used = {hash(_folded(name)) for name in taken}

    def give(self, keys: Iterable[str]) -> list[str]:
        """Return the names of these keys, in the same order."""
        cleaned = [_clean(key.removeprefix(self._base)) for key in keys]
        folders = {hash(_folded(folder)) for name in cleaned for folder in _folders(name)}
        return [self._given(name, folders) for name in cleaned]

    def _given(self, name: str, folders: set[int]) -> str:
        marks = ((chosen, hash(_folded(chosen))) for chosen in _ways(name))
        chosen, mark = next((chosen, mark) for chosen, mark in marks if mark not in self._used and mark not in folders)
        self._used.add(mark)
        return chosen


def common_folder(folders: Iterable[str]) -> str:
    """Return the deepest folder that contains all of these: `a/` for `a/b/` and `a/c/`, "" if none does."""
    found = [folder.split("/")[:-1] for folder in folders]
    if not found:
        return ""
    shared = []
    for parts in zip(*found, strict=False):
        if len(set(parts)) > 1:
            break
        shared.append(f"{parts[0]}/")
    return "".join(shared)


def base_of(selection: Selection) -> str:
    """Return the folder that names are relative to: that of the search, or the deepest one containing the selection."""
    if selection.filter:
        return selection.path
    above = [folder_of(folder.removesuffix("/")) for folder in selection.folders]
    return common_folder([*above, *(folder_of(key) for key in selection.keys)])


def _clean(path: str) -> str:
    parts = [file_name(part) for part in path.split("/") if part]
    name = "/".join(parts) or "_"
    if len(name.encode()) > LONGEST:
        # Keep the end of a long path: it identifies a file better than its folders do.
        name = name.encode()[-LONGEST:].decode(errors="ignore").partition("/")[2] or parts[-1]
    return name


def _ways(name: str) -> Iterator[str]:
    """Return the name, then numbered variants of it, endlessly."""
    more = (numbered(name, last)[last - 50 :] for last in count(50, 50))
    return chain([name], chain.from_iterable(more))


def _folders(name: str) -> list[str]:
    parts = name.split("/")[:-1]
    return ["/".join(parts[:length]) for length in range(1, len(parts) + 1)]


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name.casefold())
