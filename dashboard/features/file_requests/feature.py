"""File requests: what this feature adds to the product."""

from dashboard.features.file_requests import tasks
from dashboard.features.file_requests.models import FileRequest
from dashboard.features.file_requests.services import folders, inbox, reservations
from dashboard.jobs import retention
from dashboard.jobs.settlement import register
from dashboard.links import holders, lifecycle
from dashboard.notifications import delivery, kinds
from dashboard.team import hooks

hooks.belongings.append(lambda person: person.filerequests.all())
hooks.possessions.append(lifecycle.possession("file request", FileRequest))
register(*inbox.RULES)
retention.register(reservations.settle_stale)
kinds.register(kinds.Kind(tasks.ARRIVED, "Requested files arrived"))
delivery.add_reminder(tasks.remind)
holders.register(folders.HOLDER)
