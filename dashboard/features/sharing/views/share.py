"""Create a share link, change its terms, revoke and restore it."""

from collections.abc import Callable
from urllib.parse import urlencode

from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from dashboard.catalog import keys
from dashboard.catalog.selection import Selection, is_posted, keep, selection_of
from dashboard.features.sharing.forms.share import EditForm, NewShareForm, PageForm
from dashboard.features.sharing.views.batch import folder_address
from dashboard.journal.periods import by_day
from dashboard.links import lifecycle
from dashboard.links import openings as links_openings
from dashboard.links.ledger import name_of, visible
from dashboard.links.models import Share
from dashboard.links.pages import page_of
from dashboard.team.access import PersonRequest, signed_in
from dashboard.team.models import Person
from dashboard.team.rights import needs
from dashboard.team.services import rename
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.workspace import Workspace
from dashboard.web.http.requests import public_address
from dashboard.web.input.forms import posted
from dashboard.web.pages.answers import dialog, done, submit
from dashboard.web.pages.confirm import confirm
from dashboard.web.pages.frame import zone_of
from dashboard.web.pages.pagination import part_of_total

KIND = Share.Kind.HOSTNAME


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
@needs("link shared")
def new(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """A link to one object, a selection or a folder."""
    request.workspace.require("storage", space)
    request.workspace.require_act("storage", space, "share")
    if is_posted(request):
        return keep(request, space, bucket)
    selection = selection_of(request, space, bucket)
    many = len(selection.keys) != 1 or bool(selection.folders)
    through = request.workspace.grant_at("storage", space)
    form = NewShareForm(posted(request), person=request.user, many=many, grant=through.grant if through else None)
    context: dict[str, object] = {
        "title": f"Share {selection.title()}",
        "back": folder_address(selection),
        "space": space,
        "bucket": bucket,
        "giving": _giving(request, selection),
    }
    if selection.is_empty:
        return dialog(request, "parts/_none_selected.html", context)
    if selection.filter:
        return dialog(
            request,
            "sharing/_search.html",
            {**context, "desk": f"{reverse('sharing:desk', args=(space, bucket))}?{request.GET.urlencode()}"},
        )
    return submit(
        request,
        form,
        "sharing/_form.html",
        perform=lambda: _make(request.workspace, selection, form),
        then=_created(request, "sharing/_made.html", context),
        context={**context, "lead": "Files added to the folder later are included." if selection.folders else ""},
    )


@require_http_methods(["GET", "HEAD", "POST"])
@with_workspace
@needs("link shared")
def instructions(request: WorkspaceRequest, ref: str) -> HttpResponse:
    """A link to the DNS records of a hostname, with an e-mail to send it. Needs a hostname that is set up."""
    request.workspace.require("management", ref)
    shared = page_of(KIND)
    name = shared.find(request.workspace, ref) if shared else ""
    if shared is None or not name:
        raise Http404("No custom hostname is set up.")
    through = request.workspace.grant_at("management", ref)
    form = PageForm(posted(request), person=request.user, grant=through.grant if through else None)
    context: dict[str, object] = {"title": f"Share instructions for {name}", "back": reverse("hostname:index", args=(ref,))}
    return submit(
        request,
        form,
        "sharing/_new_page.html",
        perform=lambda: lifecycle.make_page(_named(request.user, form), KIND, ref, name, form.terms, through=through),
        then=_created(
            request,
            "sharing/_made.html",
            context,
            more=lambda share, address: {"mail": shared.mail(request.workspace, share, address), "label": "Back to hostname"},
        ),
        context={
            **context,
            "lead": "Anyone with the link sees this hostname's DNS records and their status, and nothing else of the project.",
        },
    )


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
@needs("link changed")
def edit(request: PersonRequest, share_id: int) -> HttpResponse:
    """Expiry, password, limit, note; the address stays. Its owner can copy the address here."""
    share = _share(request, share_id)
    is_mine = share.owner_id == request.user.pk
    form = EditForm(posted(request), share=share, is_mine=is_mine)
    code = share.code if is_mine else ""
    return submit(
        request,
        form,
        "sharing/_edit.html",
        perform=lambda: lifecycle.change(request.user, share, form.terms),
        then=lambda _: done(request, "Link changed. Its address stays.", changed="links", to=reverse("sharing:ledger")),
        context={
            "title": f"Link to {name_of(share)}",
            "lead": _edit_lead(share, is_mine=is_mine),
            "address": address_of(request, code) if code else "",
            "openings": reverse("sharing:openings", args=(share.pk,)) if is_mine and share.opened else "",
            "opened": share.opened,
            "back": reverse("sharing:ledger"),
        },
    )


@require_safe
@signed_in
def openings(request: PersonRequest, share_id: int) -> HttpResponse:
    """When the person's own link was opened, how, and with what device."""
    share = _share(request, share_id)
    if share.owner_id != request.user.pk:
        raise Http404("Only its owner sees when a link was opened.")
    found = links_openings.listed(share)
    shown = part_of_total(request, found.count(), lambda start, end: list(found[start:end]))
    context = {
        "title": f"Openings of {name_of(share)}",
        "lead": f"The last {links_openings.KEPT.days} days. Who opened it isn't kept.",
        "page": shown,
        "by_day": by_day(((opening.at, opening) for opening in shown.rows), zone_of(request)),
        "back": reverse("sharing:ledger"),
    }
    return dialog(request, "sharing/_openings.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def revoke(request: PersonRequest, share_id: int) -> HttpResponse:
    """Takes effect at once, and can be undone."""
    share = _share(request, share_id)
    undo = reverse("sharing:restore", args=(share.pk,))
    return confirm(
        request,
        title=f"Revoke the link to {name_of(share)}",
        button="Revoke link",
        consequences=["The link stops working now, and downloads through Pilothouse stop.", "You can restore it later."],
        perform=lambda: lifecycle.revoke(request.user, Share.objects.filter(pk=share.pk)),
        then=lambda _: done(
            request, f"Link to {name_of(share)} revoked.", changed="links", to=reverse("sharing:ledger"), undo=undo
        ),
        back=reverse("sharing:ledger"),
        danger=False,
    )


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
@needs("link reopened")
def restore(request: PersonRequest, share_id: int) -> HttpResponse:
    """Undo `revoke`."""
    share = _share(request, share_id)
    return confirm(
        request,
        title=f"Restore the link to {name_of(share)}",
        button="Restore link",
        consequences=["The same address works again until it expires."],
        perform=lambda: _restore(request, share),
        then=lambda _: done(request, f"Link to {name_of(share)} restored.", changed="links", to=reverse("sharing:ledger")),
        back=reverse("sharing:ledger"),
        danger=False,
    )


def address_of(request: HttpRequest, code: str) -> str:
    """The absolute address of a share link."""
    return public_address(request, reverse("sharing:show", args=(code,)))


def _created(
    request: WorkspaceRequest,
    template: str,
    context: dict[str, object],
    *,
    more: Callable[[Share, str], dict[str, object]] = lambda _share, _address: {},
) -> Callable[[tuple[Share, str]], HttpResponse]:
    """Show the address of the new link."""

    def then(made: tuple[Share, str]) -> HttpResponse:
        share, code = made
        address = address_of(request, code)
        shown = {**context, "title": "Link created", "share": share, "address": address, **more(share, address)}
        response = dialog(request, template, shown)
        response["HX-Trigger"] = "links:changed"
        return response

    return then


def _named(person: Person, form: NewShareForm) -> Person:
    """Return the person, under the name that was asked for, if any."""
    if name := form.cleaned_data.get("name", ""):
        rename(person, name)
    return person


def _make(workspace: Workspace, selection: Selection, form: NewShareForm) -> tuple[Share, str]:
    if any(keys.is_pending(one) for one in (*selection.keys, *selection.folders)):
        raise ValidationError("Accept the files of a file request before you share them.")
    space, bucket = selection.space, selection.bucket
    workspace.require_reach(space, bucket, keys=selection.keys, folders=selection.folders)
    return lifecycle.make(
        _named(workspace.person, form),
        space,
        bucket,
        keys=selection.keys,
        folders=selection.folders,
        terms=form.terms,
        through=workspace.grant_at("storage", space),
    )


def _restore(request: PersonRequest, share: Share) -> None:
    if not lifecycle.restore(request.user, Share.objects.filter(pk=share.pk)):
        raise ValidationError("Only the person who revoked this link can restore it.")


def _giving(request: WorkspaceRequest, selection: Selection) -> str:
    """Return where to give access to the one folder that is shared. Empty through a grant, which can't be passed on."""
    if request.workspace.grant_at("storage", selection.space) or not selection.only.endswith("/"):
        return ""
    query = {"place": selection.space, "folder": f"{selection.bucket}/{selection.only}"}
    return f"{reverse('access:new')}?{urlencode(query)}"


def _edit_lead(share: Share, *, is_mine: bool) -> str:
    if share.revoked_at:
        return "This link is revoked. Changes apply once it is restored."
    if share.gone_at and share.kind == Share.Kind.OBJECTS:
        return "Its file is missing, so visitors can't open it."
    return "" if is_mine else f"This is {share.owner}'s link: you can make it stricter or revoke it."


def _share(request: PersonRequest, share_id: int) -> Share:
    share = visible(request.user).filter(pk=share_id).first()
    if share is None:
        raise Http404("There is no such link, or it is not yours.")
    return share
