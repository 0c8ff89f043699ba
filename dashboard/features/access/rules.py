"""Describe what a grant covers: parse typed folders, compare scopes, and put a scope into words."""

from collections.abc import Iterable, Mapping

from dashboard.team.models import Role
from dashboard.tokens.models import Grant, Kind
from dashboard.tokens.scope import AMBIGUOUS, MANAGEMENT_ACTS, SECTIONS, STORAGE_ACTS, Scope, outermost
from dashboard.web.text import counted

# The acts in short, in sentences and as heads of columns.
ACT_TITLES = {
    "read": "View",
    "share": "Share",
    "upload": "Upload",
    "change": "Change",
    "delete": "Delete",
    "buckets": "Buckets",
    "sign": "Sign links",
    "functions": "Deploy",
    "values": "See values",
}
FOLDERS_MAX = 100
FOLDER_MAX_LENGTH = 1024


def folders_of(typed: Iterable[str]) -> tuple[str, ...]:
    """Return typed buckets and folders in a grant's form: "bucket/" or "bucket/a/b/". Raises `ValueError`."""
    found = outermost(_folder(text) for text in typed if text.strip())
    if len(found) > FOLDERS_MAX:
        raise ValueError(f"At most {FOLDERS_MAX} folders.")
    return found


def is_folder(text: str) -> bool:
    """Whether a text is a bucket or folder in a grant's form."""
    try:
        return _folder(text) == text
    except ValueError:
        return False


def _folder(text: str) -> str:
    path = text.strip()
    path = path if path.endswith("/") else f"{path}/"
    if len(path) > FOLDER_MAX_LENGTH or not path.isprintable():
        raise ValueError("This can't be a bucket or folder.")
    if not AMBIGUOUS.isdisjoint(path.split("/")[:-1]):
        raise ValueError(f"{path} has an empty part, “.” or “..”. Write bucket/ or bucket/folder/.")
    return path


def acts_of(kind: str) -> Mapping[str, str]:
    """Return the acts that a grant of this kind may allow, with a sentence each."""
    return STORAGE_ACTS if kind == Kind.STORAGE else MANAGEMENT_ACTS


def in_words(scope: Scope) -> str:
    """Return what a scope allows, such as "View, share, upload"."""
    return ", ".join(ACT_TITLES[act] for act in acts_of(scope.kind) if act in scope.acts).capitalize()


def places_of(scope: Scope) -> list[str]:
    """Return the places that a scope opens: folders or sections, or one for the whole storage."""
    if scope.kind == Kind.STORAGE:
        return list(scope.folders) or ["Whole storage"]
    return [label for key, label in SECTIONS.items() if key in scope.sections]


def place_in_words(scope: Scope) -> str:
    """Return where a scope applies within its project or space."""
    if scope.sections == SECTIONS.keys():
        return "All sections"
    return ", ".join(places_of(scope))


def reach_in_words(scopes: Iterable[Scope]) -> str:
    """Return what scopes reach together, such as "2 folders, 1 section"."""
    storages = folders = sections = 0
    for scope in scopes:
        storages += scope.kind == Kind.STORAGE and scope.is_whole
        folders += len(scope.folders)
        sections += len(scope.sections)
    named = ((storages, "storage"), (folders, "folder"), (sections, "section"))
    return ", ".join(counted(count, name) for count, name in named if count)


def is_within(scope: Scope, other: Scope) -> bool:
    """Whether a scope allows nothing that the other doesn't."""
    if not (scope.acts <= other.acts and scope.sections <= other.sections):
        return False
    return other.is_whole or (not scope.is_whole and all(path.startswith(other.folders) for path in scope.folders))


def buckets_of(scope: Scope) -> set[str]:
    """Return the buckets named in a scope."""
    return {folder.partition("/")[0] for folder in scope.folders}


def key_of(grant: Grant) -> tuple[int, int | None, str, str]:
    """Return what the grants of one card have in common: giver, receiver and place."""
    return grant.giver_id, grant.person_id, grant.role, grant.place


def receiver_of(grant: Grant) -> str:
    """Return who receives a grant, in words."""
    return str(grant.person) if grant.person else everybody(grant.role)


def everybody(role: str) -> str:
    """Return the people with at least a role, in words."""
    return f"Everybody: {at_least(role).lower()}"


def at_least(role: str) -> str:
    """Return a role and those above it, in words."""
    name = dict(Role.choices).get(role, role)
    return name if role == Role.OWNER else f"{name} or higher"
