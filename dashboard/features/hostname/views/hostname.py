"""Pages of one project's custom hostname."""

from dataclasses import replace

from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from dashboard.features.hostname.forms import ActivationForm, HostnameForm, VerificationForm
from dashboard.features.hostname.models import Purpose, Verdict
from dashboard.features.hostname.rules import steps
from dashboard.features.hostname.services import checks, dns, hostname, instructions, overview
from dashboard.features.hostname.services import watch as watch_service
from dashboard.features.hostname.services.dns import Examination
from dashboard.features.hostname.services.hostname import TOUCHES, Memory
from dashboard.features.hostname.services.inspection import inspect
from dashboard.features.hostname.views import panel
from dashboard.features.hostname.views.next_step import next_step_of
from dashboard.interfaces.management.hostname import HostnameConfiguration, HostnameStatus
from dashboard.jobs.settlement import observe, require_settled
from dashboard.team.rights import needs
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.sandbox import sandbox_tls
from dashboard.web.failures.operations import sends
from dashboard.web.input.forms import posted
from dashboard.web.pages.answers import done, page, submit
from dashboard.web.pages.confirm import confirm, sought
from dashboard.web.pages.htmx import wants_part
from dashboard.web.process.parallel import side_by_side
from dashboard.web.text import counted

PANEL, RECORDS, WATCH, LINKS = "hostname-panel", "hostname-records", "hostname-watch", "hostname-links"
CERTIFICATE = "hostname-certificate"
CHANGED, SEEN = "hostname", "hostname-dns"
VERIFIED = (HostnameStatus.ORIGIN_SETUP_COMPLETED, HostnameStatus.SERVICES_RECONFIGURED)


