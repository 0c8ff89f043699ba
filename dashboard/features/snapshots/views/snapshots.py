"""Snapshots of a bucket: list them, take, browse and delete one, plan them, download or restore a file as it was."""

import logging
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, NamedTuple, ParamSpec, TypeAlias
from urllib.parse import urlencode

from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse, HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dashboard.catalog import keys
from dashboard.catalog.query import EVERYTHING
from dashboard.catalog.selection import is_posted, keep, selection_of
from dashboard.features.snapshots import services
from dashboard.features.snapshots.forms import NEVER, NOW, RestoreForm, ScheduleForm
from dashboard.features.snapshots.views.lines import NAMELESS, line
from dashboard.jobs import queries
from dashboard.jobs.models import Job, State
from dashboard.jobs.views.jobs import started
from dashboard.snapshots import capture, collect, replacements, schedule, sight
from dashboard.snapshots import erase as erasing
from dashboard.snapshots import restore as restoring
from dashboard.snapshots.manifest import Head, folder_in
from dashboard.snapshots.restore_plan import vouched
from dashboard.snapshots.store import Damaged, Missing, StoreError
from dashboard.snapshots.trash import days_of
from dashboard.snapshots.usage import Use, of_store
from dashboard.team.rights import needs
from dashboard.tokens import spaces
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.models import Kind
from dashboard.web.failures.cards import Stopped
from dashboard.web.failures.local_problems import snapshots_away
from dashboard.web.failures.operations import sends
from dashboard.web.input.forms import posted
from dashboard.web.limits.transfers import bulkhead
from dashboard.web.pages.answers import dialog, done, page, submit
from dashboard.web.pages.confirm import confirm, sought
from dashboard.web.pages.navigation import inner_address
from dashboard.web.pages.pagination import part_of, part_of_total
from dashboard.web.pages.places import known_name
from dashboard.web.text import bytes_text, counted, exact

log = logging.getLogger(__name__)

LIST, FOLDER, USAGE = "snapshots", "snapshot-folder", "snapshot-usage"
DELETIONS_PER_PAGE = 50
UNDOING = "If something else is there now, you are asked first."
PLANNED = "A plan to restore from it waits for review. It can't be applied any more."
RESTORING = "You confirm once you see what is written, replaced, left and deleted."

P = ParamSpec("P")
View: TypeAlias = Callable[Concatenate[WorkspaceRequest, P], HttpResponseBase]


class UsageLine(NamedTuple):
    """A row of the store's usage: the project's name, and the share of the limit or, without one, of all rows."""

    place: str
    share: str
    use: Use


