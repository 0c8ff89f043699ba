"""Share links and signed links: what this feature adds to the product."""

from dashboard.facts import registry
from dashboard.features.sharing import tasks
from dashboard.features.sharing.services import batch, overview
from dashboard.features.sharing.views.ledger import found
from dashboard.team import hooks
from dashboard.tokens import palette
from dashboard.web.pages import navigation

navigation.add_section("Links", "link", "sharing:ledger", order=20)
registry.register(overview.FACT)
palette.add_source("Links", found, order=80)
palette.add_action("Revoke a share link", "link-2-off", "sharing:ledger")
hooks.possessions.append(
    hooks.Possession("set of signed links", batch.live_of, batch.hand_over, ("link signed",), "sets of signed links")
)
hooks.belongings.append(batch.all_of)
tasks.register()
