"""Bans and restrictions: what this feature adds to the product."""

from dashboard.facts import registry
from dashboard.features.network import tasks
from dashboard.features.network.services import bans, overview, restrictions
from dashboard.features.network.views import addresses
from dashboard.features.network.views.bans import lift_anew
from dashboard.features.network.views.review import apply_anew
from dashboard.jobs import schedules
from dashboard.jobs.settlement import Resend, Rule, register
from dashboard.notifications import kinds
from dashboard.tokens import palette
from dashboard.web.pages import navigation

navigation.add_project_section("network", "Network", "shield", "network:bans", order=50)
palette.add_source("Address", addresses.found, order=5)
palette.add_words("network:bans", "bans banned unban firewall ip")
palette.add_words("network:restrictions", "allowlist whitelist firewall cidr ip ranges")
palette.add_action("Lift a ban in {}", "ban", "network:bans")
palette.add_action("Change restrictions of {}", "list-filter", "network:restrictions")
palette.add_action("Find an address in all projects", "search", "home:index", f"?view={registry.NETWORK}")
registry.register(overview.ACCESS)
registry.register(overview.BANS)
schedules.register(restrictions.CHECK_STORED, tasks.check_stored)
kinds.register(kinds.Kind(tasks.STUCK, "Network restrictions not in force"))
lift = Resend(before=bans.before_in, send=bans.lift_again, review=lift_anew)
register("M23", Rule(read=bans.read_back, shows=bans.are_lifted, resend=lift))
apply = Resend(before=restrictions.before_in, send=restrictions.apply_again, review=apply_anew)
sent = Rule(restrictions.read_back, restrictions.is_applied, then=restrictions.after_apply, resend=apply)
register("M25", sent)
