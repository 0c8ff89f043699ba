"""One function and its live body."""

from dataclasses import dataclass

from msgspec.structs import replace

from dashboard.features.functions.models import Seen
from dashboard.features.functions.rules.bundles import Content
from dashboard.features.functions.services import versions
from dashboard.interfaces.errors import InterfaceError, NotFound
from dashboard.interfaces.management.functions import Function
from dashboard.interfaces.management.sources import SourceFile
from dashboard.tokens.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Live:
    """What the service has deployed: its body, or why that could not be read."""

    content: Content | None = None
    failure: InterfaceError | None = None


def get_function(workspace: Workspace, ref: str, slug: str) -> Function:
    """The function, freshly read (M11), under the slug that was asked for: it is the one that our addresses can hold."""
    return replace(workspace.management.functions.get(ref, slug), slug=slug)


def find_function(workspace: Workspace, ref: str, slug: str) -> Function | None:
    """The function, freshly read (M11); None where there is none of this slug."""
    try:
        return get_function(workspace, ref, slug)
    except NotFound:
        return None


def read_body(workspace: Workspace, ref: str, slug: str) -> Live:
    """The live body (M14). A failure here stops nobody: it is told in its place."""
    try:
        return Live(content=Content(workspace.management.functions.body(ref, slug).data))
    except InterfaceError as failure:
        return Live(failure=failure)


def get_body(workspace: Workspace, ref: str, slug: str) -> Content:
    """The live body (M14)."""
    return Content(workspace.management.functions.body(ref, slug).data)


def get_source_files(workspace: Workspace, ref: str, slug: str) -> tuple[SourceFile, ...]:
    """The live body's source files (M14), the entry point first; none where the service keeps it packed."""
    return workspace.management.functions.sources(ref, slug).files


def remember(workspace: Workspace, ref: str, function: Function, live: Live) -> Seen | None:
    """Keep what was read; None where there was nothing to keep or it is too large."""
    return versions.keep(workspace, ref, function, live.content) if live.content else None


def readable_text(workspace: Workspace, ref: str, function: Function, live: Live) -> str | None:
    """The source text of what is deployed: the live body, or, where that is a bundle, the text sent from here as this version."""
    if live.content is None or live.content.text is not None:
        return live.content.text if live.content else None
    for seen in versions.seen_as(workspace, ref, function):
        content = versions.open_body(seen.body) if seen.sent else None
        if content and content.text is not None:
            return content.text
    return None
