"""Pages of one project's custom hostname."""

from dataclasses import replace

from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse, QueryDict
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from dashboard.features.hostname.forms import CHECKLIST, ActivationForm, HostnameForm, VerificationForm
from dashboard.features.hostname.services import checks, hostname, instructions, setup
from dashboard.features.hostname.services import watch as watch_service
from dashboard.features.hostname.services.hostname import Memory
from dashboard.features.hostname.services.setup import TOUCHES
from dashboard.features.hostname.views import panel
from dashboard.interfaces.management.hostname import HostnameConfiguration
from dashboard.jobs.settlement import observe, require_settled
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.answers import done, page, submit
from dashboard.web.confirm import confirm, sought
from dashboard.web.htmx import wants_part
from dashboard.web.parallel import side_by_side

PANEL, RECORDS, WATCH, LINKS = "hostname-panel", "hostname-records", "hostname-watch", "hostname-links"
CHANGED = "hostname"


@require_GET
@with_workspace
def index(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """The page; for htmx the panel (M15), the records (DNS only), or the watch and the links (nobody is asked)."""
    workspace = request.workspace
    target = request.htmx.target if wants_part(request) else ""
    if target in PARTS and (memory := hostname.recall(workspace, ref)):
        return PARTS[target](request, ref, memory)
    if target == PANEL:
        seen, name = hostname.read(workspace, ref), ref
    else:
        seen, (name, _) = side_by_side(lambda: hostname.read(workspace, ref), lambda: hostname.project_of(workspace, ref))
    memory = hostname.remember(workspace, ref, seen)
    observe(workspace, ref, seen, "M16", "M17", "M18", "M19")
    parts = {PANEL: "hostname/_panel.html", RECORDS: "hostname/_records.html", WATCH: "hostname/_watch.html"}
    return page(request, "hostname/index.html", {**_shown(request, ref, seen, memory), "name": name}, parts=parts)


@require_http_methods(["GET", "POST"])
@with_workspace
def new(request: WorkspaceRequest, ref: str) -> HttpResponse:
    workspace = request.workspace
    require_settled(workspace, ref, *TOUCHES)
    name, target = hostname.project_of(workspace, ref)
    form = HostnameForm(_typed(request), target=target, initial={"custom_hostname": request.GET.get("hostname", "")})

    def perform() -> Memory:
        host = form.cleaned_data["custom_hostname"]
        _look_first(form, host, target)
        return setup.initialize(workspace, ref, host, watch=form.cleaned_data["watch"])

    def then(memory: Memory) -> HttpResponse:
        return done(request, f"{memory.known.hostname} was set up. Publish its records next.", changed=CHANGED, to=_home(ref))

    context = {"title": "Set up a custom hostname", "lead": f"For {name}.", "back": _home(ref), "button": "Set up hostname"}
    return submit(request, form, "hostname/_form.html", perform=perform, then=then, context=context)


@require_http_methods(["GET", "POST"])
@with_workspace
def verification(request: WorkspaceRequest, ref: str) -> HttpResponse:
    workspace = request.workspace
    require_settled(workspace, ref, *TOUCHES)
    memory = _remembered(request, ref)
    host, before = memory.known.hostname, memory.known.status

    def then(after: Memory) -> HttpResponse:
        shown = panel.panel_of(None, after)
        if shown.status == before:
            return done(request, _stays(after), changed=CHANGED, to=_home(ref), tone="info")
        return done(request, f"{host} moved on: {shown.word}.", changed=CHANGED, to=_home(ref))

    return submit(
        request,
        VerificationForm(_typed(request)),
        "hostname/_form.html",
        perform=lambda: setup.reverify(workspace, ref, host=host, status=before),
        then=then,
        context={
            "title": f"Verify {host}",
            "lead": "The service looks the records up itself, at most ten times a minute.",
            "back": _home(ref),
            "button": "Verify now",
        },
    )


@require_http_methods(["GET", "POST"])
@with_workspace
def activation(request: WorkspaceRequest, ref: str) -> HttpResponse:
    workspace = request.workspace
    require_settled(workspace, ref, *TOUCHES)
    seen = _set_up(request, ref)
    host = seen.custom_hostname
    context = {
        "title": f"Activate {host}",
        "lead": "Tick what is so. All of it has to be, before anything is sent.",
        "back": _home(ref),
        "button": f"Activate {host}",
        "checklist": CHECKLIST,
    }

    def then(after: Memory) -> HttpResponse:
        shown = panel.panel_of(None, after)
        if not shown.is_active:
            told = f"The service took it, and says of {host}: {shown.word}."
            return done(request, told, changed=CHANGED, to=_home(ref), tone="info")
        return done(request, f"{host} is active.", changed=CHANGED, to=_home(ref))

    return submit(
        request,
        ActivationForm(_typed(request)),
        "hostname/_form.html",
        perform=lambda: setup.activate(workspace, ref, host=host, status=seen.status.value),
        then=then,
        context=context,
    )


@require_http_methods(["GET", "POST"])
@with_workspace
def delete(request: WorkspaceRequest, ref: str) -> HttpResponse:
    require_settled(request.workspace, ref, *TOUCHES)
    seen = sought(request, lambda: _set_up(request, ref))
    if seen is None:
        return done(request, "The custom hostname is gone already.", changed=CHANGED, to=_home(ref))
    host = seen.custom_hostname
    told = len(instructions.links_of(request.workspace, ref, host))
    return confirm(
        request,
        title=f"Delete {host}?",
        button=f"Delete {host}",
        typed=host,
        consequences=[
            "The project stops answering under this name at once, and so do sign-in and links that use it.",
            "Setting it up again starts from the first step, with new records and a new certificate.",
            "The add-on that the service bills for custom hostnames is not cancelled by this.",
            *([f"Live links with its DNS records that lead to nothing then: {told:,}."] if told else []),
            "Your DNS records stay as they are: remove them yourself, or the name points to where nothing answers.",
        ],
        perform=lambda: setup.delete(request.workspace, ref, host=host, status=seen.status.value),
        then=lambda _: done(request, f"{host} was deleted.", changed=CHANGED, to=_home(ref)),
        back=_home(ref),
    )


@require_POST
@with_workspace
def watch(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """Begin to watch, or stop."""
    if request.POST.get("act") == "stop":
        watch_service.stop_watch(request.workspace, ref)
        return done(request, "Nobody watches the records any more.", changed=CHANGED, to=_home(ref))
    _remembered(request, ref)
    watch_service.start_watch(request.workspace, ref)
    return done(request, "The records are being watched.", changed=CHANGED, to=_home(ref))


def _shown(request: WorkspaceRequest, ref: str, seen: HostnameConfiguration | None, memory: Memory) -> dict[str, object]:
    now = request.GET.get("check") == "now" and memory.known.setup
    examination = checks.examine(memory) if now else None
    return {
        "ref": ref,
        "here": request.get_full_path(),
        "panel": panel.panel_of(seen, memory),
        "records": panel.records_of(memory, examination, zone=request.GET.get("zone", "")),
        "watch": watch_service.find_watch(request.workspace, ref),
        "links": instructions.links_of(request.workspace, ref, memory.known.hostname),
    }


def _records(request: WorkspaceRequest, ref: str, memory: Memory) -> HttpResponse:
    records = panel.records_of(memory, checks.examine(memory), zone=request.GET.get("zone", ""))
    context = {"ref": ref, "records": records, "panel": panel.panel_of(None, memory), "here": request.get_full_path()}
    return page(request, "hostname/_records.html", context)


def _watch(request: WorkspaceRequest, ref: str, memory: Memory) -> HttpResponse:
    """The watch's line. What changed since the page was drawn (`mark`) makes the rest of it fetch itself."""
    shown = panel.panel_of(None, memory)
    found = watch_service.find_watch(request.workspace, ref)
    response = page(request, "hostname/_watch.html", {"ref": ref, "panel": shown, "watch": found, "here": request.path})
    if request.GET.get("mark", shown.mark) != shown.mark:
        response["HX-Trigger"] = f"{CHANGED}:changed"
    return response


def _links(request: WorkspaceRequest, ref: str, memory: Memory) -> HttpResponse:
    links = instructions.links_of(request.workspace, ref, memory.known.hostname)
    return page(request, "hostname/_links.html", {"ref": ref, "links": links})


# What fetches itself, without asking the service.
PARTS = {RECORDS: _records, WATCH: _watch, LINKS: _links}


def _look_first(form: HostnameForm, host: str, target: str) -> None:
    """Raise `ValidationError` where no CNAME can stand, or where it is not found and the person has not said to go on."""
    if checks.is_top_of_zone(host):
        top = f"{host} is the top of a zone of its own: name servers are named there, so no CNAME can be. Use a name below it."
        raise ValidationError({"custom_hostname": top})
    if not target or form.goes_on:
        return
    found = checks.examine_before(host, target)
    if not found.is_right:
        form.ask(replace(found, expected=target))
        raise ValidationError([])


def _stays(memory: Memory) -> str:
    trouble = f" It says: {memory.known.troubles[0]}" if memory.known.troubles else ""
    return f"The service looked, and nothing moved on yet.{trouble}"


def _remembered(request: WorkspaceRequest, ref: str) -> Memory:
    """What is known of the hostname, read anew only where nothing is; 404 where none is set up."""
    memory = hostname.recall(request.workspace, ref)
    if memory is None or not memory.known.setup:
        memory = hostname.remember(request.workspace, ref, hostname.read(request.workspace, ref))
    if not memory.known.setup:
        raise Http404("No custom hostname is set up.")
    return memory


def _set_up(request: WorkspaceRequest, ref: str) -> HostnameConfiguration:
    """The configuration, freshly read (M15); 404 where none is set up."""
    seen = hostname.read(request.workspace, ref)
    if seen is None:
        raise Http404("No custom hostname is set up.")
    return seen


def _typed(request: WorkspaceRequest) -> QueryDict | None:
    """What was posted, even when every field of it is empty."""
    return request.POST if request.method == "POST" else None


def _home(ref: str) -> str:
    return reverse("hostname:index", args=[ref])
