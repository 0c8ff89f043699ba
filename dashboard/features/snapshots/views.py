"""Snapshots of a bucket: list them, take, browse and delete one, plan them, download or restore a file as it was."""

import logging
from collections.abc import Callable, Sequence
from functools import wraps
from itertools import chain
from typing import Concatenate, NamedTuple, ParamSpec, TypeAlias
from urllib.parse import urlencode

from django.core.exceptions import ValidationError
from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dashboard.catalog import keys
from dashboard.catalog.query import EVERYTHING
from dashboard.catalog.selection import is_posted, keep, selection_of
from dashboard.features.snapshots import services
from dashboard.features.snapshots.forms import NEVER, RestoreForm, ScheduleForm
from dashboard.jobs import queries
from dashboard.jobs.models import Job, State
from dashboard.jobs.views.jobs import started
from dashboard.snapshots import capture, collect, schedule
from dashboard.snapshots import restore as restoring
from dashboard.snapshots.export import content
from dashboard.snapshots.store import Damaged, StoreError
from dashboard.snapshots.trash import days as kept_days
from dashboard.team.rights import needs
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.models import Kind
from dashboard.web.failures.cards import Stopped
from dashboard.web.failures.local_problems import snapshots_away
from dashboard.web.failures.operations import sends
from dashboard.web.files.downloads import attach, file_view
from dashboard.web.input.forms import posted
from dashboard.web.limits.transfers import bulkhead, transfer
from dashboard.web.pages.answers import dialog, done, page, submit
from dashboard.web.pages.confirm import confirm, sought
from dashboard.web.pages.navigation import inner_address
from dashboard.web.pages.pagination import part_of
from dashboard.web.text import bytes_text, counted, exact

log = logging.getLogger(__name__)

LIST, FOLDER = "snapshots", "snapshot-folder"
NAMELESS = "(no name)"
DELETIONS_PER_PAGE = 50
UNDOING = "If something else is there now, you are asked first."
RESTORING = "You confirm once you see what is written, replaced and left."

P = ParamSpec("P")
View: TypeAlias = Callable[Concatenate[WorkspaceRequest, P], HttpResponseBase]


class Line(NamedTuple):
    """A row of a folder as it was. `href` opens the folder or downloads the object; empty if its bytes were left out.

    `restoration` opens the dialog that restores it; empty if there is nothing to restore.
    """

    name: str
    href: str
    row: services.Row
    restoration: str = ""


