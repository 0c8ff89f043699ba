"""Pages of the journal: the list, one entry, the CSV export."""

from functools import partial
from typing import cast
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET

from dashboard.journal import queries
from dashboard.journal.details import columns, differences
from dashboard.journal.forms import EntriesForm
from dashboard.journal.models import Entry, Outcome
from dashboard.journal.periods import by_day, periods
from dashboard.journal.queries import row
from dashboard.web.files import spreadsheet
from dashboard.web.files.downloads import attach
from dashboard.web.pages.answers import page
from dashboard.web.pages.frame import Viewer, zone_of
from dashboard.web.pages.pagination import part_of_total
from dashboard.web.pages.places import known_name

PER_PAGE = 50


@require_GET
@login_required
def index(request: HttpRequest) -> HttpResponse:
    viewer = cast("Viewer", request.user)
    form = _form(request, viewer)
    filters = form.filters
    found = queries.entries(viewer, filters)
    found = queries.joined(found) if filters.joins else found
    rows = partial(queries.rows, name=partial(known_name, request), joins=filters.joins)
    total = found.count_listed()
    shown = part_of_total(request, total, lambda start, end: rows(found.listed()[start:end]), limit=PER_PAGE)
    context = {
        "form": form,
        "page": shown,
        "by_day": by_day(((row.started_at, row) for row in shown.rows), form.zone),
        "zone": str(form.zone),
        "total": f"{total:,}",
        "days": _days(form),
        "filtered": bool(form.kept),
        "nothing": _nothing(form),
        "everybody": _sees_others(viewer),
        "is_owner": viewer.is_owner,
        "query": request.GET.urlencode(),
    }
    return page(request, "journal/index.html", context, parts={"entries": "journal/_part.html"})


@require_GET
@login_required
def show(request: HttpRequest, entry_id: int) -> HttpResponse:
    viewer = cast("Viewer", request.user)
    entry = queries.visible(viewer).select_related("person", "through").filter(pk=entry_id).first()
    if entry is None:
        raise Http404("This entry does not exist or is not yours.")
    changes, same = differences(entry)
    context = {
        "entry": entry,
        "row": row(entry, name=partial(known_name, request)),
        "changes": changes,
        "columns": columns(changes),
        "same": same,
        "after": "After" if entry.outcome in (Outcome.DONE, Outcome.PARTLY) else "Requested",
        "action_url": queries.action_url(entry),
        "check_url": queries.check_url(viewer, entry),
    }
    return page(request, "journal/show.html", context)


@require_GET
@login_required
def export(request: HttpRequest) -> StreamingHttpResponse:
    """Export all filtered entries as CSV."""
    viewer = cast("Viewer", request.user)
    found = queries.entries(viewer, _form(request, viewer).filters)
    return attach(queries.as_csv(found.listed()), filename=f"journal-{timezone.now():%Y-%m-%d}.csv", kind=spreadsheet.TYPE)


def _form(request: HttpRequest, viewer: Viewer) -> EntriesForm:
    choices = queries.choices(viewer, name=partial(known_name, request))
    return EntriesForm.read(request.GET, choices, everybody=_sees_others(viewer), zone=zone_of(request))


def _nothing(form: EntriesForm) -> str:
    """Return what an empty list says if only days were chosen, else ""."""
    if not form.kept or form.kept.keys() - {"since", "until"}:
        return ""
    return "No changes on this day" if form.cleaned_data["since"] == form.cleaned_data["until"] else "No changes on these days"


def _days(form: EntriesForm) -> list[tuple[str, str, bool]]:
    """Return the days to choose from, within the other filters."""
    others = {name: value for name, value in form.kept.items() if name not in {"since", "until"}}
    chosen = (form.cleaned_data["since"], form.cleaned_data["until"])
    found: list[tuple[str, dict[str, str], bool]] = [("Any day", {}, chosen == (None, None))]
    found += [
        (one.label, one.query, chosen == (one.since, one.until)) for one in periods(timezone.now().astimezone(form.zone).date())
    ]
    home = reverse("journal:index")
    return [(label, f"{home}?{urlencode(others | query)}".rstrip("?"), is_chosen) for label, query, is_chosen in found]


def _sees_others(viewer: Viewer) -> bool:
    """Whether entries of others are listed: for owners, and for people whose tokens others used."""
    return viewer.is_owner or Entry.objects.filter(through_id=viewer.pk).exists()
