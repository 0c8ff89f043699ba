"""Change the settings of a function (M12), and delete it (M13)."""

from django.core.exceptions import ValidationError

from dashboard.features.functions.rules import Content, Flags, flags_of, version_of
from dashboard.features.functions.services import versions
from dashboard.features.functions.services.verification import Checked, send_and_verify, touched, wanted_of
from dashboard.interfaces.management.functions import Function
from dashboard.jobs.settlement import settle
from dashboard.tokens.workspace import Workspace


def change_settings(workspace: Workspace, ref: str, function: Function, flags: Flags) -> Checked:
    """Send every flag (M12), changed or not, and verify them (M11)."""
    before = flags_of(function).journaled() | {"version": version_of(function.version)}
    wanted = wanted_of(function.slug, flags, before=function.version)
    with settle(workspace, "M12", target=touched(function.slug), place=ref, before=before, wanted=wanted) as change:
        return send_and_verify(
            workspace,
            ref,
            function.slug,
            flags,
            change,
            send=lambda: workspace.management.functions.update(
                ref, function.slug, name=flags.name, verify_jwt=flags.verify_jwt, import_map=flags.import_map
            ),
        )
    return Checked(function=change.found)


def delete_function(workspace: Workspace, ref: str, function: Function, content: Content | None) -> None:
    """Keep the body, then delete the function (M13). `content` is None only if the person agreed to lose it."""
    if content is not None and versions.keep(workspace, ref, function, content) is None:
        raise ValidationError("Nothing was deleted: the body is too large to be kept.")
    kept = f"sha256:{content.digest}" if content else "not kept"
    before = flags_of(function).journaled() | {"version": version_of(function.version), "body": kept}
    wanted = {"slug": function.slug}
    with settle(workspace, "M13", target=touched(function.slug), place=ref, before=before, wanted=wanted):
        workspace.management.functions.delete(ref, function.slug)
