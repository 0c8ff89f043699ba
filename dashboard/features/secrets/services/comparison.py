"""Compare the secrets of two projects by what the service returns: values or digests."""

from collections.abc import Sequence
from dataclasses import dataclass

from dashboard.features.secrets.rules.digests import are_equal, digests_in
from dashboard.interfaces.errors import InterfaceError
from dashboard.interfaces.management.secrets import Secret
from dashboard.tokens.workspace import Workspace

EQUAL, DIFFERENT, HERE, THERE, UNKNOWN = "equal", "different", "here", "there", "unknown"
ORDER = (DIFFERENT, UNKNOWN, HERE, THERE, EQUAL)


@dataclass(frozen=True, slots=True)
class Comparison:
    """One name in two projects; `state` is one of the five words above."""

    name: str
    state: str


def name_projects(workspace: Workspace) -> dict[str, str]:
    """Return the names of all projects by ref, sorted by name (M1); nothing where that fails."""
    try:
        projects = workspace.management.projects.all()
    except InterfaceError:
        return {}
    return {project.ref: project.name for project in sorted(projects, key=lambda project: project.name.casefold())}


def read_other(workspace: Workspace, ref: str) -> list[Secret] | InterfaceError:
    """Return the other project's secrets (M5), none without a ref; or why they couldn't be read."""
    try:
        return workspace.management.secrets.all(ref) if ref else []
    except InterfaceError as failure:
        return failure


def compare(here: Sequence[Secret], there: Sequence[Secret]) -> list[Comparison]:
    """Compare every name of either project except reserved ones, different ones first."""
    first = {secret.name: secret for secret in here if not secret.is_reserved}
    second = {secret.name: secret for secret in there if not secret.is_reserved}
    found = [Comparison(name, _state(first.get(name), second.get(name))) for name in first.keys() | second.keys()]
    return sorted(found, key=lambda one: (ORDER.index(one.state), one.name.casefold(), one.name))


def _state(here: Secret | None, there: Secret | None) -> str:
    if there is None:
        return HERE
    if here is None:
        return THERE
    equal = are_equal(digests_in(here), digests_in(there))
    return UNKNOWN if equal is None else EQUAL if equal else DIFFERENT
