"""Find what a grant leaves out: controls to disable and sections to hide.

The guard refuses all of it anyway. This spares people the attempt.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from django.http import HttpRequest, QueryDict
from django.urls import ResolverMatch

from dashboard.interfaces.operations import OPERATIONS, Target
from dashboard.team.hooks import Refuse
from dashboard.tokens import names
from dashboard.tokens.grants import Granted
from dashboard.tokens.guard import lacking
from dashboard.tokens.models import Kind
from dashboard.tokens.scope import Scope
from dashboard.tokens.workspace import Workspace

# What our own acts need of a grant: acts and, of a project, the section. Others need nothing.
OURS: Mapping[str, tuple[tuple[str, ...], str]] = MappingProxyType(
    {
        "link shared": (("share",), ""),
        "files requested": (("share", "upload"), ""),
        "link signed": (("sign",), ""),
        "secret value shown": (("values",), "secrets"),
        "hostname watched": (("change",), "hostname"),
    }
)
NOT_THROUGH = "This can't be done through somebody else's token."
OUTSIDE = "Your access doesn't cover this place."


def refusals(request: HttpRequest) -> Refuse | None:
    """Return the check of addresses for a person who uses grants; None for others."""
    workspace: Workspace | None = getattr(request, "workspace", None)
    if workspace is None or not workspace.has_grants:
        return None

    def refuse(match: ResolverMatch, query: str | None) -> str:
        needed: tuple[str, ...] = getattr(match.func, "needs", getattr(match.func, "sends", ()))
        storage, ref = match.kwargs.get("space"), match.kwargs.get("ref")
        kind, place = (Kind.STORAGE, storage) if storage else (Kind.MANAGEMENT, ref)
        granted = workspace.grant_at(kind, str(place)) if needed and place else None
        if granted is None:
            is_lost = not place and Target.NONE in _targets(needed) and not workspace.has_own(Kind.MANAGEMENT, "")
            return NOT_THROUGH if is_lost else ""
        if kind == Kind.MANAGEMENT:
            return _of_project(granted, needed)
        acts = [act for one in needed for act in _needs(one)[0]]
        return lacking(granted, *acts) or _outside(granted.scope, match.kwargs.get("bucket", ""), needed, query)

    return refuse


def lost_at(workspace: Workspace, kind: str, place: str) -> Granted | None:
    """Return the person's lost grant at a place where none of their credentials works now; None if there is none.

    Without a place: the latest one of this kind that was not revoked.
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
    """Whether to show a project's section. With grants only, those that they cover, or covered until they were lost."""
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
    """Whether the credential used at a project covers this section: one's own token covers all, a grant may not."""
    granted = workspace.grant_at(Kind.MANAGEMENT, ref)
    return granted is None or section == "overview" or section in granted.scope.sections


def _has_or_had_storage(workspace: Workspace, ref: str) -> bool:
    return workspace.has(Kind.STORAGE, ref) or lost_at(workspace, Kind.STORAGE, ref) is not None


def _may_list(own: str, ref: str) -> bool:
    """Whether a management token reaches a project; True if its list of projects is unknown."""
    return not names.knows(own) or any(project.id == ref for project in names.known(own))


def _needs(act: str) -> tuple[tuple[str, ...], str]:
    """Return the acts and the section that an operation or an act of ours needs."""
    if act not in OPERATIONS:
        return OURS.get(act, ((), ""))
    right = OPERATIONS[act].right
    return right.acts, right.section


def _targets(needed: Sequence[str]) -> set[Target]:
    return {OPERATIONS[one].right.target for one in needed if one in OPERATIONS}


def _of_project(granted: Granted, needed: Sequence[str]) -> str:
    if Target.NONE in _targets(needed):
        return NOT_THROUGH
    found = [(acts, section) for acts, section in map(_needs, needed) if section]
    if any(section not in granted.scope.sections for _, section in found):
        return OUTSIDE
    return lacking(granted, *(act for acts, _ in found for act in acts))


def _outside(scope: Scope, bucket: str, needed: Sequence[str], query: str | None) -> str:
    """Say that an address lies outside a scope. Only the whole storage holds new buckets and those opened by name."""
    targets = _targets(needed)
    if Target.BUCKET in targets:
        return "" if scope.holds_bucket(bucket) else "Your access covers only a part of the bucket."
    if not bucket:
        is_new = not targets.isdisjoint({Target.NEW_BUCKET, Target.SHOWN_BUCKET})
        return "Your access covers only a part of the storage." if is_new and not scope.is_whole else ""
    if query is None or not any(_needs(one)[0] for one in needed):
        return ""
    asked = QueryDict(query)
    folders = [*asked.getlist("folder"), *asked.getlist("path")]
    holds = all(scope.holds_key(bucket, key) for key in asked.getlist("key"))
    holds = holds and all(scope.holds_folder(bucket, folder) for folder in folders)
    return "" if holds else OUTSIDE
