"""Change the settings of a bucket, test its public access."""

import json

from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.functional import SimpleLazyObject
from django.utils.http import urlencode
from django.views.decorators.http import require_GET, require_http_methods

from dashboard.catalog.keys import printable
from dashboard.catalog.public_access import public_address
from dashboard.features.buckets.forms import EditBucketForm, SizeField
from dashboard.features.buckets.services import buckets, contents
from dashboard.interfaces.storage.buckets import Bucket
from dashboard.jobs.settlement import require_settled
from dashboard.snapshots import trash
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.failures.operations import sends
from dashboard.web.input.forms import posted
from dashboard.web.pages.answers import dialog, done, is_dialog, page, submit
from dashboard.web.text import bytes_text, counted

# A longer name would not fit on a button.
LONG = 40


@require_GET
@with_workspace
def limit(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Count the objects above a limit while it is typed, from the index. Calls no service."""
    try:
        size = SizeField(required=False).clean([request.GET.get("size", ""), request.GET.get("size_unit", "")])
    except ValidationError as problem:
        return page(request, "buckets/_size_advice.html", {"problem": " ".join(problem.messages)})
    found = None if size is None else contents.larger_than(request.workspace, space, bucket, size)
    context = {"size": "" if size is None else bytes_text(size), "larger": found and found[0], "known": found and found[1]}
    return page(request, "buckets/_size_advice.html", context)


@require_http_methods(["GET", "POST"])
@with_workspace
@sends("S5")
def edit(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    workspace = request.workspace
    if request.method == "GET":
        require_settled(workspace, space, buckets.touched(bucket))
    found = buckets.get_bucket(workspace, space, bucket)
    limit_url = reverse("buckets:limit", args=[space, bucket])
    keeps = buckets.keeps_trash(workspace, space, found.id)
    form = EditBucketForm(
        posted(request), current=buckets.settings_of(found), limit_url=limit_url, keeps=keeps, days=trash.days()
    )
    form.is_valid()  # A form that would make it public has a box for that.
    publishing = "publish" in form.fields

    def perform() -> str:
        return buckets.update_bucket(workspace, space, found, form.chosen(), keeps=form.cleaned_data.get("keeps"))

    def then(lost: str) -> HttpResponse:
        if form.publishes or form.withdraws:
            return _opened(request, space, found.id, public=form.publishes, lost=lost)
        message = " ".join(filter(None, [f"Settings of {found.name} saved.", lost, _too_large(request, space, found, form)]))
        return done(request, message, changed="buckets", to=_home(space))

    context = {
        "title": f"Settings of {found.name}",
        "space": space,
        "back": _home(space),
        "button": _publish_button(found.name) if publishing else "Save settings",
        "publishing": publishing,
        "reach": SimpleLazyObject(lambda: contents.reach_of(workspace, space, found.id)),
        "address": public_address(workspace, space, found.id),
        "was_public": bool(found.public),
        "check_url": reverse("buckets:check", args=[space, found.id]) if found.public else "",
    }
    return submit(request, form, "buckets/_settings.html", perform=perform, then=then, context=context)


@require_GET
@with_workspace
def check(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """Test public access with one object (`?key=`; without it one is chosen)."""
    workspace = request.workspace
    key = request.GET.get("key")
    if key is None:
        key = contents.example_key(workspace, space, bucket)
        return redirect(f"{request.path}?{urlencode({'key': key})}")
    found = buckets.get_bucket(workspace, space, bucket)
    return _verdict(request, space, found, key, lost="")


def _opened(request: WorkspaceRequest, space: str, bucket: str, *, public: bool, lost: str) -> HttpResponse:
    """After a change of access, test it."""
    workspace = request.workspace
    key = contents.example_key(workspace, space, bucket)
    if not is_dialog(request):
        words = f"{printable(bucket)} is now {'public' if public else 'private'}. {lost}".strip()
        return done(request, words, to=f"{reverse('buckets:check', args=[space, bucket])}?{urlencode({'key': key})}")
    response = _verdict(request, space, buckets.get_bucket(workspace, space, bucket), key, lost=lost)
    response["HX-Trigger"] = json.dumps({"buckets:changed": True})
    return response


def _verdict(request: WorkspaceRequest, space: str, bucket: Bucket, key: str, *, lost: str) -> HttpResponse:
    verdict, seen = buckets.check_public_access(request.workspace, space, bucket, key)
    context = {
        "title": f"{printable(bucket.name)} is {'public' if bucket.public else 'private'}",
        "back": _home(space),
        "verdict": verdict,
        "seen": seen,
        "address": public_address(request.workspace, space, bucket.id, key),
        "lost": lost,
        "again": f"{reverse('buckets:check', args=[space, bucket.id])}?{urlencode({'key': key})}",
    }
    return dialog(request, "buckets/_check.html", context)


def _too_large(request: WorkspaceRequest, space: str, bucket: Bucket, form: EditBucketForm) -> str:
    chosen = form.chosen().file_size_limit
    if chosen is None or chosen == form.current.file_size_limit:
        return ""
    found = contents.larger_than(request.workspace, space, bucket.id, chosen)
    number = found[0] if found else 0
    if not number:
        return ""
    are, stay = ("is", "stays") if number == 1 else ("are", "stay")
    return f"{counted(number, 'object')} {are} larger than {bytes_text(chosen)} and {stay} unchanged."


def _publish_button(name: str) -> str:
    return f"Make {printable(name)} public" if len(name) <= LONG else "Make this bucket public"


def _home(space: str) -> str:
    return reverse("buckets:index", args=[space])
