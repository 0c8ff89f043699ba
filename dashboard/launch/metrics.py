"""Serve metrics for Prometheus: those of the process group, and those of the database, which are the same for all processes."""

import logging
from collections.abc import Iterator

from django.db.models import Count, Min
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest, start_http_server
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from dashboard.jobs.lease import due_jobs
from dashboard.jobs.models import Job, State
from dashboard.jobs.worker import live_workers
from dashboard.journal.models import Entry, Outcome
from dashboard.notifications.models import Delivery, Outage
from dashboard.notifications.models import State as Sending

log = logging.getLogger(__name__)


class DatabaseFigures(Collector):
    """Metrics from the database. Scrape them at one process only: each would report the same."""

    def describe(self) -> list[Metric]:
        """Return nothing: registering must not read the database."""
        return []

    def collect(self) -> Iterator[Metric]:
        now = timezone.now()
        jobs = GaugeMetricFamily("pilothouse_jobs", "Jobs by state", labels=["state"])
        counts = dict(Job.objects.order_by().values_list("state").annotate(Count("pk")))
        for state in State:
            jobs.add_metric([state.value], counts.get(state.value, 0))
        yield jobs
        oldest = due_jobs().aggregate(Min("due_at"))["due_at__min"]
        age = (now - oldest).total_seconds() if oldest else 0.0
        yield GaugeMetricFamily("pilothouse_queue_age_seconds", "How long the oldest due job has waited for a worker", age)
        alive = live_workers().count()
        yield GaugeMetricFamily("pilothouse_workers", "Workers that are alive", alive)
        waiting = Delivery.objects.filter(state=Sending.WAITING)
        yield GaugeMetricFamily("pilothouse_notifications_waiting", "Messages that are not sent yet", waiting.count())
        oldest = waiting.aggregate(Min("notification__made_at"))["notification__made_at__min"]
        age = (now - oldest).total_seconds() if oldest else 0.0
        yield GaugeMetricFamily("pilothouse_notification_age_seconds", "How old the oldest message is that is not sent yet", age)
        failing = Outage.objects.count()
        yield GaugeMetricFamily("pilothouse_channels_failing", "Channels of notifications that fail", failing)
        unsettled = Entry.objects.filter(outcome=Outcome.OPEN).count()
        yield GaugeMetricFamily("pilothouse_open_changes", "Changes whose outcome is not known yet", unsettled)


def exposition(request: HttpRequest) -> HttpResponse:
    """Answer a scrape of the web: `/metrics`, or `/metrics/database`. Requests through a proxy get 404."""
    if "X-Forwarded-For" in request.headers:
        return HttpResponse(status=404)
    registry = CollectorRegistry()
    if request.path_info == "/metrics":
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call] # prometheus_client left it out
    else:
        registry.register(DatabaseFigures())
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST, headers={"Cache-Control": "no-store"})


def serve_worker(address: str) -> None:
    """Serve a worker's metrics on a port of its own, in a thread. If the port is in use, the worker runs without metrics."""
    host, _, port = address.rpartition(":")
    try:
        start_http_server(int(port), addr=host.strip("[]"))
    except OSError as error:
        log.warning("The figures of this worker are not served at %s: %s", address, error.strerror)
