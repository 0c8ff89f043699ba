"""What access can be given to: projects, storages, and the buckets and folders in them."""

from collections.abc import Iterable

from dashboard.catalog.walk import list_page
from dashboard.interfaces import StorageInterface
from dashboard.interfaces.errors import InterfaceError, NotFound
from dashboard.interfaces.management.projects import Project
from dashboard.team.models import Person
from dashboard.tokens import names, spaces
from dashboard.tokens.errors import TokenMissing
from dashboard.tokens.models import Kind
from dashboard.tokens.project_names import learn_projects
from dashboard.tokens.scope import AMBIGUOUS
from dashboard.tokens.workspace import Workspace


def own_workspace(giver: Person) -> Workspace:
    """Return a workspace with the person's own tokens only, because received access can't be passed on."""
    own = Workspace(giver, grants=())
    learn_projects(own)
    return own


def places(own: Workspace) -> dict[str, str]:
    """Return the names of the projects and storages that a person can give access to, from last known data, sorted by name."""
    found = {space.name: name_of(own, space.name) for space in own.known_spaces() if own.has_own(Kind.STORAGE, space.name)}
    found |= {project.id: project.name for project in _listed(own)}
    return dict(sorted(found.items(), key=lambda one: (one[1].casefold(), one[0])))


def kinds_at(own: Workspace, place: str) -> list[str]:
    """Return the kinds of token that the person of a workspace stores and that cover a place, from last known data.

    A project that isn't listed may be new, unless it is known by its storage.
    """
    listed, has_storage = {project.id for project in _listed(own)}, own.has_own(Kind.STORAGE, place)
    is_covered = place in listed or not (listed and has_storage)
    has_management = place != spaces.SHARED and is_covered and own.has_own(Kind.MANAGEMENT, place)
    return [*([Kind.STORAGE.value] if has_storage else []), *([Kind.MANAGEMENT.value] if has_management else [])]


def name_of(own: Workspace, place: str) -> str:
    """Return a project's or space's name from last known data."""
    return own.known_name(place) or place


def folders_in(own: Workspace, space: str, path: str) -> tuple[list[str], bool]:
    """Return the buckets of a storage (S2), or of `path`, "bucket/" or "bucket/folder/", the first folders in it (S13).

    They end in a slash. Also return whether there may be more. Leaves out what no grant can name.
    """
    storage = own.storage(space)
    if not path:
        return sorted(f"{bucket.id}/" for bucket in storage.buckets.all()), False
    bucket, _, folder = path.partition("/")
    page = list_page(storage, bucket, folder, every_folder=True)
    found = [f"{bucket}/{name}" for name in page.folders if AMBIGUOUS.isdisjoint(name.split("/")[:-1])]
    return found, page.next_offset is not None


def unseen(own: Workspace, space: str, folders: Iterable[str]) -> list[str]:
    """Return sentences about buckets and folders that the giver's token doesn't show (S4, S13), or can't at the moment."""
    found = []
    for folder in folders:
        bucket, _, path = folder.partition("/")
        try:
            storage = own.storage(space)
            storage.buckets.get(bucket)
            if path and not _is_there(storage, bucket, path):
                found.append(f"{folder} holds nothing.")
        except NotFound:
            found.append(f"There is no bucket {bucket}, or your token can't see it.")
        except InterfaceError as failure:
            found.append(f"{folder} could not be checked. {failure}")
        except TokenMissing:
            found.append(f"{folder} could not be checked, because you no longer store the token.")
    return list(dict.fromkeys(found))


def _is_there(storage: StorageInterface, bucket: str, folder: str) -> bool:
    """Whether a folder of exactly this spelling has content (S13, which ignores letter case)."""
    offset: int | None = 0
    while offset is not None:
        page = list_page(storage, bucket, folder, offset=offset, every_folder=True)
        if any(path.startswith(folder) for path in (*page.folders, *(entry.key for entry in page.entries))):
            return True
        offset = page.next_offset
    return False


def _listed(own: Workspace) -> list[Project]:
    return [project for fingerprint in own.listing_fingerprints for project in names.known(fingerprint)]
