"""The scope of a grant: acts, and the sections of a project or the folders of a space. Pure functions."""

from collections.abc import Iterable
from dataclasses import dataclass
from types import MappingProxyType
from urllib.parse import unquote

# The acts that a grant may allow, in display order.
STORAGE_ACTS = MappingProxyType(
    {
        "read": "View and download",
        "share": "Make share links",
        "upload": "Upload new files",
        "change": "Replace files",
        "delete": "Delete files",
        "buckets": "Create, change and delete buckets",
        "sign": "Make signed links, which can't be revoked",
    }
)
MANAGEMENT_ACTS = MappingProxyType(
    {
        "read": "View",
        "change": "Change",
        "functions": "Deploy and delete functions: full access to this project's data",
        "values": "See the values of secrets",
    }
)
SECTIONS = MappingProxyType(
    {
        "secrets": "Secrets",
        "functions": "Functions",
        "hostname": "Hostname",
        "network": "Network",
        "types": "Types",
    }
)
# Segments that a service, proxy or browser may read as another path.
AMBIGUOUS = frozenset({"", ".", ".."})
MOST_DECODED = 5


@dataclass(frozen=True, slots=True)
class Scope:
    """The scope of one grant.

    `place` is the project's ref (management) or the space (storage). `folders` are "bucket/" or "bucket/folder/", none inside
    another; empty means the whole space. `sections` are keys of `SECTIONS`.
    """

    kind: str
    place: str
    acts: frozenset[str]
    sections: frozenset[str] = frozenset()
    folders: tuple[str, ...] = ()

    def allows(self, *acts: str) -> bool:
        return self.acts.issuperset(acts)

    def holds_key(self, bucket: str, key: str) -> bool:
        """Whether an object is in scope, compared byte for byte. Keys with ambiguous segments never are."""
        return _is_plain(key) and self._holds(f"{bucket}/{key}")

    def holds_folder(self, bucket: str, folder: str) -> bool:
        """Whether everything in a folder ("" or "a/b/") is in scope."""
        return _is_plain(folder.removesuffix("/") or "root") and self._holds(f"{bucket}/{folder}")

    def holds_bucket(self, bucket: str) -> bool:
        """Whether the whole bucket is in scope."""
        return self._holds(f"{bucket}/")

    @property
    def is_whole(self) -> bool:
        return not self.folders

    def shows_bucket(self, bucket: str) -> bool:
        """Whether any part of the bucket is in scope."""
        return self.is_whole or any(folder.startswith(f"{bucket}/") for folder in self.folders)

    def leads(self, bucket: str, folder: str) -> list[str]:
        """Return the names of the subfolders of `folder` that lead to the scope; none if the scope isn't below it."""
        above = f"{bucket}/{folder}"
        below = (path[len(above) :] for path in self.folders if path.startswith(above) and path != above)
        return sorted({path.partition("/")[0] for path in below})

    def _holds(self, path: str) -> bool:
        return self.is_whole or any(path.startswith(folder) for folder in self.folders)


def _is_plain(path: str) -> bool:
    """Whether a path names the same place however often it is decoded. Checks `MOST_DECODED` decodings."""
    for _ in range(MOST_DECODED):
        if not AMBIGUOUS.isdisjoint(path.split("/")):
            return False
        before, path = path, unquote(path)
        if path == before:
            return True
    return False


def outermost(folders: Iterable[str]) -> tuple[str, ...]:
    """Return the folders without those inside another one, sorted."""
    kept: list[str] = []
    for folder in sorted(set(folders)):
        if not kept or not folder.startswith(kept[-1]):
            kept.append(folder)
    return tuple(kept)