@require_GET
@with_workspace
def index(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """The page; for htmx the panel (M15), the records (DNS, M15 if it is due), or the watch, certificate or links (no call)."""
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
    parts = {PANEL: "hostname/_panel.html", RECORDS: "hostname/_next_step.html", WATCH: "hostname/_watch.html"}
    return page(request, "hostname/index.html", {**_shown(request, ref, seen, memory), "name": name}, parts=parts)


@require_http_methods(["GET", "POST"])
@with_workspace
@sends("M17")
def new(request: WorkspaceRequest, ref: str) -> HttpResponse:
    workspace = request.workspace
    if request.method == "GET":
        require_settled(workspace, ref, *TOUCHES)
    name, target = hostname.project_of(workspace, ref)
    form = HostnameForm(posted(request), target=target, initial={"custom_hostname": request.GET.get("hostname", "")})

    def perform() -> Memory:
        host = form.cleaned_data["custom_hostname"]
        _check_cname(form, host, target)
        return hostname.initialize(workspace, ref, host, watch=form.cleaned_data["watch"])

    def then(memory: Memory) -> HttpResponse:
        return done(request, f"{memory.known.hostname} set up. Add its DNS records next.", changed=CHANGED, to=_home(ref))

    context = {"title": "Set up hostname", "lead": f"For {name}.", "back": _home(ref), "button": "Set up hostname"}
    return submit(request, form, perform=perform, then=then, context=context)


@require_http_methods(["GET", "POST"])
@with_workspace
@sends("M18")
def verification(request: WorkspaceRequest, ref: str) -> HttpResponse:
    workspace = request.workspace
    if request.method == "GET":
        require_settled(workspace, ref, *TOUCHES)
    seen = _set_up(request, ref)
    host, before = seen.custom_hostname, seen.status.value
    if seen.status in VERIFIED:
        return done(request, f"{host}: {steps.word_of(before).lower()}.", changed=CHANGED, to=_home(ref))

    def then(after: Memory) -> HttpResponse:
        shown = panel.panel_of(None, after)
        if shown.status == before:
            return done(request, _unchanged(after), changed=CHANGED, to=_home(ref), tone="info")
        return done(request, f"{host}: {steps.word_of(shown.status).lower()}.", changed=CHANGED, to=_home(ref))

    return submit(
        request,
        VerificationForm(posted(request)),
        perform=lambda: hostname.reverify(workspace, ref, host=host, status=before),
        then=then,
        context={
            "title": f"Verify {host}",
            "lead": "The service looks the records up, at most ten times a minute.",
            "back": _home(ref),
            "button": "Verify now",
        },
    )


@require_http_methods(["GET", "POST"])
@with_workspace
@sends("M19")
def activation(request: WorkspaceRequest, ref: str) -> HttpResponse:
    workspace = request.workspace
    if request.method == "GET":
        require_settled(workspace, ref, *TOUCHES)
    seen = _set_up(request, ref)
    host = seen.custom_hostname
    if seen.status == HostnameStatus.SERVICES_RECONFIGURED:
        return done(request, f"{host} is already active.", changed=CHANGED, to=_home(ref))
    context = {
        "title": f"Activate {host}",
        "lead": "Confirm each point to activate.",
        "back": _home(ref),
        "button": f"Activate {host}",
    }

    def then(after: Memory) -> HttpResponse:
        shown = panel.panel_of(None, after)
        if not shown.is_active:
            message = f"The service accepted the request and reports: {steps.word_of(shown.status).lower()}."
            return done(request, message, changed=CHANGED, to=_home(ref), tone="info")
        return done(request, f"{host} is active.", changed=CHANGED, to=_home(ref))

    return submit(
        request,
        ActivationForm(posted(request)),
        perform=lambda: hostname.activate(workspace, ref, host=host, status=seen.status.value),
        then=then,
        context=context,
    )


@require_http_methods(["GET", "POST"])
@with_workspace
@sends("M16")
def delete(request: WorkspaceRequest, ref: str) -> HttpResponse:
    if request.method == "GET":
        require_settled(request.workspace, ref, *TOUCHES)
    seen = sought(request, lambda: _set_up(request, ref))
    if seen is None:
        return done(request, "The custom hostname was already deleted.", changed=CHANGED, to=_home(ref))
    host = seen.custom_hostname
    links = len(instructions.links_of(request.workspace, ref, host))
    return confirm(
        request,
        title=f"Delete {host}?",
        button=f"Delete {host}",
        typed=host,
        consequences=[
            "The project stops answering under this name at once, including sign-in and links.",
            "Setting it up again needs new records and a new certificate.",
            "The service's paid add-on isn't cancelled.",
            *([f"Active links to its DNS records that stop working: {links:,}."] if links else []),
            "Your DNS records stay: remove them yourself.",
        ],
        perform=lambda: hostname.delete(request.workspace, ref, host=host, status=seen.status.value),
        then=lambda _: done(request, f"{host} deleted.", changed=CHANGED, to=_home(ref)),
        back=_home(ref),
    )


@require_POST
@with_workspace
@needs("hostname watched")
def watch(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """Start or stop the automatic check."""
    if request.POST.get("act") == "stop":
        watch_service.stop_watch(request.workspace, ref)
        return done(request, "Automatic check stopped.", changed=CHANGED, to=_home(ref))
    _remembered(request, ref)
    watch_service.start_watch(request.workspace, ref)
    return done(request, "Automatic check started.", changed=CHANGED, to=_home(ref))


@require_POST
@with_workspace
def check(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """Check the records and the certificate now."""
    memory = inspect(request.workspace, ref, settings.DNS_RESOLVERS, sandbox=sandbox_tls(request.user))
    if not memory.known.setup:
        raise Http404("No custom hostname is set up.")
    found = memory.check
    tone = {Verdict.VERIFIED: "good", Verdict.INVALID: "danger"}.get(Verdict(found.verdict), "info")
    message = " ".join(filter(None, (f"Certificate: {Verdict(found.verdict).label.lower()}.", found.problem)))
    return done(request, message, changed=CHANGED, to=_home(ref), tone=tone)


@require_POST
@with_workspace
@needs("hostname watched")
def daily(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """Start, take over or stop the daily check. It belongs to the project, so the hostname is read first (M15)."""
    _set_up(request, ref)
    if request.POST.get("act") == "stop":
        watch_service.stop_daily(ref)
        return done(request, "Daily check stopped.", changed=CHANGED, to=_home(ref))
    watch_service.start_daily(request.workspace, ref)
    return done(request, "Daily check started.", changed=CHANGED, to=_home(ref))


@require_POST
@with_workspace
@needs("hostname watched")
def daily_all(request: WorkspaceRequest) -> HttpResponse:
    """Start the daily checks of all projects, or stop the person's own."""
    if request.POST.get("act") == "stop":
        stopped = watch_service.stop_dailies(request.workspace.person)
        message = f"{counted(stopped, 'daily check')} stopped." if stopped else "No hostname is checked daily for you."
    else:
        request.workspace.require("management")
        begun = overview.start_dailies(request.workspace)
        message = f"{counted(begun, 'daily check')} started." if begun else "Each active hostname is checked daily already."
    return done(request, message, changed="projects", to=reverse("home:hostnames"))


def _shown(request: WorkspaceRequest, ref: str, seen: HostnameConfiguration | None, memory: Memory) -> dict[str, object]:
    now = request.GET.get("check") == "now" and memory.known.setup
    examination = dns.examine(memory, settings.DNS_RESOLVERS) if now else None
    return {
        "certificate": panel.certificate_of(memory.check),
        "daily": watch_service.find_daily(request.workspace, ref),
        "down": hostname.down_sentence_of(request.workspace, ref),
        "history": panel.history_of(checks.list_events(ref), memory.known.hostname),
        "links": instructions.links_of(request.workspace, ref, memory.known.hostname),
        **_next_step(request, ref, panel.panel_of(seen, memory), memory, examination),
    }


def _next_step(
    request: WorkspaceRequest, ref: str, shown: panel.Panel, memory: Memory, examination: Examination | None
) -> dict[str, object]:
    """What is to be done now: the sentence, the records, the automatic check."""
    records = panel.records_of(memory, examination, zone=request.GET.get("zone", ""))
    watch = watch_service.find_watch(request.workspace, ref)
    step = next_step_of(shown, records, memory.check, watch)
    return {"ref": ref, "here": request.get_full_path(), "panel": shown, "records": records, "watch": watch, "next_step": step}


def _records(request: WorkspaceRequest, ref: str, drawn: Memory) -> HttpResponse:
    """What is to be done now. If another hostname was set up since the page was drawn, the page refetches itself."""
    memory = instructions.current(request.workspace, ref)
    examination = dns.examine(memory, settings.DNS_RESOLVERS)
    response = page(
        request, "hostname/_next_step.html", _next_step(request, ref, panel.panel_of(None, memory), memory, examination)
    )
    if memory.known.setup != drawn.known.setup:
        response["HX-Trigger"] = f"{CHANGED}:changed"
    return response


def _watch(request: WorkspaceRequest, ref: str, memory: Memory) -> HttpResponse:
    """The watch alone. The page refetches itself once the state changed (`mark`), the records once DNS did (`seen`)."""
    shown = panel.panel_of(None, memory)
    found = watch_service.find_watch(request.workspace, ref)
    response = page(request, "hostname/_watch.html", {"ref": ref, "panel": shown, "watch": found, "here": request.path})
    seen = found.seen if found else ""
    if request.GET.get("mark", shown.mark) != shown.mark:
        response["HX-Trigger"] = f"{CHANGED}:changed"
    elif request.GET.get("seen", seen) != seen:
        response["HX-Trigger"] = f"{SEEN}:changed"
    return response


def _links(request: WorkspaceRequest, ref: str, memory: Memory) -> HttpResponse:
    links = instructions.links_of(request.workspace, ref, memory.known.hostname)
    return page(request, "hostname/_links.html", {"ref": ref, "links": links})


def _certificate(request: WorkspaceRequest, ref: str, memory: Memory) -> HttpResponse:
    daily = watch_service.find_daily(request.workspace, ref)
    shown = {"panel": panel.panel_of(None, memory), "certificate": panel.certificate_of(memory.check)}
    return page(request, "hostname/_certificate.html", {"ref": ref, "daily": daily, **shown})


# Parts that load from what is remembered.
PARTS = {RECORDS: _records, WATCH: _watch, LINKS: _links, CERTIFICATE: _certificate}


def _check_cname(form: HostnameForm, host: str, target: str) -> None:
    """Raise `ValidationError` where no CNAME is possible, or it isn't correct and the person hasn't confirmed."""
    if dns.is_top_of_zone(host, settings.DNS_RESOLVERS):
        top = f"{host} has name servers of its own, so it can't have a CNAME. Use a name below it."
        raise ValidationError({"custom_hostname": top})
    if not target or form.is_set_up_anyway:
        return
    found = dns.examine_before(host, target, settings.DNS_RESOLVERS)
    if not found.is_right:
        form.ask(replace(found, expected=target))
        raise ValidationError([])


def _unchanged(memory: Memory) -> str:
    trouble = f" The service reports: {memory.known.troubles[0]}" if memory.known.troubles else ""
    asked = {record.purpose for record in memory.records if record.asked}
    if Purpose.OWNERSHIP in asked or not memory.records:
        return f"Not verified yet.{trouble}"
    next_step = "Add the certificate record next." if Purpose.CERTIFICATE in asked else "The certificate isn't in place yet."
    return f"Ownership verified. {next_step}{trouble}"


def _remembered(request: WorkspaceRequest, ref: str) -> Memory:
    """Return what is known of the hostname, read only where nothing is; 404 where none is set up."""
    memory = hostname.recall(request.workspace, ref)
    if memory is None or not memory.known.setup:
        memory = hostname.remember(request.workspace, ref, hostname.read(request.workspace, ref))
    if not memory.known.setup:
        raise Http404("No custom hostname is set up.")
    return memory


def _set_up(request: WorkspaceRequest, ref: str) -> HostnameConfiguration:
    """Return the configuration, freshly read (M15); 404 where none is set up."""
    seen = hostname.read(request.workspace, ref)
    if seen is None:
        raise Http404("No custom hostname is set up.")
    return seen


def _home(ref: str) -> str:
    return reverse("hostname:index", args=[ref])
