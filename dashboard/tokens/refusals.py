"""What the grant that acts at a place leaves out: controls that are shown disabled, and sections that are not shown.

The guard refuses all of it anyway. This spares people the attempt.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from django.http import HttpRequest, QueryDict
from django.urls import ResolverMatch

from dashboard.team.hooks import Refuse
from dashboard.tokens import names
from dashboard.tokens.grants import Granted
from dashboard.tokens.guard import PROJECT_ACTS, lacking
from dashboard.tokens.models import Kind
from dashboard.tokens.scope import Scope
from dashboard.tokens.workspace import Workspace

# What an address needs that leads to an operation or to an act of ours; others need nothing.
STORAGE_NEEDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "S1": ("buckets",),
        "S3": ("delete",),
        "S5": ("buckets",),
        "S6": ("buckets", "delete"),
        "S7": ("delete",),
        "S8": ("delete",),
        "S9": ("upload",),
        "S10": ("upload", "change"),
        "S11": ("read", "delete", "upload"),
        "S12": ("read", "upload"),
        "link shared": ("share",),
        "files requested": ("share", "upload"),
        "link signed": ("sign",),
    }
)
OWN_PROJECT_NEEDS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {"secret value shown": ("secrets", "values"), "hostname watched": ("hostname", "change")}
)
UNGRANTABLE = frozenset({"M2", "M4", "M20", "M21"})
WHOLE_BUCKET = frozenset({"S3", "S5", "S6"})
# A new bucket, and one opened by its name.
WHOLE_STORAGE = frozenset({"S1", "S4"})
NOT_THROUGH = "This can't be done through somebody else's token."
OUTSIDE = "Your access doesn't cover this place."


def refusals(request: HttpRequest) -> Refuse | None:
    """Return what refuses addresses to somebody who acts through grants; None for others."""
    workspace: Workspace | None = getattr(request, "workspace", None)
    if workspace is None or not workspace.has_grants:
        return None

    def refuse(match: ResolverMatch, query: str | None) -> str:
        needed: tuple[str, ...] = getattr(match.func, "needs", getattr(match.func, "sends", ()))
        storage, ref = match.kwargs.get("space"), match.kwargs.get("ref")
        kind, place = (Kind.STORAGE, storage) if storage else (Kind.MANAGEMENT, ref)
        granted = workspace.grant_at(kind, str(place)) if needed and place else None
        if granted is None:
            is_lost = not place and not UNGRANTABLE.isdisjoint(needed) and not workspace.has_own(Kind.MANAGEMENT, "")
            return NOT_THROUGH if is_lost else ""
        if kind == Kind.MANAGEMENT:
            return _of_project(granted, needed)
        return lacking(granted, *(act for one in needed for act in STORAGE_NEEDS.get(one, ()))) or _outside(
            granted.scope, match.kwargs.get("bucket", ""), needed, query
        )

    return refuse


def lost_at(workspace: Workspace, kind: str, place: str) -> Granted | None:
    """Return the grant that a person had at a project or space where no credential of theirs works now; None if there is none.

    Without a place: the latest of the kind that was not revoked.
    """
    own = workspace.fingerprint(kind)
    has_own = workspace.has(kind, place) if kind == Kind.STORAGE else own and (not place or _may_list(own, place))
    if has_own or workspace.grant_at(kind, place):
        return None
    if place:
        found = workspace.latest_grants.get((kind, place))
    else:
        lasting = (one for one in workspace.latest_grants.values() if one.kind == kind and one.grant.revoked_at is None)
        found = max(lasting, key=lambda one: one.grant.pk, default=None)
    return found if found and found.reason else None


def shows_section(request: HttpRequest, ref: str, key: str) -> bool:
    """Whether a project's section is of use: through grants alone it is what they cover, or covered until they were lost."""
    workspace: Workspace | None = getattr(request, "workspace", None)
    if workspace is None:
        return True
    granted = workspace.grant_at(Kind.MANAGEMENT, ref) or lost_at(workspace, Kind.MANAGEMENT, ref)
    if key == "storage":
        return granted is None or _has_or_had_storage(workspace, ref)
    if granted:
        return key == "overview" or key in granted.scope.sections
    return bool(workspace.fingerprint(Kind.MANAGEMENT)) or not _has_or_had_storage(workspace, ref)


def covers(workspace: Workspace, ref: str, section: str) -> bool:
    """Whether what acts at a project covers a section of it: a grant may not, a token of one's own does."""
    granted = workspace.grant_at(Kind.MANAGEMENT, ref)
    return granted is None or section == "overview" or section in granted.scope.sections


def _has_or_had_storage(workspace: Workspace, ref: str) -> bool:
    return workspace.has(Kind.STORAGE, ref) or lost_at(workspace, Kind.STORAGE, ref) is not None


def _may_list(own: str, ref: str) -> bool:
    """Return whether a management token reaches a project, as far as its list of projects is known."""
    return not names.knows(own) or any(project.id == ref for project in names.known(own))


def _of_project(granted: Granted, needed: Sequence[str]) -> str:
    if not UNGRANTABLE.isdisjoint(needed):
        return NOT_THROUGH
    pairs = [pair for one in needed if (pair := PROJECT_ACTS.get(one) or OWN_PROJECT_NEEDS.get(one))]
    if any(section not in granted.scope.sections for section, _ in pairs):
        return OUTSIDE
    return lacking(granted, *(act for _, act in pairs))


def _outside(scope: Scope, bucket: str, needed: Sequence[str], query: str | None) -> str:
    """Say that an address lies outside a scope. Only the whole storage holds new buckets and those opened by name."""
    if not WHOLE_BUCKET.isdisjoint(needed):
        return "" if scope.holds_bucket(bucket) else "Your access covers only a part of the bucket."
    if not bucket:
        return "" if scope.is_whole or WHOLE_STORAGE.isdisjoint(needed) else "Your access covers only a part of the storage."
    if query is None or not any(one in STORAGE_NEEDS for one in needed):
        return ""
    asked = QueryDict(query)
    folders = [*asked.getlist("folder"), *asked.getlist("path")]
    holds = all(scope.holds_key(bucket, key) for key in asked.getlist("key"))
    holds = holds and all(scope.holds_folder(bucket, folder) for folder in folders)
    return "" if holds else OUTSIDE
