"""End many links at once, and open them again."""

import json
from dataclasses import replace
from datetime import datetime
from urllib.parse import urlencode

from django.http import HttpResponse, QueryDict
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from dashboard.features.sharing.forms.filters import LedgerForm
from dashboard.features.sharing.services.publicity import known_public
from dashboard.links import ledger, lifecycle
from dashboard.links.ledger import visible
from dashboard.links.models import Share, Shares
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.answers import dialog, done
from dashboard.web.confirm import confirm
from dashboard.web.requests import read_json

CHOICE = "chosen"
# From so many on, their number has to be typed.
MANY = 10


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
def end(request: WorkspaceRequest) -> HttpResponse:
    """A selection (`key`: ids), or with `all=1` every link that matches the filters. Only what has not ended is touched."""
    fields = _fields(request)
    shares = _chosen(request, fields)
    count, home = shares.count(), reverse("sharing:ledger")
    if not count:
        return dialog(request, "sharing/_none_to_end.html", {"title": "End links", "back": home})
    links = f"{count:,} link{'' if count == 1 else 's'}"
    nothing = f"From now on {'its address opens' if count == 1 else 'their addresses open'} nothing."
    people = shares.order_by().values("owner").distinct().count()

    def then(ended: list[int]) -> HttpResponse:
        if not ended:
            return done(request, "They were ended already.", changed="links", to=home)
        moment = Share.objects.values_list("revoked_at", flat=True).get(pk=ended[0])
        undo = f"{reverse('sharing:reopen_many')}?{urlencode({'at': moment.isoformat() if moment else ''})}"
        return done(request, f"{links} ended.", changed="links", to=home, undo=undo)

    return confirm(
        request,
        title=f"End {links}",
        button=f"End {links}",
        consequences=[
            f"{nothing} Downloads that have begun through Pilothouse break off.",
            *([f"They belong to {people:,} people."] if people > 1 else []),
            "They can be opened again together, under the same addresses.",
        ],
        perform=lambda: lifecycle.end(request.user, shares),
        then=then,
        back=home,
        typed=f"{count}" if count >= MANY else None,
        count=count,
        danger=count >= MANY,
        carried={CHOICE: json.dumps({name: fields.getlist(name) for name in fields})},
    )


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
def reopen(request: WorkspaceRequest) -> HttpResponse:
    """Undo `end`: everything that this person ended at one moment."""
    try:
        moment = datetime.fromisoformat(request.GET.get("at", ""))
    except ValueError:
        moment = None
    shares = visible(request.user).filter(revoked_by=request.user, revoked_at=moment) if moment and moment.tzinfo else None
    home = reverse("sharing:ledger")
    if shares is None or not shares.exists():
        return done(request, "There is nothing to open again.", changed="links", to=home)
    links = f"{(count := shares.count()):,} link{'' if count == 1 else 's'}"
    return confirm(
        request,
        title=f"Open {links} again",
        button="Open them again",
        consequences=["The same addresses work again until their ends."],
        perform=lambda: lifecycle.reopen(request.user, shares),
        then=lambda _: done(request, f"{links} opened again.", changed="links", to=home),
        back=home,
        danger=False,
    )


def _fields(request: WorkspaceRequest) -> QueryDict:
    """What was chosen: inside the question's form, else as the list or a link sent it."""
    if CHOICE not in request.POST:
        return request.POST if request.method == "POST" else request.GET
    fields = QueryDict(mutable=True)
    try:
        for name, values in read_json(request.POST[CHOICE], dict[str, list[str]]).items():
            fields.setlist(name, values)
    except ValueError:
        fields.clear()
    return fields


def _chosen(request: WorkspaceRequest, fields: QueryDict) -> Shares:
    if fields.get("all") != "1":
        found = ledger.chosen(request.user, fields.getlist("key"))
    else:
        form = LedgerForm.read(fields, request.user)
        public = known_public(request.workspace, asks=False)
        found = ledger.shares(request.user, replace(form.wanted, public=public))
    return found.live()
