"""Whether an object can be had without a token."""

from functools import partial

from django.http import Http404, HttpResponse
from django.views.decorators.http import require_safe

from dashboard.catalog.keys import folder_of, name_of, printable
from dashboard.features.objects.services.browse import Query, read_bucket
from dashboard.features.objects.views.rows import bucket_address
from dashboard.interfaces.storage.buckets import Bucket
from dashboard.tokens.access import WorkspaceRequest, with_workspace
from dashboard.tokens.public_access import look
from dashboard.web.answers import dialog
from dashboard.web.parallel import later
from dashboard.web.text import bytes_text


@require_safe
@with_workspace
def check(request: WorkspaceRequest, space: str, bucket: str) -> HttpResponse:
    """S20 and S21 without a token, beside S4."""
    key = request.GET.get("key", "")
    if not key:
        raise Http404("No object is named.")
    asked = later(partial(read_bucket, request.workspace, space, bucket))
    seen = look(request.workspace.storage(space), bucket, key)
    found = asked.result()
    flagged = found.is_public if isinstance(found, Bucket) else None
    tone, title, words = _meaning(flagged, is_open=seen.bytes == "given", is_told=seen.bytes != "untold")
    context = {
        "title": f"{printable(name_of(key)) or printable(key)} without a token",
        "seen": seen,
        "tone": tone,
        "result": title,
        "words": words,
        "size": bytes_text(seen.size) if seen.size is not None else "",
        "back": bucket_address(space, bucket) + Query(path=folder_of(key), open=key).text(),
    }
    return dialog(request, "objects/_publicity.html", context)


def _meaning(flagged: bool | None, *, is_open: bool, is_told: bool) -> tuple[str, str, str]:
    """Tone, title and text: what the bucket says of itself (`flagged`), and whether that is true."""
    if not is_told:
        return "attention", "Could not be tried", "The request without a token brought no answer that says yes or no."
    title = "Anybody can read it" if is_open else "Nobody can read it without a token"
    usual = "attention" if is_open else "good"
    if flagged is None:
        return usual, title, "What the bucket says of itself could not be read with your token."
    if flagged == is_open:
        says = "public" if is_open else "private"
        return usual, title, f"The bucket says that it is {says}, and it is."
    if is_open:
        text = "The bucket says that it is private, but its objects are handed out. Something before the storage may keep copies."
    else:
        text = "The bucket says that it is public, but nothing is handed out. The change may not have arrived, or it is barred."
    return "danger", title, text
