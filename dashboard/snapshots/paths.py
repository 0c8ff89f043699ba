"""Turn keys into paths that any file system takes. Pure text."""

import re
from hashlib import sha256

NAME_MAX_BYTES = 200
# Control characters, and what Windows refuses in names or reads as a drive or a folder.
_UNSAFE = re.compile(r'[\x00-\x1f\x7f\\:*?"<>|]')
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")


class Paths:
    """Gives each key a path of its own, whatever the letter case, below the folder that it is for.

    Remembers 16 bytes of each path: a snapshot may have millions.
    """

    def __init__(self) -> None:
        self._files: set[bytes] = set()
        self._folders: set[bytes] = set()

    def path_of(self, key: str) -> str:
        """Return the path of the next key: the key, unless that is unsafe or taken."""
        *folders, name = key.split("/")
        path = ""
        for folder in folders:
            path = _free(path, _safe(folder), taken=(self._files,)) + "/"
            self._folders.add(_mark(path[:-1]))
        path = _free(path, _safe(name), taken=(self._files, self._folders))
        self._files.add(_mark(path))
        return path


def _free(parent: str, name: str, *, taken: tuple[set[bytes], ...]) -> str:
    stem, dot, ending = name.partition(".") if not name.startswith(".") else (name, "", "")
    number = 1
    path = parent + name
    while any(_mark(path) in paths for paths in taken):
        number += 1
        path = f"{parent}{stem}~{number}{dot}{ending}"
    return path


def _safe(name: str) -> str:
    safe = _UNSAFE.sub("_", name)
    if not safe.strip(". ") or safe[-1] in ". " or _RESERVED.fullmatch(safe):
        safe = f"{safe.rstrip('. ')}_"
    encoded = safe.encode(errors="replace")
    if len(encoded) > NAME_MAX_BYTES:
        safe = f"{encoded[:NAME_MAX_BYTES].decode(errors='ignore')}~{sha256(name.encode(errors='replace')).hexdigest()[:8]}"
    return safe


def _mark(path: str) -> bytes:
    return sha256(path.casefold().encode(errors="surrogatepass")).digest()[:16]
