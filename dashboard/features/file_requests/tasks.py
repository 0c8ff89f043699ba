"""Notify owners of file requests of the files that arrived."""

from datetime import timedelta

from django.db.models import Count, Max, Q
from django.urls import reverse
from django.utils import timezone

from dashboard.features.file_requests.models import FileRequest, ReceivedFile
from dashboard.notifications import outbox
from dashboard.web.text import counted

ARRIVED = "files arrived"
LOOKS_BACK = timedelta(days=2)
MOST_REMINDED = 500
QUIET = timedelta(minutes=1)
NOT_ARRIVED = (ReceivedFile.State.SENDING, ReceivedFile.State.MISSING)


def remind() -> None:
    """Notify of the first files of each sender's visit at once, and of more once none has arrived for a minute.

    A file whose answer was lost counts once it is known to have arrived.
    """
    now = timezone.now()
    recent = ReceivedFile.objects.filter(made_at__gt=now - LOOKS_BACK).exclude(state__in=NOT_ARRIVED)
    waiting = Count("pk", filter=Q(state=ReceivedFile.State.RECEIVED))
    visits = recent.order_by().values("request_id", "visit").annotate(waiting=waiting, count=Count("pk"), last=Max("made_at"))
    arrived = visits.order_by("last").filter(waiting__gt=0)
    # The number of files is part of the key, so that further ones notify again.
    found = {f"{visit['request_id']} {visit['visit']} {visit['count']}": visit for visit in arrived}
    for key in outbox.untold(ARRIVED, found)[:MOST_REMINDED]:
        visit = found[key]
        if visit["last"] > now - QUIET and outbox.was_told(ARRIVED, key.rpartition(" ")[0]):
            continue
        asked = FileRequest.objects.select_related("owner").get(pk=visit["request_id"])
        outbox.notify(
            ARRIVED,
            [asked.owner],
            title=f"{counted(visit['waiting'], 'file')} arrived for “{asked.title}”",
            address=reverse("file_requests:inbox", args=[asked.pk]),
            key=key,
            place=asked.space,
        )
