"""Custom hostnames: what this feature adds to the product."""

from dataclasses import replace

from dashboard.facts import registry
from dashboard.features.hostname import tasks
from dashboard.features.hostname.services import hostname, overview, watch
from dashboard.features.hostname.views import instructions
from dashboard.jobs import schedules
from dashboard.jobs.settlement import Rule, register
from dashboard.links import pages
from dashboard.links.models import Share
from dashboard.notifications import kinds
from dashboard.team import hooks
from dashboard.tokens import palette
from dashboard.web.pages import navigation

navigation.add_project_section("hostname", "Hostname", "globe", "hostname:index", order=40, covers=("sharing",))
review = registry.Review(registry.HOSTNAMES, tasks.check_listed, hostname.remembered_lately)
for fact in (replace(overview.FACT, review=review), *overview.COLUMNS):
    registry.register(fact)
hooks.possessions.append(hooks.Possession("automatic check", watch.checks_of, watch.hand_over, ("hostname watched",)))
schedules.register(watch.WATCH, tasks.run_watch, ended=tasks.watch_ended)
schedules.register(watch.DAILY, tasks.run_daily)
register("M17", Rule(hostname.read_back, hostname.is_set_up, then=hostname.after_setup))
register("M18", Rule(hostname.read_back, hostname.has_moved_on, then=hostname.remember_found))
register("M19", Rule(hostname.read_back, hostname.is_active, then=hostname.after_activation))
register("M16", Rule(hostname.read_back, hostname.is_deleted, then=hostname.after_deletion))
kinds.register(kinds.Kind(tasks.CHECKED, "Automatic hostname check finished"))
kinds.register(kinds.Kind(tasks.BROKEN, "Custom hostname broken"))
for view in ("hostname:index", "home:hostnames"):
    palette.add_words(view, "dns cname domain certificate tls")
pages.register(Share.Kind.HOSTNAME, instructions.PAGE)
