"""From a body that somebody has to a version that the service runs: planned, looked at, sent, read back."""

from dataclasses import dataclass, replace
from datetime import timedelta

from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404
from django.utils import timezone

from dashboard.features.functions.models import Body, Deployment, Seen
from dashboard.features.functions.rules.bundles import Content
from dashboard.features.functions.rules.labels import Flags, flags_of, version_of
from dashboard.features.functions.services import versions
from dashboard.features.functions.services.verification import Checked, send_and_read_back, touched, wanted_of
from dashboard.interfaces.errors import NotAllowed
from dashboard.interfaces.management.functions import Function, FunctionStatus
from dashboard.jobs.settlement import Wanted, settle
from dashboard.tokens.models import Kind
from dashboard.tokens.workspace import Workspace

KEPT_FOR = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Planned:
    """A deployment with what it would send."""

    row: Deployment
    content: Content
    flags: Flags


def plan_deployment(
    workspace: Workspace, ref: str, slug: str, content: Content, flags: Flags, *, again: Seen | None = None
) -> Deployment:
    """Put a body and flags aside, to be looked at before they are sent. Asks nobody."""
    Deployment.objects.filter(made_at__lt=timezone.now() - KEPT_FOR).delete()
    Body.objects.filter(seen=None).exclude(pk__in=Deployment.objects.values("body")).delete()
    with transaction.atomic():
        return Deployment.objects.create(
            person=workspace.person,
            body=again.body if again else versions.store(workspace, ref, slug, content),
            name=flags.name,
            verify_jwt=flags.verify_jwt,
            import_map=flags.import_map,
            entrypoint_path=flags.entrypoint_path,
            import_map_path=flags.import_map_path,
            again=again,
        )


def find_deployment(workspace: Workspace, ref: str, slug: str, pk: int) -> Deployment:
    """The person's own, made with the token of now; 404 otherwise."""
    mine = Deployment.objects.filter(
        person=workspace.person, body__token=workspace.fingerprint(Kind.MANAGEMENT), body__ref=ref, body__slug=slug
    )
    found = mine.select_related("body", "again").filter(pk=pk, made_at__gt=timezone.now() - KEPT_FOR).first()
    if found is None:
        raise Http404("There is no such deployment, or it is older than a day.")
    return found


def open_deployment(row: Deployment) -> Planned:
    """What would be sent; 404 where the body can't be opened any more."""
    content = versions.open_body(row.body)
    if content is None:
        raise Http404("What sealed this body is gone.")
    flags = Flags(row.name, row.verify_jwt, row.import_map, row.entrypoint_path, row.import_map_path)
    return Planned(row=row, content=content, flags=flags)


def flags_for_again(seen: Seen, live: Function | None) -> Flags:
    """The current flags, or those the body had where nothing is deployed; always with the body's own paths."""
    if (current := running(live)) is not None:
        flags = flags_of(current)
    else:
        flags = Flags(seen.name or seen.body.slug, verify_jwt=seen.verify_jwt is not False, import_map=seen.import_map)
    return replace(flags, entrypoint_path=seen.entrypoint_path, import_map_path=seen.import_map_path)


def running(live: Function | None) -> Function | None:
    """The function that a body would replace: none, too, where it is only listed as removed."""
    return None if live is None or live.status is FunctionStatus.REMOVED else live


def deploy(workspace: Workspace, ref: str, planned: Planned, live: Function | None, *, note: str) -> Checked:
    """Send a planned body (M9 where there is no function, else M12) with every flag, read it back (M11), and keep it."""
    row, slug = planned.row, planned.row.body.slug
    live = running(live)
    before = {**flags_of(live).journaled(), "version": version_of(live.version)} if live else None
    body = {"body": f"sha256:{planned.content.digest}"} | ({"note": note} if note else {})
    operation, wanted = "M12" if live else "M9", wanted_of(slug, planned.flags, before=live.version if live else None)
    wanted |= {"deployment": row.pk, "note": note}
    checked: Checked | None = None
    try:
        with settle(workspace, operation, target=touched(slug), place=ref, before=before, wanted=wanted) as change:
            change.after = body | ({"body of version": version_of(row.again.version)} if row.again else {})
            checked = send_and_read_back(
                workspace,
                ref,
                slug,
                planned.flags,
                change,
                send=lambda: _send(workspace, ref, planned, live),
            )
    except NotAllowed as refused:
        if refused.status == 402:
            said = f" It said: “{refused.text}”" if refused.text else ""
            raise ValidationError(f"The plan of this project's organization allows no more functions.{said}") from None
        raise
    checked = checked or Checked(function=change.found)
    _keep(workspace, ref, row, planned.content, checked, note=note)
    return checked


def keep_found(workspace: Workspace, ref: str, wanted: Wanted, function: Function) -> None:
    """Keep a deployment whose answer was lost, now that it is known to be done."""
    row = Deployment.objects.select_related("body", "again").filter(pk=wanted.get("deployment", 0)).first()
    if row and (content := versions.open_body(row.body)):
        _keep(workspace, ref, row, content, Checked(function=function), note=wanted["note"])


def _keep(workspace: Workspace, ref: str, row: Deployment, content: Content, checked: Checked, *, note: str) -> None:
    if checked.function is not None:
        versions.keep(workspace, ref, checked.function, content, sent=True, note=_note(row, note))
    row.state = Deployment.State.SENT if checked.unread is None else Deployment.State.UNREAD
    row.note, row.findings = note, [finding.sentence for finding in checked.findings]
    row.save(update_fields=["state", "note", "findings"])


def _send(workspace: Workspace, ref: str, planned: Planned, live: Function | None) -> Function:
    functions, flags, content, slug = workspace.management.functions, planned.flags, planned.content, planned.row.body.slug
    text = content.text
    if live is None and text is not None:
        return functions.create(
            ref, slug=slug, name=flags.name, body=text, verify_jwt=flags.verify_jwt, import_map=bool(flags.import_map)
        )
    if live is None:
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


def _note(row: Deployment, note: str) -> str:
    """The note of the new version; one that was deployed again says of which it has the body."""
    if row.again is None:
        return note
    return f"Body of version {version_of(row.again.version)} again. {note}".strip()[:500]
