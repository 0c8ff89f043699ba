"""Change the settings of a function, and delete it."""

from django.core.exceptions import ValidationError
from django.http import HttpResponse, QueryDict
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from dashboard.features.functions.forms import SettingsForm
from dashboard.features.functions.rules import flags_of, on_button, revision
from dashboard.features.functions.services import functions, settings
from dashboard.features.functions.services.functions import Live
from dashboard.features.functions.services.verification import Checked, touched
from dashboard.features.functions.services.versions import KEPT_MAX_BYTES, is_kept
from dashboard.jobs.settlement import require_settled
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.answers import done, submit
from dashboard.web.confirm import confirm, sought
from dashboard.web.parallel import side_by_side
from dashboard.web.problems import sentence
from dashboard.web.text import bytes_text


@require_http_methods(["GET", "POST"])
@with_workspace
def edit(request: WorkspaceRequest, ref: str, slug: str) -> HttpResponse:
    workspace = request.workspace
    require_settled(workspace, ref, touched(slug))
    function = functions.get_function(workspace, ref, slug)
    live = flags_of(function)
    form = SettingsForm(_posted(request), live=live, revision=revision(function))
    is_opening = form.is_bound and not form.is_valid() and "open" in form.fields

    def perform() -> Checked:
        checked = settings.change_settings(workspace, ref, function, form.flags(slug=slug, known=live))
        if problem := _problem(checked):
            raise ValidationError(problem)
        return checked

    def then(_: Checked) -> HttpResponse:
        message = f"Settings of {slug} saved and verified."
        return done(request, message, changed="functions", to=reverse("functions:show", args=[ref, slug]))

    context = {
        "title": f"Settings of {slug}",
        "back": reverse("functions:show", args=[ref, slug]),
        "button": f"Make {on_button(slug)} public" if is_opening else "Save settings",
        "opening": is_opening,
        "is_reported": function.verify_jwt is not None,
    }
    return submit(request, form, "functions/_settings.html", perform=perform, then=then, context=context)


@require_http_methods(["GET", "POST"])
@with_workspace
def delete(request: WorkspaceRequest, ref: str, slug: str) -> HttpResponse:
    workspace = request.workspace
    workspace.require("management")
    require_settled(workspace, ref, touched(slug))
    home, own = reverse("functions:index", args=[ref]), reverse("functions:show", args=[ref, slug])
    here = request.htmx.current_url_abs_path or ""
    changed = () if here.startswith(own) else "functions"
    read = sought(
        request,
        lambda: side_by_side(
            lambda: functions.get_function(workspace, ref, slug), lambda: functions.read_body(workspace, ref, slug)
        ),
    )
    if read is None:
        return done(request, f"Function {slug} was already deleted.", changed=changed, to=home)
    function, live = read
    content = live.content if live.content and is_kept(live.content) else None

    def then(_deleted: object) -> HttpResponse:
        message = f"Function {slug} deleted. Its body is kept here." if content else f"Function {slug} deleted."
        link = ("Kept versions", reverse("functions:versions", args=[ref, slug])) if content else None
        return done(request, message, changed=changed, to=home, link=link)

    return confirm(
        request,
        title=f"Delete {slug}?",
        button=f"Delete {on_button(slug)}",
        typed=slug if content else f"{slug} without its body",
        consequences=[
            "Calls to it fail at once. The service can't restore it.",
            _body_consequence(live),
        ],
        perform=lambda: settings.delete_function(workspace, ref, function, content),
        then=then,
        back=own,
    )


def _problem(checked: Checked) -> str:
    if checked.unread is not None:
        return (
            f"The service confirmed the change, but it could not be verified. {sentence(checked.unread)} "
            "Check the function before you save again."
        )
    if checked.findings:
        found = " ".join(finding.sentence for finding in checked.findings)
        return f"The service confirmed the change but didn't apply it. {found}"
    return ""


def _body_consequence(live: Live) -> str:
    if live.failure is not None:
        return f"Its body could not be read, so it is not kept. {sentence(live.failure)}"
    if live.content and not is_kept(live.content):
        return (
            f"Its body is not kept: it has {bytes_text(live.content.size)}, the limit is {bytes_text(KEPT_MAX_BYTES)}. "
            "Download it first if you may need it."
        )
    return "Its body is kept here. Deploying it again creates a new function, with a new id, at the same address."


def _posted(request: WorkspaceRequest) -> QueryDict | None:
    """The posted fields; also if all of them are empty, unlike `request.POST or None`."""
    return request.POST if request.method == "POST" else None
