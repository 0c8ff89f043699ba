"""What jobs and their worker do for this feature."""

from dashboard.features.sharing.services.access import update_links
from dashboard.features.sharing.services.batch import KIND
from dashboard.features.sharing.services.link_sets import forget_ended
from dashboard.features.sharing.services.signatures import MOST
from dashboard.features.sharing.tasks import batch
from dashboard.jobs import kinds, retention
from dashboard.jobs.kinds import Kind
from dashboard.tokens import credentials as tokens


def register() -> None:
    retention.register(forget_ended)
    tokens.on_change(update_links)
    kinds.register(
        Kind(
            KIND,
            title="Make links",
            step=batch.sign,
            batch_size=MOST,
            plan=batch.plan,
            describe=batch.shown,
            changes=("links",),
        )
    )
