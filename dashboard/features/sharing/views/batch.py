"""Create signed links for many objects: choose, review the count, sign, copy or save."""

from collections.abc import Iterator
from itertools import chain, islice
from urllib.parse import urlencode, urlsplit

from django.http import Http404, HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils.text import slugify
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dashboard.catalog.keys import folder_of, printable
from dashboard.catalog.link_export import Lines, as_csv, as_lines, as_script
from dashboard.catalog.selection import Selection, is_posted, keep, selection_of
from dashboard.features.sharing.forms.batch import BatchForm
from dashboard.features.sharing.models import LinkSet
from dashboard.features.sharing.services import batch
from dashboard.jobs.models import ENDED, State
from dashboard.jobs.views.jobs import started
from dashboard.links import policy
from dashboard.links.signed import custom_host
from dashboard.team.rights import needs
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.vault.seals import CannotOpen
from dashboard.web.files.downloads import attach
from dashboard.web.http.requests import path_of, read_number
from dashboard.web.input.idempotency import once
from dashboard.web.pages.answers import dialog, done, page, repeat, submit
from dashboard.web.pages.navigation import inner_address
from dashboard.web.pages.pagination import part_of_total
from dashboard.web.text import bytes_text, counted

# Above this many links a text is only offered as a file.
MOST_COPIED = 5000
# The query that puts the project's custom hostname into the addresses.
CUSTOM = {"host": "custom"}
# kind: label, whether people paste it, lines, file extension, media type.
EXPORTS: dict[str, tuple[str, bool, Lines, str, str]] = {
    "lines": ("Plain text", True, as_lines, "txt", "text/plain; charset=utf-8"),
    "csv": ("CSV", False, as_csv, "csv", "text/csv; charset=utf-8"),
    "script": ("Download script", False, as_script, "sh", "text/x-shellscript; charset=utf-8"),
}


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
@needs("link signed")
def index(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Ask for objects and expiry, then count them (S13). Nothing is signed here."""
    request.workspace.require("storage", space)
    bound = request.method == "POST" and ("life" in request.POST or "once" in request.POST)
    if is_posted(request) and not bound:
        return keep(request, space, bucket)
    again = read_number(request.GET.get("again", ""))
    earlier = None if again is None else _own(request, space, bucket, again)
    selection = earlier.chosen if earlier else selection_of(request, space, bucket)
    opens = {"opens": "download", "name": earlier.download} if earlier and earlier.download is not None else {}
    context: dict[str, object] = {"title": "Create links", "back": folder_address(selection)}
    refusal = policy.why_not_signed(request.workspace, space)
    latest = policy.latest_of_signed(request.workspace.grant_at("storage", space))
    given = (request.POST, request.FILES) if bound else (None, None)
    form = BatchForm(*given, initial=opens, chosen=selection, signs=not refusal, latest=latest)
    chosen = not again and not selection.is_empty and not selection.filter
    if not selection.is_empty:
        context["title"] = f"{'Share' if chosen else 'Create links for'} {selection.title()}"
    return submit(
        request,
        form,
        "sharing/batch_form.html",
        perform=lambda: batch.prepare(
            request.workspace,
            form.cleaned_data["selection"],
            life=form.seconds,
            ends_at=form.cleaned_data.get("ends_at"),
            download=form.download,
            page_of=page_of,
        ),
        then=lambda links: _prepared(request, links),
        context={
            **context,
            "chosen": chosen,
            "space": space,
            "bucket": bucket,
            "kept": [(page_of(one), _row_text(one), one) for one in batch.kept(request.workspace, space, bucket)],
            "lead": f"{refusal or 'Share many objects.'} You review the count first.",
        },
    )


@require_safe
@with_workspace
@needs("link signed")
def show(request: WorkspaceRequest, space: str, bucket: str, set_id: int) -> HttpResponse:
    """What was counted, or what was signed. Calls no service."""
    links = _own(request, space, bucket, set_id)
    context = {
        **_state(links, _chosen_host(request)),
        "hosts": _hosts(request, space),
        **_sharing(links),
        "refusal": policy.why_not_signed(request.workspace, space),
        "named": [printable(key) for key in (links.facts or {}).get("named", ())],
        "refusals": part_of_total(
            request,
            links.refused,
            lambda start, end: [(printable(one.key), one.words) for one in islice(links.refusals(), start, end)],
        ),
        "space": space,
        "bucket": bucket,
        "space_title": request.workspace.title(space),
        "base": inner_address("bucket", space, bucket),
        "links": links,
    }
    return page(request, "sharing/batch.html", context, parts={"signed": "sharing/_batch.html"})


@require_POST
@with_workspace
@needs("link signed")
def sign(request: WorkspaceRequest, space: str, bucket: str, set_id: int) -> HttpResponse:
    """Sign what waits (S15); with `refused`, what failed before."""
    links = _own(request, space, bucket, set_id)
    home = page_of(links)
    if refusal := policy.why_not_signed(request.workspace, space):
        return done(request, f"Nothing was signed. {refusal}", to=home, tone="danger")

    def act() -> HttpResponse:
        if "refused" not in request.POST:
            batch.sign(request.workspace, links)
        elif not batch.sign_refused(request.workspace, links):
            return done(request, "The job retries the failed objects.", changed="jobs", to=home)
        failed = f", {links.refused:,} failed" if links.refused else ""
        return done(request, f"{counted(links.signed, 'link')} created{failed}.", to=home)

    return once(request, act, lambda outcome: repeat(request, outcome))


@require_POST
@with_workspace
def forget(request: WorkspaceRequest, space: str, bucket: str, set_id: int) -> HttpResponse:
    """Delete our copy; links that were handed out keep working."""
    _own(request, space, bucket, set_id).delete()
    home = reverse("sharing:desk", args=(space, bucket))
    return done(request, "Removed here. Links you handed out work until they expire.", to=home)


@require_safe
@with_workspace
@needs("link signed")
def export(request: WorkspaceRequest, space: str, bucket: str, set_id: int, kind: str) -> HttpResponseBase:
    """Send the links as a file, unsealed batch by batch; with `show`, as text to copy. Calls no service."""
    links = _own(request, space, bucket, set_id)
    base = request.workspace.signing_url(space)
    if kind not in EXPORTS or base is None or not links.signed or links.ends_at is None:
        raise Http404("There is no such list.")
    if _chosen_host(request):
        host = custom_host(request.workspace, space, base)
        if host is None:
            raise Http404("The custom hostname is no longer active.")
        base = host.replace_in(base)
    _label, _pasted, lines, ending, media = EXPORTS[kind]
    try:
        text: Iterator[str] = lines(batch.linked(links, base), bucket, links.ends_at)
        first = next(text, "")
    except CannotOpen:
        context = {"title": "Links can't be opened", "back": page_of(links)}
        return dialog(request, "sharing/batch_damaged.html", context, status=410)
    if "show" in request.GET and links.signed <= MOST_COPIED:
        return _shown(request, links, kind, first + "".join(text))
    blocks = (part.encode() for part in chain((first,), text))
    return attach(blocks, filename=f"{slugify(bucket)[:60] or 'bucket'}-links-{links.pk}.{ending}", kind=media)


def page_of(links: LinkSet) -> str:
    return reverse("sharing:signed", args=(links.space, links.bucket, links.pk))


def folder_address(selection: Selection) -> str:
    """The folder that the selection was made in."""
    path = selection.path or (folder_of(selection.keys[0]) if len(selection.keys) == 1 else "")
    return inner_address("bucket", selection.space, selection.bucket, path=path)


def _own(request: WorkspaceRequest, space: str, bucket: str, set_id: int) -> LinkSet:
    links = batch.find(request.workspace, space, bucket, set_id)
    if links is None:
        raise Http404("There are no such links, or they have expired.")
    return links


def _prepared(request: WorkspaceRequest, links: LinkSet) -> HttpResponse:
    if links.job:
        return started(request, links.job)
    return done(request, "Counted. Nothing is signed yet.", to=page_of(links))


def _shown(request: WorkspaceRequest, links: LinkSet, kind: str, text: str) -> HttpResponse:
    label = EXPORTS[kind][0]
    context = {
        "title": f"{label}: {counted(links.signed, 'link')}",
        "label": label,
        "text": text,
        "file": _with(path_of(request), _chosen_host(request)),
        "ends_at": links.ends_at,
        "back": page_of(links),
        "wide": True,
    }
    return dialog(request, "sharing/batch_text.html", context)


def _sharing(links: LinkSet) -> dict[str, object]:
    """The fields that make the same objects one share link."""
    keys, folders = batch.shareable(links)
    return {
        "share_fields": [("key", key) for key in keys] + [("folder", folder) for folder in folders],
        "searched": bool(links.chosen.filter),
        "again_url": f"{reverse('sharing:desk', args=(links.space, links.bucket))}?again={links.pk}",
    }


def _hosts(request: WorkspaceRequest, space: str) -> list[tuple[str, str, bool]]:
    """Address, name and whether it is chosen: the hosts that the links can have, if there are several."""
    base = request.workspace.signing_url(space)
    host = custom_host(request.workspace, space, base) if base else None
    if base is None or host is None:
        return []
    here, is_custom = path_of(request), bool(_chosen_host(request))
    return [(here, urlsplit(base).netloc, not is_custom), (_with(here, CUSTOM), host.name, is_custom)]


def _chosen_host(request: WorkspaceRequest) -> dict[str, str]:
    """The query that asks for the custom hostname, or nothing."""
    return CUSTOM if "host" in request.GET else {}


def _with(address: str, query: dict[str, str]) -> str:
    return f"{address}?{urlencode(query)}" if query else address


def _state(links: LinkSet, query: dict[str, str]) -> dict[str, object]:
    """`state` is "counted", "working" (a job must act first), "signed" or "none"."""
    waiting = len(links.waiting)
    job = links.job
    alive = job is not None and job.state not in ENDED
    state = "signed" if links.signed else "none" if links.refused else "working" if job else "counted"
    headings = {"signed": f"{counted(links.signed, 'link')} created", "none": "No links created", "working": "Creating links"}
    return {
        "state": state,
        "heading": headings.get(state, "Review links"),
        "waiting": waiting,
        "counted": _counted(links),
        "job_url": reverse("jobs:show", args=(job.pk,)) if job else "",
        "job_alive": alive,
        "job_asks": job is not None and job.state == State.PLANNED,
        "exports": _exports(links, query) if links.signed else [],
    }


def _row_text(links: LinkSet) -> str:
    """One line of the list of sets."""
    if links.signed:
        failed = f", {links.refused:,} failed" if links.refused else ""
        return f"{counted(links.signed, 'link')}{failed}"
    return f"{len(links.waiting):,} counted, not signed" if links.waiting else "Created by a job"


def _counted(links: LinkSet) -> list[str]:
    """What the count found, as sentences. A job shows its own plan."""
    facts = links.facts
    if not facts:
        return []
    found, missing, unchecked = facts["objects"], facts["missing"], facts["unchecked"]
    sentences = [f"{counted(found, 'object')}, {bytes_text(facts['bytes'])}."]
    if missing:
        sentences.append(f"{counted(missing, 'object')} not found, or not visible to your token.")
    if empty := facts.get("empty"):
        sentences.append(f"Empty: {', '.join(f'“{printable(folder)}”' for folder in empty)}.")
    if unchecked:
        sentences.append(f"{counted(unchecked, 'object')} not checked; signing will tell.")
    return sentences


def _exports(links: LinkSet, query: dict[str, str]) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for kind, (label, pasted, *_) in EXPORTS.items():
        href = reverse("sharing:output", args=(links.space, links.bucket, links.pk, kind))
        text = _with(href, {**query, "show": "1"}) if pasted and links.signed <= MOST_COPIED else ""
        found.append({"label": label, "file": _with(href, query), "text": text})
    return found
