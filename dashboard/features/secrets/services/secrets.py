"""Secrets of one project, as a person sees and changes them: operations M5, M6 and M7."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from urllib.parse import urlencode

from django.http import Http404
from django.urls import reverse

from dashboard.features.secrets.services import outcomes
from dashboard.interfaces.management.secrets import Secret
from dashboard.jobs.settlement import settle
from dashboard.journal.recorder import digest
from dashboard.tokens.workspace import Workspace

CLEAR = "Value returned"
KINDS = {"SHA-256 digest": "SHA-256 digest", "MD5 digest": "MD5 digest", "value": CLEAR}


@dataclass(frozen=True, slots=True)
class Cell:
    """The place of one value: what kind it is, and where it is shown and hidden again. It carries no value."""

    id: str
    name: str
    kind: str
    is_digest: bool
    href: str


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the list, ready to print."""

    name: str
    cell: Cell
    is_reserved: bool
    changed: str
    changed_at: str
    delete_href: str


@dataclass(frozen=True, slots=True)
class Revealed:
    """One value that somebody asked to see, in its place."""

    cell: Cell
    value: str = field(repr=False)


def purpose_of(ref: str) -> str:
    """What reviews of this project's secrets are for."""
    return f"secrets of {ref}"


def list_secrets(workspace: Workspace, ref: str) -> list[Secret]:
    """Every secret of the project, sorted by name (M5)."""
    return sorted(workspace.management.secrets.all(ref), key=lambda secret: (secret.name.casefold(), secret.name))


def find_secret(workspace: Workspace, ref: str, name: str) -> Secret:
    """The secret of that name, freshly read (M5); 404 where there is none."""
    for secret in workspace.management.secrets.all(ref):
        if secret.name == name:
            return secret
    raise Http404(f"This project has no secret called {name}.")


def arrange(secrets: Sequence[Secret], *, search: str = "") -> list[Secret]:
    """The secrets whose name contains the searched text, whatever its case."""
    wanted = search.casefold()
    return [secret for secret in secrets if wanted in secret.name.casefold()]


def rows_of(secrets: Sequence[Secret], ref: str) -> list[Row]:
    """Lines ready to print, in the order given."""
    reveal, delete = reverse("secrets:reveal", args=[ref]), reverse("secrets:delete", args=[ref])
    return [_row(secret, reveal, delete) for secret in secrets]


def reveal_secret(workspace: Workspace, ref: str, name: str) -> Revealed:
    """The value or digest of one secret (M5). Showing a value in clear is journaled, showing a digest is not."""
    secret = find_secret(workspace, ref, name)
    kind = KINDS[secret.value_is]
    cell = _cell(reverse("secrets:reveal", args=[ref]), name, kind)
    if kind == CLEAR:
        with workspace.record("M5", target=f"secret {name}", place=ref) as change:
            change.after = {"shown": "the value in clear", **_trace(secret)}
    return Revealed(cell=cell, value=secret.value)


def save_secret(workspace: Workspace, ref: str, name: str, value: str, *, replaced: Secret | None) -> None:
    """Write one secret (M6). The service overwrites without asking: the caller has asked."""
    before = _trace(replaced) if replaced else None
    wanted = outcomes.saved({name: value})
    with settle(workspace, "M6", target=f"secret {name}", place=ref, before=before, wanted=wanted) as change:
        change.after = {"value": digest(value)}
        workspace.management.secrets.create(ref, {name: value})


def delete_secret(workspace: Workspace, ref: str, secret: Secret) -> None:
    """Delete one secret (M7)."""
    wanted = outcomes.deleted([secret.name])
    with settle(workspace, "M7", target=f"secret {secret.name}", place=ref, before=_trace(secret), wanted=wanted):
        workspace.management.secrets.delete(ref, [secret.name])


def cell_of(name: str) -> str:
    """The id of the place where the value of a secret is shown: names can contain anything, ids can't."""
    return f"value-{sha256(name.encode()).hexdigest()[:16]}"


def hidden(ref: str, name: str, kind: str) -> Cell:
    """The place of a value again as it was before; 404 for a kind that this list never shows."""
    if kind not in KINDS.values():
        raise Http404("There is no such kind of value.")
    return _cell(reverse("secrets:reveal", args=[ref]), name, kind)


def _cell(address: str, name: str, kind: str) -> Cell:
    query = urlencode({"name": name, "kind": kind})
    return Cell(id=cell_of(name), name=name, kind=kind, is_digest=kind != CLEAR, href=f"{address}?{query}")


def _row(secret: Secret, reveal: str, delete: str) -> Row:
    changed = secret.updated_at
    return Row(
        name=secret.name,
        cell=_cell(reveal, secret.name, KINDS[secret.value_is]),
        is_reserved=secret.is_reserved,
        changed=f"{changed:%-d %b %Y}" if changed else "",
        changed_at=changed.isoformat() if changed else "",
        delete_href=f"{delete}?{urlencode({'name': secret.name})}",
    )


def _trace(secret: Secret) -> dict[str, str]:
    """What the journal keeps: a digest of what the service returned, even where that looks like a digest already."""
    return {"returned": digest(secret.value)}
