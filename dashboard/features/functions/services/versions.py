"""Kept bodies of functions: sealed, for the token that read or sent them, and for tokens that can read the live body now."""

from base64 import b64decode, b64encode
from typing import Any

from django.db import transaction
from django.db.models import QuerySet, Sum
from django.utils import timezone
from msgspec.structs import replace

from dashboard.features.functions.models import Body, Part, Seen
from dashboard.features.functions.rules import BUNDLE_MAX_BYTES, Content, version_of
from dashboard.features.functions.services.verification import read_state
from dashboard.interfaces.errors import InterfaceError
from dashboard.interfaces.management.functions import Function
from dashboard.team.rights import allows
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace
from dashboard.vault.seals import CannotOpen, Sealed

KEPT_MAX_BYTES = BUNDLE_MAX_BYTES
VERSIONS_MAX = 100
VERSIONS_MAX_BYTES = 100_000_000
PART_BYTES = 512 * 1024
# The owner of sealed bodies, as they belong to tokens: no person has this number.
NO_OWNER = 0


def is_kept(content: Content) -> bool:
    """Whether a body of this size can be kept."""
    return content.size <= KEPT_MAX_BYTES


def keep(
    workspace: Workspace, ref: str, function: Function, content: Content, *, sent: bool = False, note: str = ""
) -> Seen | None:
    """Keep the body of this version. Return None if it is too large. Equal bodies are stored once."""
    if not is_kept(content):
        return None
    facts: dict[str, Any] = {
        "name": _plain(function.name)[:1000],
        "verify_jwt": function.verify_jwt,
        "import_map": function.import_map,
        "entrypoint_path": _plain(function.entrypoint_path or "")[:1000],
        "import_map_path": _plain(function.import_map_path or "")[:1000],
    }
    version: dict[str, Any] = {"function": _plain(function.id)[:64], "version": function.version}
    if sent:
        facts |= {"sent": True, "note": note, "seen_at": timezone.now()}
    elif known := _known(workspace, ref, function.slug, content, version | facts):
        return known
    with transaction.atomic():
        body = store(workspace, ref, function.slug, content)
        seen, _ = Seen.objects.update_or_create(body=body, **version, defaults=facts)
        _forget_the_oldest(body, seen)
    return seen


def store(workspace: Workspace, ref: str, slug: str, content: Content) -> Body:
    """Return the row of a body, sealed if it is new. Call it in a transaction."""
    token = workspace.fingerprint(Kind.MANAGEMENT, ref)
    names = {"token": token, "ref": ref, "slug": slug, "digest": content.digest}
    body, made = Body.objects.get_or_create(**names, defaults={"size": content.size})
    if made:
        for number, start in enumerate(range(0, content.size, PART_BYTES)):
            part = b64encode(content.data[start : start + PART_BYTES]).decode()
            Part.objects.create(
                body=body, number=number, sealed=Sealed.seal(part, owner=NO_OWNER, purpose=_purpose(body, number))
            )
    return body


def open_body(body: Body) -> Content | None:
    """Return the bytes; None if their key is gone or they are damaged."""
    try:
        parts = [
            b64decode(part.sealed.open(owner=NO_OWNER, purpose=_purpose(body, part.number)))
            for part in body.parts.order_by("number").iterator(chunk_size=4)
        ]
    except CannotOpen:
        return None
    content = Content(b"".join(parts))
    return content if content.digest == body.digest else None


def versions_of(workspace: Workspace, ref: str, slug: str, function: Function | None) -> list[Seen]:
    """Return kept versions of a function, newest first, each body of a version once.

    Includes those that only another token read or sent, if this token can now read the body of `function`, the live one.
    """
    found = list(_own(workspace, ref, slug)[:VERSIONS_MAX])
    if function is None or not (others := list(_of_others(workspace, ref, function)[:VERSIONS_MAX])):
        return found
    if not can_read_live(workspace, ref, function):
        return found
    known = {(seen.function, seen.version, seen.body.digest) for seen in found}
    for seen in others:
        if (mark := (seen.function, seen.version, seen.body.digest)) not in known:
            known.add(mark)
            found.append(seen)
    return sorted(found, key=lambda seen: (seen.seen_at, seen.pk), reverse=True)[:VERSIONS_MAX]


