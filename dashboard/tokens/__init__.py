"""Per-person stored tokens, and the Workspace made from them.

What features use is offered here by name and loaded at first use: Django imports this package before its models may be.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dashboard.tokens.access import WorkspaceRequest, with_workspace
    from dashboard.tokens.errors import TokenBroken, TokenLocked, TokenMissing
    from dashboard.tokens.spaces import Space
    from dashboard.tokens.workspace import Workspace

__all__ = ["Space", "TokenBroken", "TokenLocked", "TokenMissing", "Workspace", "WorkspaceRequest", "with_workspace"]

_HOMES = {
    "Space": "spaces",
    "TokenBroken": "errors",
    "TokenLocked": "errors",
    "TokenMissing": "errors",
    "Workspace": "workspace",
    "WorkspaceRequest": "access",
    "with_workspace": "access",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
