"""Which of the links are made pointless by a public bucket."""

from dashboard.links import ledger, publicity
from dashboard.tokens.workspace import Workspace


def known_public(workspace: Workspace, *, asks: bool) -> dict[str, frozenset[str]]:
    """Public buckets by space, as this person's tokens saw them last; `asks`: look anew first (S2, at most 8 spaces)."""
    spaces = ledger.spaces(workspace.person)
    if asks:
        publicity.ask(workspace, spaces)
    return publicity.known(workspace, spaces)
