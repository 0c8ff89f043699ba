"""Whether an object can be had without a token."""

from functools import partial

from django.http import Http404, HttpResponse
from django.views.decorators.http import require_safe

from dashboard.features.objects.rows import bucket_address
from dashboard.features.objects.services.browsing import Query, read_bucket
from dashboard.features.objects.services.publishing import Publicity, publicity, reads_openly, tells_openly
from dashboard.index.places import folder_of, name_of, printable
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.web.answers import dialog
from dashboard.web.pool import side_by_side
from dashboard.web.text import bytes_text


@require_safe
@with_workspace
def check(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """S20 and S21 without a token, beside S4."""
    key = request.GET.get("key", "")
    if not key:
        raise Http404("No object is named.")
    here = (request.workspace, space, bucket)
    found, read, told = side_by_side(
        partial(read_bucket, *here), partial(reads_openly, *here, key), partial(tells_openly, *here, key)
    )
    result = publicity(found, read, told)
    context = {
        "title": f"{printable(name_of(key)) or printable(key)} without a token",
        "result": result,
        "words": _words(result),
        "size": bytes_text(result.size) if result.size is not None else "",
        "back": bucket_address(space, bucket) + Query(path=folder_of(key), open=key).text(),
    }
    return dialog(request, "objects/_publicity.html", context)


def _words(result: Publicity) -> str:
    """What the bucket says of itself, and whether that is true."""
    if result.flagged is None:
        return "What the bucket says of itself could not be read with your token."
    if result.is_true:
        return (
            "The bucket says that it is public, and it is." if result.open else "The bucket says that it is private, and it is."
        )
    if result.open:
        return "The bucket says that it is private, but its objects are handed out. Something before the storage may keep copies."
    return "The bucket says that it is public, but nothing is handed out. The change may not have arrived, or it is barred."
