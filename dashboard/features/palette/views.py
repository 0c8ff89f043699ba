"""The command palette as a dialog and as a page, and the keyboard map."""

from collections.abc import Iterator
from itertools import islice
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.db.models import Q
from django.http import HttpResponse
from django.urls import resolve, reverse
from django.utils import timezone
from django.views.decorators.http import require_GET

from dashboard.interfaces.management.projects import Project
from dashboard.journal import queries
from dashboard.journal.periods import periods
from dashboard.journal.queries import Filters
from dashboard.team import services as team
from dashboard.team.models import Person
from dashboard.tokens import names, palette
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.refusals import shows_section
from dashboard.tokens.workspace import Workspace
from dashboard.web.pages import navigation
from dashboard.web.pages.answers import dialog
from dashboard.web.pages.finder import Group, Hit, Matches, find, matching, query_of
from dashboard.web.pages.frame import zone_of
from dashboard.web.pages.htmx import htmx_of
from dashboard.web.pages.places import place_of

MOST = 6
# If nothing matches, this many of the latest entries are searched for the text.
LATEST_ENTRIES = 5000


@require_GET
@with_workspace
def index(request: WorkspaceRequest) -> HttpResponse:
    query = query_of(request)
    groups = [Group(source.title, list(islice(source.find(request, query), MOST))) for source in palette.sources()]
    matches = Matches(
        action=request.path,
        query=query,
        hint="Search projects, files, links, actions",
        none=f"Nothing found. {_left_out(request.workspace)}",
        groups=[group for group in groups if group.hits],
    )
    return find(request, matches, title="Search")


@require_GET
@with_workspace
def keys(request: WorkspaceRequest) -> HttpResponse:
    """Show the keyboard map, with the letters of the page it was opened from."""
    place = place_of(request, urlsplit(htmx_of(request).current_url or "").path or "/")
    links = place.links if place and place.links else navigation.sections(request)
    context = {"title": "Keyboard shortcuts", "links": links, "switch": place.switch if place else None, "back": "/"}
    return dialog(request, "palette/_keys.html", context)


def sections(request: WorkspaceRequest, query: str) -> Iterator[Hit]:
    """Yield sections of the product, and of each project."""
    pages = [(link, palette.words_for(resolve(link.href).view_name)) for link in navigation.sections(request)]
    yield from matching(query, (Hit(name=one.label, href=one.href, icon=one.icon, also=words) for one, words in pages))
    if query:
        labels = {f"{one.label} {palette.words_for(one.view)}": one for one in navigation.available_sections()}
        for text, project in _about_projects(request, query, list(labels)):
            section = labels[text]
            if shows_section(request, project.id, section.key):
                href = reverse(section.view, args=(project.id,))
                yield Hit(name=section.label, href=href, icon=section.icon, note=project.name)


def actions(request: WorkspaceRequest, query: str) -> Iterator[Hit]:
    """Yield actions, everywhere and in each project."""
    if not query:
        return
    everywhere = [one for one in palette.actions() if "{}" not in one.label]
    # Words are those of a whole page, and a query leads to a part of it.
    pages = [(one, "" if one.query else palette.words_for(one.view)) for one in everywhere]
    hits = (Hit(name=one.label, href=reverse(one.view) + one.query, icon=one.icon, also=words) for one, words in pages)
    yield from matching(query, hits)
    known = {f"{one.label} {palette.words_for(one.view)}": one for one in palette.actions() if "{}" in one.label}
    for text, project in _about_projects(request, query, list(known)):
        action = known[text]
        yield Hit(name=action.label.format(project.name), href=reverse(action.view, args=(project.id,)), icon=action.icon)


def people(request: WorkspaceRequest, query: str) -> Iterator[Hit]:
    """Yield members of the team, by address only for those who see addresses."""
    found, is_open = Person.objects.filter(is_active=True), team.sees_accounts(request.user)
    for word in query.split():
        found = found.filter(Q(name__icontains=word) | (Q(email__icontains=word) if is_open else Q()))
    for person in found[:MOST] if query else ():
        yield Hit(
            name=team.name_for(request.user, person),
            href=reverse("people:person", args=[person.pk]),
            icon="user",
            note=person.email if person.name and is_open else "",
        )


def activity(request: WorkspaceRequest, query: str) -> Iterator[Hit]:
    """Days of the activity, then the person's entries; for owners, everybody's."""
    if query:
        home, today = reverse("journal:index"), timezone.now().astimezone(zone_of(request)).date()
        days = (
            Hit(
                name=f"Changes {one.label.lower()}",
                href=f"{home}?{urlencode(one.query)}",
                icon="activity",
                note="Activity",
                also="who changed what",
            )
            for one in periods(today)
        )
        yield from matching(query, days)
    newest = queries.visible(request.user).values_list("pk", flat=True).first() if query else None
    if newest is not None:
        found = queries.entries(request.user, Filters(q=query)).listed().filter(pk__gt=newest - LATEST_ENTRIES)
        for row in queries.rows(found[:MOST], name=request.workspace.known_name, joins=False):
            yield Hit(name=f"{row.what} {row.target}", href=row.href, icon="activity", note=row.outcome)


def _left_out(workspace: Workspace) -> str:
    """Return what was not searched, and why."""
    lacks_projects = settings.MANAGEMENT_URL and not workspace.projects()
    if lacks_projects and not all(names.knows(fingerprint) for fingerprint in workspace.listing_fingerprints):
        return "The service didn't list the projects. Try again in a moment."
    return "Buckets are searched once they are counted."


def _about_projects(request: WorkspaceRequest, query: str, labels: list[str]) -> Iterator[tuple[str, Project]]:
    """Yield pairs of a label and a project that together contain every word; the label contains at least one."""
    words = query.casefold().split()
    for project in palette.projects(request):
        name = project.name.casefold()
        rest = [word for word in words if word not in name] or words
        for label in labels:
            if all(word in label.casefold() for word in rest):
                yield label, project
