"""Share links and signed links: what this feature adds to the product."""

from dashboard.facts import registry
from dashboard.features.sharing import tasks
from dashboard.features.sharing.services import access, batch, overview
from dashboard.features.sharing.views.ledger import found
from dashboard.jobs import kinds, retention
from dashboard.links import openings
from dashboard.notifications import delivery
from dashboard.notifications import kinds as notifications
from dashboard.team import hooks
from dashboard.tokens import credentials, palette
from dashboard.web.pages import navigation

navigation.add_section("Links", "link", "sharing:ledger", order=20)
registry.register(overview.FACT)
palette.add_source("Links", found, order=80)
palette.add_words("sharing:ledger", "shared sharing urls openings expired")
palette.add_action("Revoke a share link", "link-2-off", "sharing:ledger")
hooks.possessions.append(
    hooks.Possession("set of signed links", batch.live_of, batch.hand_over, ("link signed",), "sets of signed links")
)
hooks.belongings.append(batch.all_of)
notifications.register(notifications.Kind(tasks.EXPIRES, "Share link about to expire"))
notifications.register(notifications.Kind(tasks.LIMIT, "Share link reached its limit"))
notifications.register(notifications.Kind(tasks.MISSING_FILE, "Shared file missing"))
notifications.register(notifications.Kind(tasks.OPENED, "Share link opened for the first time", is_personal=True))
delivery.add_reminder(tasks.remind)
retention.register(batch.forget_ended)
retention.register(openings.forget)
credentials.on_change(access.update_links)
kinds.register(
    kinds.Kind(
        batch.KIND,
        title="Create links",
        step=tasks.sign,
        batch_size=batch.MOST,
        plan=tasks.plan,
        describe=tasks.describe,
        changes=("links",),
        personal=True,
    )
)
