"""Deploy a body (M9, M11, M12): draft it in a review, compare it with what is deployed, send it once, verify it."""

from base64 import b64decode, b64encode
from dataclasses import asdict, dataclass, replace
from typing import Any, Self
from uuid import UUID

from django.core.exceptions import ValidationError

from dashboard.features.functions.models import Seen
from dashboard.features.functions.rules import FLAG_LABELS, Content, Flags, deployed, flags_of, on_or_off, version_of
from dashboard.features.functions.services import versions
from dashboard.features.functions.services.functions import Live, readable_text
from dashboard.features.functions.services.verification import Checked, is_changed, read_state, touched, verify, wanted_of
from dashboard.interfaces.errors import NotAllowed
from dashboard.interfaces.management.functions import Function
from dashboard.jobs.settlement import Rule, Wanted, settle
from dashboard.reviews import reviews
from dashboard.reviews.models import Review
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Source:
    """The kept version whose body is deployed again, with its flags at that time."""

    version: str
    verify_jwt: bool | None
    import_map: bool | None


@dataclass(frozen=True, slots=True)
class Draft:
    """The content of a deployment."""

    slug: str
    content: Content
    flags: Flags
    again: Source | None = None

    @classmethod
    def of(cls, slug: str, payload: dict[str, Any]) -> Self:
        again = Source(**payload["again"]) if payload["again"] else None
        return cls(slug, Content(b64decode(payload["body"])), Flags(**payload["flags"]), again)

    def payload(self) -> dict[str, Any]:
        body = b64encode(self.content.data).decode()
        return {"body": body, "flags": asdict(self.flags), "again": asdict(self.again) if self.again else None}

    @property
    def former_flags(self) -> str:
        """The flags of the version that is deployed again, if they differ from those sent now."""
        if self.again is None:
            return ""
        flags = [
            ("verify_jwt", self.again.verify_jwt, self.flags.verify_jwt),
            ("import_map", self.again.import_map, self.flags.import_map),
        ]
        return ", ".join(
            f"“{FLAG_LABELS[name]}” was {on_or_off(old)}" for name, old, new in flags if old is not None and old != new
        )


@dataclass(frozen=True, slots=True)
class FlagChange:
    """One flag now and afterwards; `now` is empty for a new function."""

    name: str
    now: str
    then: str

    @property
    def label(self) -> str:
        return FLAG_LABELS[self.name]

    @property
    def is_change(self) -> bool:
        return bool(self.now) and self.now != self.then


@dataclass(frozen=True, slots=True)
class Comparison:
    """A draft compared with what is deployed. The texts are None if they can't be compared line by line."""

    draft: Draft
    is_new: bool
    was_removed: bool
    version: str
    flags: tuple[FlagChange, ...]
    live: Content | None
    old_text: str | None

    @property
    def is_same_body(self) -> bool:
        return self.live is not None and self.live.digest == self.draft.content.digest

    @property
    def opens(self) -> bool:
        """Whether this deployment makes it public."""
        return any(flag.name == "verify_jwt" and flag.is_change and flag.then == "off" for flag in self.flags)


def purpose_of(workspace: Workspace, ref: str, slug: str) -> str:
    """Return the purpose of a review. It contains the token, as a draft may hold a body kept for that token."""
    return f"deployment of {slug} in {ref} with {workspace.fingerprint(Kind.MANAGEMENT, ref)}"


def create_review(workspace: Workspace, ref: str, draft: Draft) -> Review:
    return reviews.create(workspace, purpose_of(workspace, ref, draft.slug), draft.payload())


def find_review(workspace: Workspace, ref: str, slug: str, pk: UUID) -> Review:
    """Return the person's own review, made with the current token. Raises `Http404` otherwise."""
    return reviews.find(workspace, purpose_of(workspace, ref, slug), pk)


def draft_again(seen: Seen, content: Content, function: Function | None) -> Draft:
    """Return a draft of a kept body with the current flags, or its former ones if none is deployed; always with its own paths."""
    if (current := deployed(function)) is not None:
        flags = flags_of(current)
    else:
        flags = Flags(seen.name or seen.body.slug, verify_jwt=seen.verify_jwt is not False, import_map=seen.import_map)
    flags = replace(flags, entrypoint_path=seen.entrypoint_path, import_map_path=seen.import_map_path)
    return Draft(seen.body.slug, content, flags, Source(version_of(seen.version), seen.verify_jwt, seen.import_map))


def compare(ref: str, draft: Draft, function: Function | None, live: Live) -> Comparison:
    """Compare a draft with what the service has."""
    current = deployed(function)
    return Comparison(
        draft=draft,
        is_new=current is None,
        was_removed=function is not None and current is None,
        version=version_of(current.version) if current else "",
        flags=_flag_changes(flags_of(current) if current else None, draft),
        live=live.content,
        old_text=readable_text(ref, current, live) if current else None,
    )


