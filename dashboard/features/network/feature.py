"""Bans and restrictions: what this feature adds to the product."""

from dashboard.facts import registry
from dashboard.features.network import tasks
from dashboard.features.network.services import bans, overview, restrictions
from dashboard.features.network.views import addresses
from dashboard.jobs import schedules
from dashboard.jobs.settlement import register
from dashboard.notifications import kinds
from dashboard.tokens import palette
from dashboard.web.pages import navigation

navigation.add_project_section("network", "Network", "shield", "network:bans", order=50)
palette.add_source("Address", addresses.found, order=5)
palette.add_words("network:bans", "bans banned unban block blocked blocklist firewall ip")
palette.add_words("network:restrictions", "allowed allowlist whitelist firewall cidr ip ranges")
palette.add_action("Lift a ban in {}", "ban", "network:bans")
palette.add_action("Change restrictions of {}", "list-filter", "network:restrictions")
palette.add_action("Find an address in all projects", "search", "home:index", f"?view={registry.NETWORK}")
registry.register(overview.ACCESS)
registry.register(overview.BANS)
schedules.register(restrictions.CHECK_STORED, tasks.check_stored)
kinds.register(kinds.Kind(tasks.STUCK, "Network restrictions not in force"))
register(*bans.RULES, *restrictions.RULES)
