"""Turn keys into paths that any file system takes. Pure text."""

from hashlib import sha256

from dashboard.catalog.file_names import file_name


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
            path = _free(path, file_name(folder), taken=(self._files,)) + "/"
            self._folders.add(_mark(path[:-1]))
        path = _free(path, file_name(name), taken=(self._files, self._folders))
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


def _mark(path: str) -> bytes:
    return sha256(path.casefold().encode(errors="surrogatepass")).digest()[:16]
