"""What a planned deployment would change, before anything is sent."""

from dataclasses import dataclass

from dashboard.features.functions.rules.bundles import Content
from dashboard.features.functions.rules.labels import Flags, flags_of, version_of, yes
from dashboard.features.functions.services import details, versions
from dashboard.features.functions.services.deploy import Planned, running
from dashboard.features.functions.services.details import Live
from dashboard.interfaces.management.functions import Function
from dashboard.tokens.workspace import Workspace


@dataclass(frozen=True, slots=True)
class FlagChange:
    """One flag, as it is and as it would be; `now` is empty where there is no function yet."""

    name: str
    now: str
    then: str

    @property
    def changes(self) -> bool:
        return bool(self.now) and self.now != self.then


@dataclass(frozen=True, slots=True)
class Review:
    """A plan, ready to print. The two texts are None where there is nothing that can be compared line by line."""

    is_new: bool
    was_removed: bool
    version: str
    flags: tuple[FlagChange, ...]
    opens: bool
    is_open: bool
    content: Content
    live: Content | None
    same_body: bool
    old_text: str | None
    new_text: str | None
    again: str
    then_flags: str


def review(workspace: Workspace, ref: str, planned: Planned, function: Function | None, live: Live) -> Review:
    """Compare a plan with what the service has. `live` holds no body where there is none to replace."""
    there = running(function)
    now, then = flags_of(there) if there else None, planned.flags
    again = planned.row.again
    return Review(
        is_new=there is None,
        was_removed=function is not None and there is None,
        version=version_of(there.version) if there else "",
        flags=_flag_changes(now, then, planned.content),
        opens=now is not None and now.verify_jwt and not then.verify_jwt,
        is_open=not then.verify_jwt,
        content=planned.content,
        live=live.content,
        same_body=live.content is not None and live.content.digest == planned.content.digest,
        old_text=details.readable_text(workspace, ref, there, live) if there else None,
        new_text=planned.content.text,
        again=version_of(again.version) if again else "",
        then_flags=_flags_then(planned) if again else "",
    )


def known_body(workspace: Workspace, ref: str, function: Function | None) -> Live:
    """The body of this version as it was kept when the plan was shown: no call more for showing it again."""
    if function is None:
        return Live()
    for seen in versions.seen_as(workspace, ref, function):
        if not seen.sent and (content := versions.open_body(seen.body)):
            return Live(content=content)
    return Live()


def _flag_changes(now: Flags | None, then: Flags, content: Content) -> tuple[FlagChange, ...]:
    """Each flag; the paths only for a bundle, and only where they are or were given."""
    changes = [
        FlagChange("name", now.name if now else "", then.name),
        FlagChange("verify_jwt", yes(now.verify_jwt) if now else "", yes(then.verify_jwt)),
        FlagChange("import_map", yes(now.import_map) if now else "", yes(then.import_map)),
    ]
    for name in ("entrypoint_path", "import_map_path"):
        old, new = getattr(now, name, ""), getattr(then, name)
        if (old or new) and content.kind != "source":
            changes.append(FlagChange(name, (old or "not set") if now else "", new or "not sent"))
    return tuple(changes)


def _flags_then(planned: Planned) -> str:
    """How the flags were with the version that is deployed again, where they differ from those that go with it now."""
    again, flags = planned.row.again, planned.flags
    if again is None:
        return ""
    told = [("verify_jwt", again.verify_jwt, flags.verify_jwt), ("import_map", again.import_map, flags.import_map)]
    return ", ".join(f"{name} was {yes(old)}" for name, old, new in told if old is not None and old != new)
