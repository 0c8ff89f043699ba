"""A new, empty folder."""

from django.http import HttpResponse
from django.views.decorators.http import require_http_methods

from dashboard.catalog.keys import folder
from dashboard.features.objects.forms import FolderForm
from dashboard.features.objects.services.browse import Query
from dashboard.features.objects.services.upload import make_folder
from dashboard.features.objects.views.rows import bucket_address
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.answers import done, submit


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
def new(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """S9 of the mark that keeps an empty folder."""
    path = folder((request.POST or request.GET).get("path", ""))
    form = FolderForm(request.POST) if request.method == "POST" else FolderForm(initial={"path": path})
    base = bucket_address(space, bucket)

    def finish(_: None) -> HttpResponse:
        made = base + Query(path=form.made).text()
        return done(request, f"Folder {form.cleaned_data['name']} added.", changed="objects", to=made, link=("Open it", made))

    return submit(
        request,
        form,
        "objects/_folder_form.html",
        perform=lambda: make_folder(request.workspace, space, bucket, form.made),
        then=finish,
        context={
            "title": "New folder",
            "lead": f"In {bucket}/{path}. It is kept by an empty object until something is stored in it.",
            "back": base + Query(path=path).text(),
        },
    )
