"""Create the first owner with a password link and, for the sandbox, stored tokens."""

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from dashboard.team.links import make_link
from dashboard.team.models import Person
from dashboard.team.services import first_owner
from dashboard.tokens import credentials
from dashboard.tokens.formats import BadToken
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace

DEFAULT_EMAIL = "owner@localhost"


def welcome(*, email: str, address: str, sandbox: Mapping[str, Any] | None = None, fresh: bool = False) -> dict[str, str]:
    """Return the owner's e-mail address and, until a password is set, a one-time link.

    `sandbox` is the sandbox's ready line (personal_token, storage_tokens). `fresh` means that its data is new, so tokens of an
    earlier one are replaced. Tokens that a person stored are kept.
    """
    owner = first_owner(email or DEFAULT_EMAIL)
    if sandbox:
        _store_tokens(owner, sandbox, fresh=fresh)
    return {"email": owner.email, "link": "" if owner.has_usable_password() else make_link(owner, address)}


def _store_tokens(owner: Person, sandbox: Mapping[str, Any], *, fresh: bool) -> None:
    """Store the sandbox's tokens, skipping paused projects, whose pages ask for them later."""
    kept = Workspace(owner)
    wanted = [(Kind.MANAGEMENT, "", sandbox["personal_token"])]
    wanted += [(Kind.STORAGE, ref, tokens["service"]) for ref, tokens in sandbox["storage_tokens"].items()]
    action = f"tokens-{uuid4().hex}"
    for kind, space, token in wanted:
        if fresh or not kept.has(kind, space):
            try:
                credentials.store(owner, kind, space, token, action=action)
            except BadToken:
                continue
