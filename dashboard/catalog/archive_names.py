"""Names of files inside an archive and for a script: what every system can unpack, none twice. Pure text."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import count

from dashboard.catalog.keys import folder_of, numbered
from dashboard.catalog.selection import Selection

LONGEST_PART = 200
LONGEST = 1000
_REFUSED = re.compile(r'[<>:"|?*\\]')
_DEVICES = re.compile(r"^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)", re.IGNORECASE)


class Names:
    """Gives each key a relative path: below `base`, cleaned, and no two that one system takes for the same.

    No file has the name of a folder among those given at once, either. `taken` are names that are spoken for.
    """

    def __init__(self, *, base: str = "", taken: Iterable[str] = ()) -> None:
        self._base = base
        # Of a million names only this little is kept.
        self._used = {hash(_folded(name)) for name in taken}

    def give(self, keys: Iterable[str]) -> list[str]:
        """The names of these keys, in their order."""
        cleaned = [_clean(key.removeprefix(self._base)) for key in keys]
        folders = {hash(_folded(folder)) for name in cleaned for folder in _folders(name)}
        return [self._given(name, folders) for name in cleaned]

    def _given(self, name: str, folders: set[int]) -> str:
        for chosen in _ways(name):
            mark = hash(_folded(chosen))
            if mark not in self._used and mark not in folders:
                self._used.add(mark)
                return chosen
        raise AssertionError


def common_folder(folders: Iterable[str]) -> str:
    """The deepest folder that all of these are in: `a/` of `a/b/` and `a/c/`, "" for none."""
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
    """The folder that names begin after: the deepest that holds everything chosen; of a search the one that was searched."""
    if selection.filter:
        return selection.path
    above = [folder_of(folder.removesuffix("/")) for folder in selection.folders]
    return common_folder([*above, *(folder_of(key) for key in selection.keys)])


def _clean(path: str) -> str:
    parts = [_part(part) for part in path.split("/") if part]
    name = "/".join(parts) or "_"
    if len(name.encode()) > LONGEST:
        # The end tells files apart more often than the folders before it.
        name = name.encode()[-LONGEST:].decode(errors="ignore").partition("/")[2] or parts[-1]
    return name


def _part(part: str) -> str:
    shown = "".join("_" if unicodedata.category(character)[0] == "C" else character for character in part)
    shown = _REFUSED.sub("_", unicodedata.normalize("NFC", shown)).rstrip(". ").lstrip(" ")
    if not shown or _DEVICES.match(shown):
        shown = f"_{shown}"
    if len(shown.encode()) > LONGEST_PART:
        stem, dot, ending = shown.rpartition(".")
        end = f"{dot}{ending}" if stem and len(ending.encode()) <= 20 else ""
        shown = shown.encode()[: LONGEST_PART - len(end.encode())].decode(errors="ignore").rstrip(". ") + end
    return shown


def _ways(name: str) -> Iterator[str]:
    """The name itself, then numbered ones beside it, without an end."""
    yield name
    for last in count(50, 50):
        yield from numbered(name, last)[last - 50 :]


def _folders(name: str) -> list[str]:
    parts = name.split("/")[:-1]
    return ["/".join(parts[:length]) for length in range(1, len(parts) + 1)]


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name.casefold())
