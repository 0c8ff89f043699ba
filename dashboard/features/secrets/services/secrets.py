"""List, reveal, save and delete the secrets of a project: operations M5, M6 and M7."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import reduce
from operator import or_

from django.db.models import Q
from django.http import Http404

from dashboard.features.secrets.rules.comparison import digests_of, has_value, key_of
from dashboard.interfaces.errors import InterfaceError
from dashboard.interfaces.management.secrets import Secret
from dashboard.jobs.settlement import Part, Resend, Rule, Wanted, settle
from dashboard.journal import queries
from dashboard.journal.models import Outcome
from dashboard.journal.recorder import digest
from dashboard.tokens.workspace import Workspace

# The service's clock may differ from ours, and sending takes a while.
SAME_CHANGE = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Row:
    """A secret in the list, without its value. `kind` says what the service returns for it, as `Secret.value_is` does.

    `by` is who changed it last, empty where the person may not know. `is_withheld`: access leaves out even its digest.
    """

    name: str
    kind: str
    is_reserved: bool = False
    updated_at: datetime | None = None
    by: str = ""
    is_withheld: bool = False

    @property
    def is_digest(self) -> bool:
        return self.kind != "value"

    @property
    def id(self) -> str:
        """The id of the element that shows the value. Not the name, which can contain anything."""
        return f"value-{key_of(self.name)}"


def purpose_of(ref: str) -> str:
    """Return the purpose of reviews of this project's secrets."""
    return f"secrets of {ref}"


def list_secrets(workspace: Workspace, ref: str) -> list[Secret]:
    """Return every secret of the project, sorted by name (M5)."""
    return sorted(workspace.management.secrets.all(ref), key=lambda secret: (secret.name.casefold(), secret.name))


def read_other(workspace: Workspace, ref: str) -> list[Secret] | InterfaceError:
    """Return another project's secrets (M5), none without a ref, or why they couldn't be read."""
    try:
        return workspace.management.secrets.all(ref) if ref else []
    except InterfaceError as failure:
        return failure


def name_projects(workspace: Workspace) -> dict[str, str]:
    """Return the names of all projects by ref, sorted by name (M1); empty if that fails."""
    try:
        projects = workspace.management.projects.all()
    except InterfaceError:
        return {}
    return {project.ref: project.name for project in sorted(projects, key=lambda project: project.name.casefold())}


def find_secret(workspace: Workspace, ref: str, name: str) -> Secret:
    """Return one secret, just read (M5). Raises `Http404` if there is none with that name."""
    for secret in workspace.management.secrets.all(ref):
        if secret.name == name:
            return secret
    raise Http404(f"This project has no secret called {name}.")


def row_of(secret: Secret, *, by: str = "") -> Row:
    return Row(secret.name, secret.value_is, secret.is_reserved, secret.updated_at, by, is_withheld=not secret.value)


def changers_of(workspace: Workspace, ref: str, secrets: Iterable[Secret]) -> dict[str, str]:
    """Return who changed secrets last, by name: of those whose entry the person may open."""
    changed_at = {secret.name: secret.updated_at for secret in secrets if secret.updated_at}
    if not changed_at:
        return {}
    moments = (Q(started_at__range=(moment - SAME_CHANGE, moment + SAME_CHANGE)) for moment in set(changed_at.values()))
    saved = queries.visible(workspace.person).filter(operation="M6", place=ref, outcome__in=(Outcome.DONE, Outcome.PARTLY))
    found: dict[str, str] = {}
    for entry in saved.filter(reduce(or_, moments)).select_related("person").order_by("pk"):
        values = (entry.after or {}).get("values")
        for name in values if isinstance(values, dict) else [entry.target.removeprefix("secret ")]:
            if name in changed_at and abs(changed_at[name] - entry.started_at) <= SAME_CHANGE:
                found[name] = str(entry.person)
    return found


def reveal_secret(workspace: Workspace, ref: str, name: str) -> Secret:
    """Return one secret with its value or digest (M5). Journals the reveal of a value in clear, but not that of a digest."""
    secret = find_secret(workspace, ref, name)
    if secret.value_is == "value":
        workspace.require_act("management", ref, "values")
        with workspace.record("M5", target=f"secret {name}", place=ref, right="secret value shown") as change:
            change.after = {"shown": "the value in clear", **_trace(secret)}
    return secret