def version_of_body(workspace: Workspace, ref: str, slug: str, pk: int) -> Seen | None:
    """Return one of `versions_of`, or None. Calls the service only for a body that another token read or sent."""
    if own := _own(workspace, ref, slug).filter(pk=pk).first():
        return own
    if not Seen.objects.filter(pk=pk, body__ref=ref, body__slug=slug).exists():
        return None
    if (found := read_state(workspace, ref, {"slug": slug})) is None:
        return None
    function = replace(found, slug=slug)
    seen = _of_others(workspace, ref, function).filter(pk=pk).first()
    return seen if seen and can_read_live(workspace, ref, function) else None


def can_read_live(workspace: Workspace, ref: str, function: Function) -> bool:
    """Whether this token may read the live body: it read or sent this version, or M14 succeeds (its body is then kept)."""
    if workspace.is_replay or not allows(workspace.person.role, "M14"):
        return False
    if seen_as(workspace, ref, function):
        return True
    try:
        content = Content(workspace.management.functions.body(ref, function.slug).data)
    except InterfaceError:
        return False
    keep(workspace, ref, function, content)
    return True


def text_of(workspace: Workspace, ref: str, slug: str, mark: str) -> str | None:
    """Return the source text, kept for this token, of the version with a `revision` mark; None if none is kept."""
    for seen in _own(workspace, ref, slug)[:VERSIONS_MAX]:
        if mark.startswith(f"{seen.function} {version_of(seen.version)} ") and (content := open_body(seen.body)):
            return content.text
    return None


def seen_as(workspace: Workspace, ref: str, function: Function) -> list[Seen]:
    """Return bodies of exactly this version that are kept for this token, newest first."""
    same = {"function": _plain(function.id)[:64], "version": function.version}
    return list(_own(workspace, ref, function.slug).filter(**same)[:VERSIONS_MAX])


def sent_as(ref: str, function: Function) -> list[Seen]:
    """Return bodies deployed from here as exactly this version, with any token. Only for a person who just read the live body."""
    same = {"function": _plain(function.id)[:64], "version": function.version, "sent": True}
    return list(Seen.objects.filter(body__ref=ref, body__slug=function.slug, **same).select_related("body")[:VERSIONS_MAX])


def _own(workspace: Workspace, ref: str, slug: str) -> QuerySet[Seen]:
    """Return everything kept for this token."""
    mine = Seen.objects.filter(body__token=workspace.fingerprint(Kind.MANAGEMENT, ref), body__ref=ref, body__slug=slug)
    return mine.select_related("body")


def _of_others(workspace: Workspace, ref: str, function: Function) -> QuerySet[Seen]:
    """Return what other tokens read or sent of this function, but not of an earlier one with the same slug."""
    same = Seen.objects.filter(body__ref=ref, body__slug=function.slug, function=_plain(function.id)[:64])
    return same.exclude(body__token=workspace.fingerprint(Kind.MANAGEMENT, ref)).select_related("body")


def _known(workspace: Workspace, ref: str, slug: str, content: Content, facts: dict[str, Any]) -> Seen | None:
    """Return the row that already stores all of this, if any: most reads change nothing."""
    token = workspace.fingerprint(Kind.MANAGEMENT, ref)
    rows = Seen.objects.filter(body__token=token, body__ref=ref, body__slug=slug, body__digest=content.digest, **facts)
    return rows.select_related("body").first()


def _forget_the_oldest(body: Body, newest: Seen) -> None:
    """Keep at most 100 versions and 100 MB of one function."""
    same = {"token": body.token, "ref": body.ref, "slug": body.slug}
    rows = Seen.objects.filter(**{f"body__{name}": value for name, value in same.items()}).exclude(pk=newest.pk)
    Seen.objects.filter(pk__in=list(rows.values_list("pk", flat=True)[VERSIONS_MAX - 1 :])).delete()
    bodies = Body.objects.filter(**same)
    bodies.filter(seen=None).delete()
    others = bodies.exclude(pk=body.pk).order_by("kept_at", "pk")
    while (bodies.aggregate(all=Sum("size"))["all"] or 0) > VERSIONS_MAX_BYTES and (oldest := others.first()):
        oldest.delete()


def _purpose(body: Body, number: int) -> str:
    return f"function body:{body.token}:{body.ref}:{body.slug}:{body.digest}:{number}"


def _plain(text: str) -> str:
    """Replace NUL, which PostgreSQL can't store."""
    return text.replace("\0", "\ufffd")
