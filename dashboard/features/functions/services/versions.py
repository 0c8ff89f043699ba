"""Bodies that were seen, kept sealed for the holders of the token that saw them."""

from base64 import b64decode, b64encode
from typing import Any

from django.db import transaction
from django.db.models import Sum
from django.utils import timezone

from dashboard.features.functions.models import Body, Deployment, Part, Seen
from dashboard.features.functions.rules.bundles import LARGEST_BUNDLE, Content
from dashboard.interfaces.management.functions import Function
from dashboard.tokens.fingerprint import SHOWN
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace
from dashboard.vault.seals import CannotOpen, Sealed

LARGEST = LARGEST_BUNDLE
MOST_VERSIONS = 100
MOST_BYTES = 5 * LARGEST
PART = 512 * 1024
# A body belongs to a token, not to a person; no person has this number.
NOBODY = 0


def is_kept(content: Content) -> bool:
    """Whether a body of this size is kept at all."""
    return content.size <= LARGEST


def keep(
    workspace: Workspace, ref: str, function: Function, content: Content, *, sent: bool = False, note: str = ""
) -> Seen | None:
    """Remember that this version had this body; None where it is too large. The same body is kept once."""
    if not is_kept(content):
        return None
    told: dict[str, Any] = {
        "name": _plain(function.name)[:1000],
        "verify_jwt": function.verify_jwt,
        "import_map": function.import_map,
        "entrypoint_path": _plain(function.entrypoint_path or "")[:1000],
        "import_map_path": _plain(function.import_map_path or "")[:1000],
    }
    version: dict[str, Any] = {"function": _plain(function.id)[:64], "version": function.version}
    if sent:
        told |= {"sent": True, "note": note, "seen_at": timezone.now()}
    elif known := _known(workspace, ref, function.slug, content, version | told):
        return known
    with transaction.atomic():
        body = store(workspace, ref, function.slug, content)
        seen, _ = Seen.objects.update_or_create(body=body, **version, defaults=told)
        _forget_the_oldest(body, seen)
    return seen


def store(workspace: Workspace, ref: str, slug: str, content: Content) -> Body:
    """The row of a body, sealed when it is new. In a transaction of the caller."""
    token = workspace.fingerprint(Kind.MANAGEMENT)
    names = {"token": token, "ref": ref, "slug": slug, "digest": content.digest}
    body, made = Body.objects.get_or_create(**names, defaults={"size": content.size})
    if made:
        pieces = [content.data[start : start + PART] for start in range(0, content.size, PART)]
        for number, piece in enumerate(pieces):
            sealed = Sealed.seal(b64encode(piece).decode(), owner=NOBODY, purpose=_purpose(body, number))
            Part.objects.create(body=body, number=number, sealed=sealed)
    return body


def open_body(body: Body) -> Content | None:
    """The bytes; None when what sealed them is gone or they are damaged."""
    try:
        pieces = [
            b64decode(part.sealed.open(owner=NOBODY, purpose=_purpose(body, part.number)))
            for part in body.parts.order_by("number").iterator(chunk_size=4)
        ]
    except CannotOpen:
        return None
    content = Content(b"".join(pieces))
    return content if content.digest == body.digest else None


def versions_of(workspace: Workspace, ref: str, slug: str) -> list[Seen]:
    """Every version of a function whose body is kept for this person's token, newest first."""
    mine = Seen.objects.filter(body__token=workspace.fingerprint(Kind.MANAGEMENT), body__ref=ref, body__slug=slug)
    return list(mine.select_related("body")[:MOST_VERSIONS])


def version_of_body(workspace: Workspace, ref: str, slug: str, pk: int) -> Seen | None:
    """One of `versions_of`, or None."""
    mine = Seen.objects.filter(body__token=workspace.fingerprint(Kind.MANAGEMENT), body__ref=ref, body__slug=slug)
    return mine.select_related("body").filter(pk=pk).first()


def seen_as(workspace: Workspace, ref: str, function: Function) -> list[Seen]:
    """Bodies known of exactly this version, newest first."""
    return [
        seen
        for seen in versions_of(workspace, ref, function.slug)
        if seen.function == function.id and seen.version == function.version
    ]


def _known(workspace: Workspace, ref: str, slug: str, content: Content, told: dict[str, Any]) -> Seen | None:
    """The row that says all this already: most reads have nothing to write."""
    token = workspace.fingerprint(Kind.MANAGEMENT)
    rows = Seen.objects.filter(body__token=token, body__ref=ref, body__slug=slug, body__digest=content.digest, **told)
    return rows.select_related("body").first()


def _forget_the_oldest(body: Body, newest: Seen) -> None:
    """Keep at most 100 versions and 100 MiB of one function; what waits to be deployed stays."""
    same = {"token": body.token, "ref": body.ref, "slug": body.slug}
    rows = Seen.objects.filter(**{f"body__{name}": value for name, value in same.items()}).exclude(pk=newest.pk)
    Seen.objects.filter(pk__in=list(rows.values_list("pk", flat=True)[MOST_VERSIONS - 1 :])).delete()
    bodies = Body.objects.filter(**same)
    waiting = Deployment.objects.values("body")
    bodies.filter(seen=None).exclude(pk__in=waiting).delete()
    while (bodies.aggregate(all=Sum("size"))["all"] or 0) > MOST_BYTES:
        oldest = bodies.exclude(pk=body.pk).exclude(pk__in=waiting).order_by("kept_at", "pk").first()
        if oldest is None:
            break
        oldest.delete()


def _purpose(body: Body, number: int) -> str:
    # As long as fingerprints were once: what was sealed then still opens.
    return f"function body:{body.token[:SHOWN]}:{body.ref}:{body.slug}:{body.digest}:{number}"


def _plain(text: str) -> str:
    """PostgreSQL keeps no NUL."""
    return text.replace("\0", "\ufffd")
