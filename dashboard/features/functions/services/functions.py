"""List functions, read one and its body, change its settings, delete it: M10 to M14."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from msgspec.structs import replace

from dashboard.features.functions.models import Note, Seen
from dashboard.features.functions.rules import Content, Flags, deployed, flags_of, is_public, is_readable, version_of
from dashboard.features.functions.services import versions
from dashboard.features.functions.services.verification import Checked, is_deleted, read_state, touched, verify, wanted_of
from dashboard.interfaces.errors import InterfaceError
from dashboard.interfaces.management.functions import Function
from dashboard.interfaces.management.sources import SourceFile
from dashboard.jobs.settlement import Resend, Rule, Wanted, settle
from dashboard.journal.recorder import record
from dashboard.team.rights import require
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Live:
    """The deployed body, or why it could not be read."""

    content: Content | None = None
    failure: InterfaceError | None = None


SORTS: Mapping[str, Callable[[Function], Any]] = {
    "name": lambda function: (function.slug.casefold(), function.slug),
    "status": lambda function: function.status.value,
    "version": lambda function: function.version,
    "updated": lambda function: function.updated_at,
}


def list_functions(workspace: Workspace, ref: str) -> list[Function]:
    """Return every function of the project (M10), unsorted. Removed ones may be among them."""
    return workspace.management.functions.all(ref)


def arrange(
    functions: Sequence[Function], *, search: str = "", unprotected: bool = False, sort: str = "name", descending: bool = False
) -> list[Function]:
    """Return functions whose slug or name contains `search` in any case. `unprotected` keeps only public ones."""
    wanted = search.casefold()
    found = [
        function
        for function in functions
        if (wanted in function.slug.casefold() or wanted in function.name.casefold()) and (not unprotected or is_public(function))
    ]
    found.sort(key=SORTS["name"])
    found.sort(key=SORTS[sort], reverse=descending)
    return found


def deleted_slugs(workspace: Workspace, ref: str, listed: Collection[str]) -> list[str]:
    """Return slugs that the service no longer lists, but whose bodies are kept here."""
    kept = Seen.objects.filter(body__token=workspace.fingerprint(Kind.MANAGEMENT, ref), body__ref=ref)
    slugs = kept.order_by("body__slug").values_list("body__slug", flat=True).distinct()
    return [slug for slug in slugs if slug not in listed and is_readable(slug)]


def get_function(workspace: Workspace, ref: str, slug: str) -> Function:
    """Return the function (M11), under the slug that was requested: the service's own may not fit into our addresses."""
    return replace(workspace.management.functions.get(ref, slug), slug=slug)


def find_function(workspace: Workspace, ref: str, slug: str) -> Function | None:
    """Return the function as `get_function` does; None if there is none."""
    return read_state(workspace, ref, {"slug": slug})


def read_body(workspace: Workspace, ref: str, slug: str) -> Live:
    """Return the live body (M14), or the failure."""
    try:
        return Live(content=get_body(workspace, ref, slug))
    except InterfaceError as failure:
        return Live(failure=failure)


def get_body(workspace: Workspace, ref: str, slug: str) -> Content:
    """Return the live body (M14). Raises `RoleMissing`."""
    require(workspace.person, "M14")
    return Content(workspace.management.functions.body(ref, slug).data)


def get_source_files(workspace: Workspace, ref: str, slug: str) -> tuple[SourceFile, ...]:
    """Return source files of the live body (M14), entry point first; none if it can't be unpacked. Raises `RoleMissing`."""
    require(workspace.person, "M14")
    return workspace.management.functions.sources(ref, slug).files


def remember(workspace: Workspace, ref: str, function: Function, live: Live) -> Seen | None:
    """Keep a body that was read. Return None if it could not be read or is too large."""
    return versions.keep(workspace, ref, function, live.content) if live.content else None


def readable_text(ref: str, function: Function, live: Live) -> str | None:
    """Return the live body's source text; if it is a bundle, the text deployed from here as this version."""
    if live.content is None or live.content.text is not None:
        return live.content.text if live.content else None
    for seen in versions.sent_as(ref, function):
        content = versions.open_body(seen.body)
        if content and content.text is not None:
            return content.text
    return None


def change_settings(workspace: Workspace, ref: str, function: Function, flags: Flags) -> Checked:
    """Send every flag (M12), changed or not, and verify them."""
    before = before_of(function)
    wanted = wanted_of(function.slug, flags, before=function.version)
    with settle(workspace, "M12", target=touched(function.slug), place=ref, before=before, wanted=wanted) as change:
        change.after = flags.journaled()
        saved = workspace.management.functions.update(
            ref, function.slug, name=flags.name, verify_jwt=flags.verify_jwt, import_map=flags.import_map
        )
        return verify(saved, flags, change)
    return Checked(function=change.found)


def delete_function(workspace: Workspace, ref: str, function: Function, content: Content | None) -> None:
    """Keep the body, then delete the function (M13). `content` is None only if the person agreed to lose it."""
    if content is not None and versions.keep(workspace, ref, function, content) is None:
        raise ValidationError("Nothing was deleted: the code is too large to be kept.")
    kept = f"sha256:{content.digest}" if content else "not kept"
    before = before_of(function) | {"body": kept}
    wanted = {"slug": function.slug}
    with settle(workspace, "M13", target=touched(function.slug), place=ref, before=before, wanted=wanted):
        workspace.management.functions.delete(ref, function.slug)


def before_of(function: Function) -> dict[str, object]:
    """Return what the journal stores of a function before a change."""
    return flags_of(function).journaled() | {"version": version_of(function.version)}


def before_in(function: Function | None, _wanted: Wanted) -> dict[str, object] | None:
    """Return what `before_of` does; None if the function is not deployed."""
    current = deployed(function)
    return before_of(current) if current else None


def delete_again(workspace: Workspace, ref: str, kept: Wanted) -> None:
    """Delete the function again (only M13). Its body was kept before the first request, and has not changed since."""
    workspace.management.functions.delete(ref, kept["slug"])


def note_of(ref: str, slug: str) -> Note | None:
    """Return the team's note about a function."""
    return Note.objects.select_related("changed_by").filter(ref=ref, slug=slug).first()


def notes_of(ref: str) -> dict[str, str]:
    """Return the notes about a project's functions by slug."""
    return dict(Note.objects.filter(ref=ref).values_list("slug", "text"))


def set_note(workspace: Workspace, ref: str, slug: str, text: str) -> None:
    """Save a function's note. An empty one deletes it."""
    before = note_of(ref, slug)
    if (before.text if before else "") == text:
        return
    with record(
        person_id=workspace.person.pk,
        operation="function note changed",
        target=f"note of function {slug}",
        place=ref,
        before={"note": before.text} if before else None,
    ) as change:
        with transaction.atomic():
            if text:
                facts = {"text": text, "changed_at": timezone.now(), "changed_by": workspace.person}
                Note.objects.update_or_create(ref=ref, slug=slug, defaults=facts)
            else:
                Note.objects.filter(ref=ref, slug=slug).delete()
        change.after = {"note": text} if text else None


RULES = (Rule("M13", read_state, is_deleted, resend=Resend(before_in, delete_again)),)
