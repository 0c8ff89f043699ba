"""Notify the owners of file requests of what arrived."""

from datetime import timedelta

from django.db.models import Count
from django.urls import reverse
from django.utils import timezone

from dashboard.features.file_requests.models import FileRequest, ReceivedFile
from dashboard.notifications import outbox
from dashboard.web.text import counted

ARRIVED = "files arrived"
LOOKS_BACK = timedelta(days=2)
MOST_REMINDED = 500


def remind() -> None:
    """Notify once per visit of a sender. A file whose answer was lost counts once it is known to have arrived."""
    received = ReceivedFile.objects.filter(state=ReceivedFile.State.RECEIVED, made_at__gt=timezone.now() - LOOKS_BACK)
    visits = received.order_by().values("request_id", "visit").annotate(count=Count("pk"))[:MOST_REMINDED]
    found = {f"{visit['request_id']} {visit['visit']}": visit for visit in visits}
    untold = outbox.untold(ARRIVED, found)
    for key in untold:
        visit = found[key]
        asked = FileRequest.objects.select_related("owner").get(pk=visit["request_id"])
        outbox.notify(
            ARRIVED,
            [asked.owner],
            title=f"{counted(visit['count'], 'file')} arrived for “{asked.title}”",
            address=reverse("file_requests:inbox", args=[asked.pk]),
            key=key,
            place=asked.space,
        )
