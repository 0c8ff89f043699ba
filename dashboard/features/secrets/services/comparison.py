"""The secrets of two projects side by side: names, and whether the values are equal, as far as what came back can tell."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import md5, sha256

from dashboard.interfaces.errors import InterfaceError
from dashboard.interfaces.management.secrets import Secret
from dashboard.tokens.workspace import Workspace

EQUAL, DIFFERENT, HERE, THERE, UNTOLD = "equal", "different", "here", "there", "untold"
ORDER = (DIFFERENT, UNTOLD, HERE, THERE, EQUAL)


@dataclass(frozen=True, slots=True)
class Side:
    """One name in two projects; `state` is one of the five words above."""

    name: str
    state: str


@dataclass(frozen=True, slots=True)
class Other:
    """The secrets of the other project, or why they could not be read; a project that could not is no reason to show nothing."""

    secrets: Sequence[Secret] = ()
    failure: InterfaceError | None = None


def name_projects(workspace: Workspace) -> dict[str, str]:
    """Refs to names of all projects, by name (M1); nothing where the service does not say."""
    try:
        projects = workspace.management.projects.all()
    except InterfaceError:
        return {}
    return {project.ref: project.name for project in sorted(projects, key=lambda project: project.name.casefold())}


def read_other(workspace: Workspace, ref: str) -> Other:
    """The other project's secrets (M5); nothing is asked for without a ref."""
    try:
        return Other(workspace.management.secrets.all(ref)) if ref else Other()
    except InterfaceError as failure:
        return Other(failure=failure)


def compare(here: Sequence[Secret], there: Sequence[Secret]) -> list[Side]:
    """Every name of either project but the platform's own, those that differ first."""
    first = {secret.name: secret for secret in here if not secret.is_reserved}
    second = {secret.name: secret for secret in there if not secret.is_reserved}
    sides = [Side(name, _state(first.get(name), second.get(name))) for name in first.keys() | second.keys()]
    return sorted(sides, key=lambda side: (ORDER.index(side.state), side.name.casefold(), side.name))


def _state(here: Secret | None, there: Secret | None) -> str:
    if there is None:
        return HERE
    if here is None:
        return THERE
    if here.value_is == there.value_is:
        return EQUAL if here.value == there.value else DIFFERENT
    return _across(here, there)


def _across(one: Secret, other: Secret) -> str:
    """A digest beside a text: the text's digest tells. A digest beside a digest of another kind tells nothing."""
    plain, digest = (one, other) if one.value_is == "value" else (other, one)
    if plain.value_is != "value":
        return UNTOLD
    text = plain.value.encode(errors="surrogatepass")
    same = sha256(text).hexdigest() if digest.value_is == "SHA-256 digest" else md5(text, usedforsecurity=False).hexdigest()
    return EQUAL if same == digest.value else DIFFERENT