def kept_body(workspace: Workspace, ref: str, function: Function | None) -> Live:
    """Return the live body as it was kept when the review was shown, which saves a call."""
    for seen in versions.seen_as(workspace, ref, function) if function else ():
        if not seen.sent and (content := versions.open_body(seen.body)):
            return Live(content=content)
    return Live()


def deploy(
    workspace: Workspace, ref: str, review: Review, draft: Draft, function: Function | None, *, note: str
) -> reviews.Outcome:
    """Send the body (M12, or M9 for a new function) with every flag, verify it, and keep it."""
    slug, current = draft.slug, deployed(function)
    before = {**flags_of(current).journaled(), "version": version_of(current.version)} if current else None
    wanted = wanted_of(slug, draft.flags, before=current.version if current else None)
    wanted |= {"review": str(review.pk), "note": note}
    checked: Checked | None = None
    operation = "M12" if current else "M9"
    try:
        with settle(workspace, operation, target=touched(slug), place=ref, before=before, wanted=wanted) as change:
            change.after = {"body": f"sha256:{draft.content.digest}"} | ({"note": note} if note else {})
            change.after |= {"body of version": draft.again.version} if draft.again else {}
            change.after |= draft.flags.journaled()
            checked = verify(_send(workspace, ref, draft, is_new=current is None), draft.flags, change)
    except NotAllowed as refused:
        if refused.status == 402:
            told = f" The service reported: “{refused.text}”" if refused.text else ""
            raise ValidationError(f"Not deployed: the organization's plan allows no more functions.{told}") from None
        raise
    return _keep(workspace, ref, draft, checked or Checked(function=change.found), note=note)


def keep_found(workspace: Workspace, ref: str, wanted: Wanted, function: Function) -> None:
    """Keep a body and close its review, after a deployment without an answer was found to be done."""
    if "review" not in wanted:
        return
    slug = wanted["slug"]
    review = reviews.get(workspace, purpose_of(workspace, ref, slug), UUID(wanted["review"]))
    if review and (payload := review.payload):
        outcome = _keep(workspace, ref, Draft.of(slug, payload), Checked(function=function), note=wanted["note"])
        reviews.confirm(review, outcome.facts)


def _flag_changes(now: Flags | None, draft: Draft) -> tuple[FlagChange, ...]:
    """Return all flags; the paths for bundles only, and only if they are or were given."""
    then = draft.flags
    changes = [
        FlagChange("name", now.name if now else "", then.name),
        FlagChange("verify_jwt", on_or_off(now.verify_jwt) if now else "", on_or_off(then.verify_jwt)),
        FlagChange("import_map", on_or_off(now.import_map) if now else "", on_or_off(then.import_map)),
    ]
    for name in ("entrypoint_path", "import_map_path"):
        old, new = getattr(now, name, ""), getattr(then, name)
        if (old or new) and draft.content.kind != "source":
            changes.append(FlagChange(name, (old or "not set") if now else "", new or "not sent"))
    return tuple(changes)


def _keep(workspace: Workspace, ref: str, draft: Draft, checked: Checked, *, note: str) -> reviews.Outcome:
    origin = f"Rolled back to version {draft.again.version}. " if draft.again else ""
    versions.keep(workspace, ref, checked.function, draft.content, sent=True, note=f"{origin}{note}".strip()[:500])
    facts = {
        "version": version_of(checked.function.version),
        "findings": [mismatch.sentence for mismatch in checked.mismatches],
        "note": note,
        "back_to": draft.again.version if draft.again else "",
    }
    return reviews.Outcome(facts)


def _send(workspace: Workspace, ref: str, draft: Draft, *, is_new: bool) -> Function:
    functions, flags, content, slug = workspace.management.functions, draft.flags, draft.content, draft.slug
    text = content.text
    if is_new and text is not None:
        return functions.create(
            ref, slug=slug, name=flags.name, body=text, verify_jwt=flags.verify_jwt, import_map=bool(flags.import_map)
        )
    if is_new:
        return functions.create_bundle(
            ref,
            slug=slug,
            name=flags.name,
            bundle=content.data,
            verify_jwt=flags.verify_jwt,
            import_map=bool(flags.import_map),
            entrypoint_path=flags.entrypoint_path,
            import_map_path=flags.import_map_path,
        )
    if text is not None:
        return functions.update(ref, slug, name=flags.name, body=text, verify_jwt=flags.verify_jwt, import_map=flags.import_map)
    return functions.update_bundle(
        ref,
        slug,
        name=flags.name,
        bundle=content.data,
        verify_jwt=flags.verify_jwt,
        import_map=flags.import_map,
        entrypoint_path=flags.entrypoint_path,
        import_map_path=flags.import_map_path,
    )


RULES = tuple(Rule(operation, read_state, is_changed, then=keep_found) for operation in ("M9", "M12"))
