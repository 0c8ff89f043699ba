"""What jobs and their worker do for this feature."""

from dashboard.features.sharing.services.access import update_links
from dashboard.features.sharing.services.batches import MOST
from dashboard.features.sharing.services.desk import KIND
from dashboard.features.sharing.services.keeping import forget_ended
from dashboard.features.sharing.tasks import signing
from dashboard.jobs import Kind, keeping, kinds
from dashboard.tokens import services as tokens


def register() -> None:
    keeping.register(forget_ended)
    tokens.on_change(update_links)
    kinds.register(
        Kind(
            KIND,
            title="Make links",
            step=signing.sign,
            at_once=MOST,
            plan=signing.plan,
            shown=signing.shown,
            changes=("links",),
        )
    )
