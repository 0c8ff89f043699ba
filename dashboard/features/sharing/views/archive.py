"""All files of a link as one archive."""

from collections.abc import Iterator

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_safe

from dashboard.catalog.archive_names import Names
from dashboard.features.sharing.rules.crawlers import is_preview
from dashboard.features.sharing.services import contents, unlock
from dashboard.features.sharing.services.streams import broken_off
from dashboard.features.sharing.services.visits import noticing
from dashboard.features.sharing.views import end_states
from dashboard.features.sharing.views.end_states import Dead, require_objects, require_open
from dashboard.features.sharing.views.guard import by_code
from dashboard.links import access
from dashboard.links.ledger import name_of
from dashboard.links.models import Share
from dashboard.tokens.actor import acting_as
from dashboard.web.archive import FAILED, PADDING, Member, length, pack
from dashboard.web.downloads import attach, redirect
from dashboard.web.parallel import later
from dashboard.web.transfers import transfer


@require_safe
@by_code
def archive(request: HttpRequest, share: Share, code: str) -> HttpResponseBase:
    """S13 for what there is, then S18 of each, packed while it is sent. It counts as one download; a look at the head as none."""
    require_objects(share)
    require_open(share)
    if unlock.is_locked(request, share) or is_preview(request) or contents.single_of(share):
        return redirect(reverse("sharing:show", args=(code,)))
    if request.method == "HEAD":
        return HttpResponse(content_type="application/zip")
    return _packed(share, code)


@transfer
def _packed(share: Share, code: str) -> HttpResponseBase:
    with noticing(share, single=False), acting_as(share.owner) as workspace:
        storage = workspace.storage(share.space)
        found = contents.read_all(storage, share, name_of(share))
    if not found.packs:
        return redirect(reverse("sharing:show", args=(code,)))
    files = [file for file in found.files if not file.gone]
    names = Names(taken=(FAILED, PADDING)).give([file.name for file in files])
    members = [Member(str(number), name, files[number].bytes or 0) for number, name in enumerate(names)]
    if not access.take(share):
        share.refresh_from_db()
        require_open(share)
        raise Dead(end_states.ENDED)
    blocks: Iterator[bytes] = pack(
        members,
        open_object=lambda number: storage.objects.read(files[int(number)].bucket, files[int(number)].key),
        begin=later,
        comment="Packed by Pilothouse.",
    )
    title = found.title.strip("/") or "shared"
    return attach(broken_off(blocks, share), filename=f"{title}.zip", kind="application/zip", length=length(members))
