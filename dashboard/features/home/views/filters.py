"""Save a filter of the list under a name, and delete it again."""

from urllib.parse import urlencode

from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from dashboard.facts.overview import columns
from dashboard.features.home.forms import Filter, NameForm
from dashboard.features.home.services import filters
from dashboard.features.home.views.home import asked_view, list_href
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.input.forms import posted
from dashboard.web.pages.answers import done, submit


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
def new(request: WorkspaceRequest) -> HttpResponse:
    """Save the filter in the address under a name."""
    form, tab = NameForm(posted(request)), asked_view(request).tab
    asked = Filter.of(request.GET, columns(request.workspace, tab))
    home = list_href(tab, **asked.query)

    def then(_: None) -> HttpResponse:
        return done(request, f"Filter “{form.cleaned_data['name']}” saved.", changed="filters", to=home)

    return submit(
        request,
        form,
        perform=lambda: filters.save(request.user, form.cleaned_data["name"], view=tab, query=urlencode(asked.query)),
        then=then,
        context={"title": "Save this filter", "button": "Save filter", "back": home},
    )


@require_POST
@with_workspace
def forget(request: WorkspaceRequest) -> HttpResponse:
    """Delete the filter called `name`."""
    name = request.POST.get("name", "")
    if NameForm(request.POST).is_valid():
        filters.forget(request.user, name)
    return done(request, f"Filter “{name}” deleted.", changed="filters", to=reverse("home:index"))
