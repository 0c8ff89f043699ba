"""How writes of secrets (M6 and M7) are read back where their answer was lost."""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import md5, sha256

from dashboard.interfaces.management.secrets import Secret
from dashboard.jobs.settlement import Wanted
from dashboard.tokens.workspace import Workspace


def touched(names: Iterable[str]) -> list[str]:
    """What a write of these secrets touches."""
    return [f"secret {name}" for name in names]


def saved(values: Mapping[str, str]) -> Wanted:
    """The state after M6: digests of the values by name, in both forms that services return."""
    return {
        "values": {
            name: [sha256(value.encode()).hexdigest(), md5(value.encode(), usedforsecurity=False).hexdigest()]
            for name, value in values.items()
        }
    }


def deleted(names: Sequence[str]) -> Wanted:
    """The state after M7."""
    return {"names": list(names)}


def read(workspace: Workspace, ref: str, _wanted: Wanted) -> list[Secret]:
    return workspace.management.secrets.all(ref)


def are_saved(secrets: Sequence[Secret], wanted: Wanted) -> bool:
    """Whether every secret is there with its value."""
    there = {secret.name: secret for secret in secrets}
    return all(name in there and _holds(there[name], *digests) for name, digests in wanted["values"].items())


def are_deleted(secrets: Sequence[Secret], wanted: Wanted) -> bool:
    """Whether none of the secrets is there any more."""
    return not {secret.name for secret in secrets} & set(wanted["names"])


def _holds(secret: Secret, sha256_digest: str, md5_digest: str) -> bool:
    if secret.value_is == "SHA-256 digest":
        return secret.value == sha256_digest
    if secret.value_is == "MD5 digest":
        return secret.value == md5_digest
    return sha256(secret.value.encode()).hexdigest() == sha256_digest