def save_secret(workspace: Workspace, ref: str, name: str, value: str, *, replaced: Secret | None) -> None:
    """Save one secret (M6). The service overwrites without asking, so the caller must have asked."""
    before = before_of({name: replaced} if replaced else {}, [name])
    keep, wanted = {"secrets": {name: value}}, wanted_values({name: value})
    with settle(workspace, "M6", target=f"secret {name}", place=ref, before=before, wanted=wanted, keep=keep) as change:
        change.after = {"value": digest(value)}
        workspace.management.secrets.create(ref, {name: value})


def delete_secret(workspace: Workspace, ref: str, secret: Secret) -> None:
    """Delete one secret (M7)."""
    before, wanted = before_of({secret.name: secret}, [secret.name]), wanted_deletions([secret.name])
    with settle(workspace, "M7", target=f"secret {secret.name}", place=ref, before=before, wanted=wanted):
        workspace.management.secrets.delete(ref, [secret.name])


def touched(names: Iterable[str]) -> list[str]:
    """Return the names by which settlement knows a write of these secrets."""
    return [f"secret {name}" for name in names]


def before_of(known: Mapping[str, Secret], names: Iterable[str]) -> dict[str, dict[str, str]] | None:
    """Return what the journal stores of these secrets before a write: digests of what the service returned, by name."""
    returned = {name: digest(known[name].value) for name in names if name in known}
    return {"returned": returned} if returned else None


def before_in(secrets: Sequence[Secret], wanted: Wanted) -> dict[str, dict[str, str]] | None:
    """Return what `before_of` does, for the names that a write of M6 or M7 changes."""
    return before_of({secret.name: secret for secret in secrets}, wanted.get("values") or wanted["names"])


def save_again(workspace: Workspace, ref: str, kept: Wanted) -> None:
    """Save secrets again (only M6)."""
    workspace.management.secrets.create(ref, kept["secrets"])


def delete_again(workspace: Workspace, ref: str, kept: Wanted) -> None:
    """Delete secrets again (only M7)."""
    workspace.management.secrets.delete(ref, kept["names"])


def wanted_values(values: Mapping[str, str]) -> Wanted:
    """Return the state after M6: digests of the values by name."""
    return {"values": {name: digests_of(value) for name, value in values.items()}}


def wanted_deletions(names: Sequence[str]) -> Wanted:
    """Return the state after M7."""
    return {"names": list(names)}


def read_back(workspace: Workspace, ref: str, _wanted: Wanted) -> list[Secret]:
    return workspace.management.secrets.all(ref)


def are_saved(secrets: Sequence[Secret], wanted: Wanted) -> bool:
    """Whether every wanted secret exists with its value."""
    present = {secret.name: secret for secret in secrets}
    return all(name in present and has_value(present[name], digests) for name, digests in wanted["values"].items())


def are_deleted(secrets: Sequence[Secret], wanted: Wanted) -> bool:
    return not {secret.name for secret in secrets} & set(wanted["names"])


def saved_part(secrets: Sequence[Secret], wanted: Wanted) -> Part | None:
    """Return which of the wanted values were saved."""
    present = {secret.name: secret for secret in secrets}
    values: dict[str, Mapping[str, str]] = wanted["values"]
    saved = {name: digests for name, digests in values.items() if name in present and has_value(present[name], digests)}
    return Part(len(saved), len(values), {"values": saved}) if saved else None


def deleted_part(secrets: Sequence[Secret], wanted: Wanted) -> Part | None:
    gone = sorted(set(wanted["names"]) - {secret.name for secret in secrets})
    return Part(len(gone), len(wanted["names"]), {"names": gone}) if gone else None


def _trace(secret: Secret) -> dict[str, str]:
    """Return what the journal stores: a digest of what the service returned, even if that is a digest already."""
    return {"returned": digest(secret.value)}


RULES = (
    Rule("M6", read_back, are_saved, part=saved_part, resend=Resend(before_in, save_again)),
    Rule("M7", read_back, are_deleted, part=deleted_part, resend=Resend(before_in, delete_again)),
)
