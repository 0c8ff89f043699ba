"""Buckets that a token may look into but not list: opened by name, remembered, forgotten."""

from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from dashboard.catalog import named_buckets
from dashboard.features.buckets.forms.buckets import NamedBucketForm
from dashboard.features.buckets.services import buckets
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.answers import done, submit
from dashboard.web.confirm import confirm


@require_http_methods(["GET", "POST"])
@with_workspace
def add(request: WorkspaceRequest, space: str) -> HttpResponse:
    workspace = request.workspace
    workspace.storage(space)
    form = NamedBucketForm(request.POST if request.method == "POST" else None)

    def then(_: None) -> HttpResponse:
        name = form.cleaned_data["name"]
        link = ("Open it", reverse("objects:index", args=[space, name]))
        return done(request, f"Bucket {name} found.", changed="buckets", to=reverse("buckets:index", args=[space]), link=link)

    return submit(
        request,
        form,
        "buckets/_named.html",
        perform=lambda: buckets.open_by_name(workspace, space, form.cleaned_data["name"]),
        then=then,
        context={
            "title": "Open a bucket by name",
            "lead": "For tokens that may read files but not list buckets.",
            "back": reverse("buckets:index", args=[space]),
        },
    )


@require_http_methods(["GET", "POST"])
@with_workspace
def forget(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    home = reverse("buckets:index", args=[space])
    return confirm(
        request,
        title=f"Remove {bucket} from this list",
        button="Remove it",
        consequences=["The bucket and its files stay. You can open it by name again."],
        perform=lambda: named_buckets.forget(request.workspace, space, bucket),
        then=lambda _: done(request, f"{bucket} removed from the list.", changed="buckets", to=home),
        back=home,
        danger=False,
    )