def store_told(view: View[P]) -> View[P]:
    """Say in the frame that the store of snapshots can't be read. What the store itself says goes to the log."""

    @wraps(view)
    def inner(request: WorkspaceRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        try:
            return view(request, *args, **kwargs)
        except Damaged as error:
            raise Stopped(snapshots_away(str(error))) from error
        except StoreError as error:
            log.warning("The store of snapshots can't be read: %s", error)
            raise Stopped(snapshots_away("It is away, or refuses to be read; the log says which.")) from error

    return inner


@require_safe
@with_workspace
@store_told
def index(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    context = _place(request, space, bucket)
    job = capture.last_job(request.workspace, space, bucket)
    if job and job.state != State.DONE:
        context["job"] = queries.row(job)
    context["heads"] = [head for head in services.visible(request.workspace, space, bucket) if not head.is_trash]
    context["plan"] = schedule.find(request.workspace, space, bucket)
    return page(request, "snapshots/index.html", context, parts={LIST: "snapshots/_list.html"})


@require_POST
@with_workspace
@needs("job begun")
def take(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Start a job that takes a snapshot, or join the one that does already."""
    home = reverse("snapshots:index", args=[space, bucket])
    return started(request, capture.begin(request.workspace, space, bucket, back=home))


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
@needs(*schedule.ACTS)
def plan(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Set how often snapshots are taken, and how long they are kept."""
    workspace, home = request.workspace, reverse("snapshots:index", args=[space, bucket])
    capture.require_own(workspace, space)
    form = ScheduleForm(posted(request), current=schedule.find(workspace, space, bucket))

    def perform() -> str:
        given = form.cleaned_data
        if given["every"] == NEVER:
            schedule.stop(workspace, space, bucket)
            return "Snapshots are taken by hand only."
        schedule.start(workspace, space, bucket, **given)
        return f"Snapshots are taken {given['every']}."

    return submit(
        request,
        form,
        "snapshots/_schedule.html",
        perform=perform,
        then=lambda message: done(request, message, changed=LIST, to=home),
        context={"title": "Automatic snapshots", "back": home},
    )


@require_safe
@with_workspace
@store_told
def trash(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """List what was deleted from a bucket and is kept."""
    shown = part_of(request, services.deletions(request.workspace, space, bucket), limit=DELETIONS_PER_PAGE)
    context = _place(request, space, bucket) | {"page": shown, "days": kept_days()}
    return page(request, "snapshots/trash.html", context, parts={LIST: "snapshots/_trash.html"})


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
@sends("S9", "S10")
@store_told
def undo(request: WorkspaceRequest, space: str, bucket: str, ident: str) -> HttpResponse:
    """Start a job that restores what a deletion kept."""
    back = inner_address("bucket", space, bucket)
    head = services.find(request.workspace, space, bucket, ident)
    return confirm(
        request,
        title=f"Restore {counted(head.objects, 'object')}",
        button="Restore",
        consequences=[f"Written where it was: {counted(head.objects, 'object')} ({bytes_text(head.bytes)}).", UNDOING],
        perform=lambda: restoring.undo(request.workspace, head, back=back),
        then=lambda job: started(request, job),
        back=reverse("snapshots:trash", args=[space, bucket]),
        danger=False,
    )


@require_safe
@with_workspace
@store_told
def show(request: WorkspaceRequest, space: str, bucket: str, ident: str) -> HttpResponse:
    """Browse a folder as of a snapshot."""
    path, after = request.GET.get("path", ""), request.GET.get("after", "")
    context = _place(request, space, bucket)
    head = services.find(request.workspace, space, bucket, ident)
    folder = services.browse(request.workspace, head, path, after=after)
    context |= {"head": head, "left_out": services.left_out(head) if head.left_out and not path else ()}
    base, restorations = (reverse(f"snapshots:{name}", args=[space, bucket, ident]) for name in ("show", "restorations"))
    context |= {
        "title": keys.printable(keys.name_of(path.removesuffix("/")) or bucket),
        "steps": [(keys.printable(name), f"{base}?{urlencode({'path': folder})}") for name, folder in keys.trail(path)],
        "top": base,
        "path": path,
        "everything": f"{restorations}?{urlencode({'all': '1', 'filter': EVERYTHING})}",
        "restorations": restorations,
        "now": inner_address("bucket", space, bucket, path=path),
        "rows": [_line(row, path, (space, bucket, ident)) for row in folder.rows],
        "more": f"{base}?{urlencode({'path': path, 'after': folder.after})}" if folder.after else "",
        "first": f"{base}?{urlencode({'path': path})}" if after else "",
    }
    return page(request, "snapshots/show.html", context, parts={FOLDER: "snapshots/_folder.html"})


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
@needs("job begun", "snapshot deleted")
@store_told
def delete(request: WorkspaceRequest, space: str, bucket: str, ident: str) -> HttpResponse:
    """Start a job that deletes a snapshot, or what a deletion kept, after a confirmation."""
    home = reverse("snapshots:index", args=[space, bucket])
    head = sought(request, lambda: services.find(request.workspace, space, bucket, ident))
    if head is None:
        return done(request, "The snapshot was deleted already.", changed=LIST, to=home)
    title, what = ("Delete for good", "What was deleted at") if head.is_trash else ("Delete snapshot", "The snapshot of")
    home = reverse("snapshots:trash", args=[space, bucket]) if head.is_trash else home
    return confirm(
        request,
        title=title,
        button=title,
        consequences=[
            f"{what} {exact(head.begun)} ({counted(head.objects, 'object')}, {bytes_text(head.bytes)}) is deleted.",
            "What no other snapshot holds is gone for good, and its space becomes free.",
        ],
        perform=lambda: collect.begin(request.workspace, [head], back=home),
        then=lambda job: started(request, job),
        back=home,
    )


@require_safe
@with_workspace
@file_view
@transfer
@store_told
def file(request: WorkspaceRequest, space: str, bucket: str, ident: str) -> HttpResponseBase:
    """Download an object as it was. Every chunk is checked before it is sent."""
    key = request.GET.get("key", "")
    entry = services.entry_of(services.find(request.workspace, space, bucket, ident), key)
    blocks = content(capture.store(), entry)
    first = next(blocks, b"")
    name = keys.name_of(key) or "object"
    return attach(chain([first], blocks), filename=name, kind="application/octet-stream", length=entry.size)


@require_safe
@with_workspace
@store_told
def versions(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """List the earlier versions of an object (`?key=`) in the latest snapshots."""
    key = request.GET.get("key", "")
    context = {
        "title": f"Versions of {keys.printable(keys.name_of(key)) or NAMELESS}",
        "query": urlencode({"key": key}),
        "space": space,
        "bucket": bucket,
        "back": inner_address("bucket", space, bucket, path=keys.folder_of(key)),
        "versions": services.versions(request.workspace, space, bucket, key),
    }
    return dialog(request, "snapshots/_versions.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
@sends("S9", "S10")
@store_told
def restore(request: WorkspaceRequest, space: str, bucket: str, ident: str) -> HttpResponse:
    """Write an object (`?key=`) as it was: S4 and S19, then S9 or S10, after a confirmation."""
    workspace, key = request.workspace, request.GET.get("key", "")
    head = services.find(workspace, space, bucket, ident)
    entry = services.entry_of(head, key)
    there, problem = services.present(workspace, head, entry)
    name = keys.printable(keys.name_of(key)) or NAMELESS
    back = inner_address("bucket", space, bucket, path=keys.folder_of(key))
    if problem:
        return dialog(request, "snapshots/_refused.html", {"title": f"Restore {name}", "problem": problem, "back": back})

    def perform() -> bool:
        try:
            with bulkhead(request):
                return services.restore(workspace, head, entry, replaces=there is not None)
        except StoreError as error:
            raise ValidationError(f"Not restored. {error}") from error

    as_of = f"The file of {exact(head.begun)} is written ({bytes_text(entry.size)})."
    replaced = f"It replaces the one that is there now ({bytes_text(there.size)})." if there else "It replaces none."
    return confirm(
        request,
        title=f"Restore {name}",
        button="Replace" if there else "Restore",
        consequences=[as_of, replaced],
        count=1 if there else 0,
        perform=perform,
        then=lambda is_verified: done(
            request,
            f"{name} restored{' and verified' if is_verified else ', but it could not be verified'}.",
            changed="objects",
            to=back,
        ),
        back=back,
        danger=there is not None,
    )


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
@sends("S9", "S10")
@store_told
def restore_many(request: WorkspaceRequest, space: str, bucket: str, ident: str) -> HttpResponse:
    """Plan restoring a selection, a folder or everything, which its owner has to approve. Offers the buckets (S2)."""
    if is_posted(request):
        return keep(request, space, bucket)
    workspace = request.workspace
    head = services.find(workspace, space, bucket, ident)
    selection = selection_of(request, space, bucket)
    base = reverse("snapshots:show", args=[space, bucket, ident])
    back = f"{base}?{urlencode({'path': selection.path})}" if selection.path else base
    if selection.is_empty or selection.filter not in {"", EVERYTHING}:
        return dialog(request, "parts/_none_selected.html", {"title": "Restore", "back": back}, status=422)
    spaces = [one for one in workspace.known_spaces() if not workspace.grant_at(Kind.STORAGE, one.name)]
    form = RestoreForm(
        posted(request), spaces=spaces, buckets=services.buckets(workspace, head), initial={"space": space, "bucket": bucket}
    )

    def perform() -> Job:
        given = form.cleaned_data
        return restoring.begin(workspace, head, selection, to_space=given["space"], to_bucket=given["bucket"], back=back)

    return submit(
        request,
        form,
        "snapshots/_restore.html",
        perform=perform,
        then=lambda job: started(request, job),
        context={"title": f"Restore {'everything' if selection.filter else selection.title()}", "lead": RESTORING, "back": back},
    )


def _line(row: services.Row, path: str, here: Sequence[str]) -> Line:
    """Make a row of a folder; `here` is where its snapshot is."""
    name = keys.printable(row.path[len(path) :]) or NAMELESS
    if row.entry is None:
        chosen = urlencode({"folder": row.path, "path": path})
        href = f"{reverse('snapshots:show', args=here)}?{urlencode({'path': row.path})}"
        return Line(name, href, row, f"{reverse('snapshots:restorations', args=here)}?{chosen}")
    if row.entry.left_out:
        return Line(name, "", row)
    query = urlencode({"key": row.path})
    restoration = f"{reverse('snapshots:restoration', args=here)}?{query}" if row.since else ""
    return Line(name, f"{reverse('snapshots:file', args=here)}?{query}", row, restoration)


def _place(request: WorkspaceRequest, space: str, bucket: str) -> dict[str, object]:
    return {"space": space, "bucket": bucket, "space_title": request.workspace.title(space), "here": request.get_full_path()}
