"""Every component in every state, for developers. Nothing here changes anything."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods

from dashboard.features.patterns import records
from dashboard.features.patterns.forms import EveryField, ShortForm
from dashboard.web.pages.answers import done, page, submit
from dashboard.web.pages.confirm import confirm
from dashboard.web.pages.sort_order import read_sort
from dashboard.web.text import search_text

WRONG = {
    "wrong-name": "Not a name, and much too long for the field that it was typed into, as far as anyone can see",
    "wrong-region": "mars",
}


@require_GET
@login_required
def index(request: HttpRequest) -> HttpResponse:
    form, refused = EveryField(prefix="well"), EveryField(WRONG, {}, prefix="wrong")
    refused.add_error(None, "Refused by the storage service: it exists already. It reported: “The resource already exists”")
    context = {
        **_list(request),
        "form": form,
        "refused": refused,
        "problems": records.problems(),
        "states": records.STATES,
        "now": timezone.now(),
        "long": records.LONG,
    }
    return page(request, "patterns/index.html", context, parts={"pattern-list": "patterns/_list.html"})


@require_GET
@login_required
def things(request: HttpRequest) -> HttpResponse:
    return page(request, "patterns/list.html", _list(request), parts={"pattern-list": "patterns/_list.html"})


@require_http_methods(["GET", "POST"])
@login_required
def new(request: HttpRequest) -> HttpResponse:
    form = ShortForm(request.POST or None)
    return submit(
        request,
        form,
        context={"title": "Add a thing", "lead": "It is not kept.", "button": "Add thing", "back": reverse("patterns:index")},
        perform=lambda: form.cleaned_data["name"],
        then=lambda name: done(request, f"{name} added.", changed="things", to=reverse("patterns:index")),
    )


@require_http_methods(["GET", "POST"])
@login_required
def delete(request: HttpRequest, tier: str) -> HttpResponse:
    tiers: dict[str, tuple[str | None, int | None]] = {"one": (None, None), "named": ("photos", None), "many": ("photos", 4312)}
    if tier not in tiers:
        raise Http404
    typed, count = tiers[tier]
    return confirm(
        request,
        title="Delete photos?",
        button="Delete photos" if count is None else f"Delete photos and {count:,} objects",
        consequences=["Links to its objects stop working at once.", "It cannot be brought back."],
        perform=lambda: None,
        then=lambda _: done(request, "photos deleted.", changed="things", to=reverse("patterns:index")),
        back=reverse("patterns:index"),
        typed=typed,
        count=count,
    )


@require_http_methods(["GET", "POST"])
@login_required
def problem(request: HttpRequest, kind: str) -> HttpResponse:  # noqa: ARG001 - a view takes a request
    if kind not in records.KINDS:
        raise Http404
    raise records.failure(kind)


def _list(request: HttpRequest) -> dict[str, object]:
    query, sort = search_text(request.GET.get("q", "")), read_sort(request.GET, ["name"])
    return {
        "rows": records.rows(query, descending=sort.descending),
        "sort": sort,
        "query": query,
        "address": reverse("patterns:list"),
    }