def store_told(view: View[P]) -> View[P]:
    """Say in the frame that the store of snapshots can't be read. What the store itself says goes to the log."""

    @wraps(view)
    def inner(request: WorkspaceRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        try:
            return view(request, *args, **kwargs)
        except (Damaged, Missing) as error:
            raise Stopped(snapshots_away(str(error), of_one=True)) from error
        except StoreError as error:
            log.warning("The store of snapshots can't be read: %s", error)
            raise Stopped(snapshots_away("It is away, or refuses to be read. The log has the reason.")) from error

    return inner


@require_safe
@with_workspace
@store_told
def index(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    context = _place(request, space, bucket)
    jobs = sorted(capture.last_jobs(request.workspace, space, bucket).values(), key=lambda job: -job.pk)
    rows = [(folder_in(job.parameters), queries.row(job)) for job in jobs if job.state != State.DONE]
    context |= {"jobs": rows, "is_busy": any(row.is_alive for _, row in rows)}
    found = services.snapshots(request.workspace, space, bucket)
    context |= {"heads": found.read, "damaged": found.damaged}
    plans = schedule.find_inside(request.workspace, space, bucket) if context["manages"] else []
    context |= {"plans": plans, "told": {plan.failed for plan in plans}}
    return page(request, "snapshots/index.html", context, parts={LIST: "snapshots/_list.html"})


@require_POST
@with_workspace
@needs("job begun")
def take(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Start a job that takes a snapshot, or join the one that does already."""
    home = reverse("snapshots:index", args=[space, bucket])
    return started(request, schedule.take(request.workspace, space, bucket, back=home))


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
@needs(*schedule.ACTS)
def plan(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Take a snapshot of the bucket or a folder (`?folder=`) now, or set how often that is done, and how long they are kept.

    A folder has to hold something (S13).
    """
    workspace, home = request.workspace, reverse("snapshots:index", args=[space, bucket])
    capture.require_own(workspace, space)
    folder = request.GET.get("folder")
    first = {"folder": folder or "", "every": "daily" if folder is None else NOW}
    form = ScheduleForm(posted(request), current=schedule.find(workspace, space, bucket, first["folder"]), initial=first)

    def perform() -> Job | str:
        given = form.cleaned_data
        if given["every"] != NEVER:
            services.require_something(workspace, space, bucket, given["folder"])
        if given["every"] == NOW:
            return schedule.take(workspace, space, bucket, given["folder"], back=home)
        if given["every"] == NEVER:
            schedule.stop(workspace, space, bucket, given["folder"])
            return "Snapshots are taken by hand only."
        schedule.start(workspace, space, bucket, **given)
        return f"Snapshots are taken {given['every']}."

    def finish(result: Job | str) -> HttpResponse:
        return started(request, result) if isinstance(result, Job) else done(request, result, changed=LIST, to=home)

    context = {"title": "Take snapshots", "back": home}
    return submit(request, form, "snapshots/_schedule.html", perform=perform, then=finish, context=context)


@require_safe
@with_workspace
@store_told
def trash(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """List what was deleted from a bucket and is kept."""
    found = services.deletions(request.workspace, space, bucket)
    shown = part_of_total(request, len(found), found.between, limit=DELETIONS_PER_PAGE)
    context = _place(request, space, bucket) | {"page": shown, "days": days_of(space, bucket), "damaged": found.damaged}
    return page(request, "snapshots/trash.html", context, parts={LIST: "snapshots/_trash.html"})


@require_safe
@with_workspace
@needs("snapshot usage shown")
@store_told
def usage(request: WorkspaceRequest) -> HttpResponse:
    """Show who uses how much of the store."""
    found, limit = of_store(), settings.SNAPSHOT_MAX_BYTES
    whole = limit or sum(use.bytes for use in found.uses) or 1
    lines = [
        UsageLine(known_name(request, use.space) or use.space, f"{min(100.0, 100 * use.bytes / whole):.1f}%", use)
        for use in found.uses
    ]
    per_project = spaces.mode() == "per project"
    context = {"usage": found, "limit": limit, "page": part_of(request, lines), "per_project": per_project}
    return page(request, "snapshots/usage.html", context, parts={USAGE: "snapshots/_usage.html"})


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
@sends("S9", "S10")
@needs("job begun")
@store_told
def undo(request: WorkspaceRequest, space: str, bucket: str, ident: str) -> HttpResponse:
    """Start a job that restores what a deletion kept."""
    back = inner_address("bucket", space, bucket)
    head = services.find(request.workspace, space, bucket, ident)
    request.workspace.require_act(Kind.STORAGE, space, "upload")
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
    context |= {"head": head, "left_out": services.left_out(head) if head.left_out and path == head.folder else ()}
    base, restorations = (reverse(f"snapshots:{name}", args=[space, bucket, ident]) for name in ("show", "restorations"))
    inside = {"folder": path, "path": path} if path.startswith(head.folder) and path != head.folder else {}
    context |= {
        "title": keys.printable(keys.name_of(path.removesuffix("/")) or bucket),
        "steps": [(keys.printable(name), f"{base}?{urlencode({'path': folder})}") for name, folder in keys.trail(path)],
        "top": base,
        "path": path,
        "is_outside": not (path.startswith(head.folder) or head.folder.startswith(path)),
        "whole": f"{restorations}?{urlencode(inside or {'all': '1', 'filter': EVERYTHING})}",
        "is_inside": bool(inside),
        "restorations": restorations,
        "now": inner_address("bucket", space, bucket, path=path),
        "is_compared": folder.is_compared,
        "compared_max": services.COMPARED_MAX,
        "rows": [line(row, path, (space, bucket, ident)) for row in folder.rows],
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
    capture.require_own(request.workspace, space)
    head = sought(request, lambda: services.find(request.workspace, space, bucket, ident))
    if head is None:
        return done(request, "The snapshot was deleted already.", changed=LIST, to=home)
    title, what = ("Delete for good", f"What was {head.verb} at") if head.is_trash else ("Delete snapshot", "The snapshot of")
    home = reverse("snapshots:trash", args=[space, bucket]) if head.is_trash else home
    return confirm(
        request,
        title=title,
        button=title,
        consequences=[
            f"{what} {exact(head.begun)} ({counted(head.objects, 'object')}, {bytes_text(head.bytes)}) is deleted.",
            "What no other snapshot holds is gone for good, and its space becomes free.",
            *([PLANNED] if head.id in collect.in_use() - collect.being_restored() else ()),
        ],
        perform=lambda: collect.begin(request.workspace, [head], back=home),
        then=lambda job: started(request, job),
        back=home,
    )


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
@needs("job begun", "file erased")
def erase(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Start a job that erases a file (`?key=`) or a folder (`?folder=`) from all snapshots, after a confirmation."""
    workspace, home = request.workspace, reverse("snapshots:index", args=[space, bucket])
    path = request.GET.get("folder") or request.GET.get("key", "")
    if not path or bool(request.GET.get("folder")) != path.endswith("/"):
        raise Http404("There is no such file or folder.")
    capture.require_own(workspace, space)
    name = keys.printable(keys.name_of(path.removesuffix("/"))) or NAMELESS
    return confirm(
        request,
        title=f"Erase {name} everywhere",
        button="Erase",
        consequences=[
            f"{keys.printable(path)} is erased from all snapshots of {bucket} and its trash, also those of other people.",
            "This can't be undone.",
            "What is still in the bucket stays, and the next snapshot keeps it again: delete it there first.",
            "Other files stay, also with the same contents. Activity keeps the name.",
        ],
        typed=name,
        perform=lambda: erasing.begin(workspace, space, bucket, path, back=home),
        then=lambda job: started(request, job),
        back=home,
    )


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
@sends("S9", "S10")
@needs("S9")
@store_told
def restore(request: WorkspaceRequest, space: str, bucket: str, ident: str) -> HttpResponse:
    """Write an object (`?key=`) as it was: S4 and S19, then S9 or S10, after a confirmation."""
    workspace, key = request.workspace, request.GET.get("key", "")
    head = services.find(workspace, space, bucket, ident)
    entry = services.entry_of(head, key)
    there, problem = services.present(workspace, head, entry)
    workspace.require_act(Kind.STORAGE, space, "change" if there else "upload")
    name = keys.printable(keys.name_of(key)) or NAMELESS
    back = inner_address("bucket", space, bucket, path=keys.folder_of(key))
    if problem:
        return dialog(request, "snapshots/_refused.html", {"title": f"Restore {name}", "problem": problem, "back": back})

    keeps = bool(there and days_of(space, bucket) and not request.POST.get(replacements.WITHOUT[0]))

    def perform() -> tuple[bool, Head | None]:
        try:
            with bulkhead(request):
                return services.restore(workspace, head, entry, replaces=there is not None, keeps=keeps)
        except StoreError as error:
            raise ValidationError(f"Not restored. {error}") from error

    def finish(result: tuple[bool, Head | None]) -> HttpResponse:
        is_verified, kept = result
        message = f"{name} restored{' and verified' if is_verified else ', but it could not be verified'}."
        # What is there now is what was restored, so a job that undoes it would always ask.
        undoing = reverse("snapshots:restoration", args=[space, bucket, kept.id], query={"key": key}) if kept else ""
        return done(request, message, changed="objects", to=back, link=("Undo", undoing) if undoing else None)

    as_of = f"The file of {exact(head.begun)} is written ({bytes_text(entry.size)})."
    replaced = f"It replaces the one that is there now ({bytes_text(there.size)})." if there else "It replaces none."
    fate = f" That one is kept for {counted(days_of(space, bucket), 'day')} in the trash." if keeps else ""
    return confirm(
        request,
        title=f"Restore {name}",
        button="Replace" if there else "Restore",
        consequences=[as_of, f"{replaced}{fate}"],
        count=1 if there else 0,
        perform=perform,
        then=finish,
        back=back,
        danger=there is not None,
        box=replacements.WITHOUT if there and days_of(space, bucket) else None,
    )


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
@sends("S8", "S9", "S10")
@needs("job begun")
@store_told
def restore_many(request: WorkspaceRequest, space: str, bucket: str, ident: str) -> HttpResponse:
    """Plan restoring a selection, a folder or everything, which its owner has to approve.

    It offers the buckets (S2) of the chosen project, and takes none that is certainly missing (S4). It offers to delete what
    came later (S8) where the snapshot tells that.
    """
    if is_posted(request):
        return keep(request, space, bucket)
    workspace = request.workspace
    head = services.find(workspace, space, bucket, ident)
    selection = selection_of(request, space, bucket)
    base = reverse("snapshots:show", args=[space, bucket, ident])
    back = f"{base}?{urlencode({'path': selection.path})}" if selection.path else base
    if selection.is_empty or selection.filter not in {"", EVERYTHING}:
        return dialog(request, "parts/_none_selected.html", {"title": "Restore", "back": back}, status=422)
    workspace.require_act(Kind.STORAGE, space, "upload")
    spaces = services.targets(workspace)
    form = RestoreForm(
        posted(request),
        spaces=spaces,
        buckets=services.buckets(workspace, request.POST.get("space", space)),
        address=reverse("snapshots:buckets", args=[space]),
        may_delete=vouched(workspace, head, selection) is not None,
        initial={"space": space, "bucket": bucket},
    )

    def perform() -> Job:
        given = form.cleaned_data
        services.require_bucket(workspace, given["space"], given["bucket"])
        return restoring.begin(
            workspace,
            head,
            selection,
            to_space=given["space"],
            to_bucket=given["bucket"],
            deletes=given.get("deletes", False),
            back=back,
        )

    return submit(
        request,
        form,
        "snapshots/_restore.html",
        perform=perform,
        then=lambda job: started(request, job),
        context={"title": f"Restore {'everything' if selection.filter else selection.title()}", "lead": RESTORING, "back": back},
    )


@require_safe
@with_workspace
def buckets(request: WorkspaceRequest, space: str) -> HttpResponse:
    """Offer the buckets to restore to (S2), of the project that is chosen (`?space=`)."""
    request.workspace.require(Kind.STORAGE, space)
    offers = services.buckets(request.workspace, request.GET.get("space", space))
    return page(request, "forms/_offers.html", {"id": "bucket-offers", "offers": offers})


def _place(request: WorkspaceRequest, space: str, bucket: str) -> dict[str, object]:
    workspace = request.workspace
    return {
        "space": space,
        "bucket": bucket,
        "space_title": workspace.title(space),
        "manages": capture.manages(workspace, space),
        "is_part": sight.part_of(workspace, space, bucket) is not None,
        "restores": sight.sees(workspace, space, "upload"),
    }
