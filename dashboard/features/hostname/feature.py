"""Custom hostnames: what this feature adds to the product."""

from dataclasses import replace

from dashboard.facts import registry
from dashboard.features.hostname import tasks
from dashboard.features.hostname.services import hostname, overview, watch
from dashboard.features.hostname.views import instructions
from dashboard.jobs import schedules
from dashboard.jobs.settlement import register
from dashboard.links import pages
from dashboard.links.models import Share
from dashboard.notifications import kinds
from dashboard.team import hooks
from dashboard.tokens import palette
from dashboard.web.pages import navigation

navigation.add_project_section("hostname", "Hostname", "globe", "hostname:index", order=40, covers=("sharing",))
review = registry.Review(registry.HOSTNAMES, tasks.check_listed, hostname.remembered_lately, overview.dailies_of)
for fact in (replace(overview.FACT, review=review), *overview.COLUMNS):
    registry.register(fact)
hooks.possessions.append(hooks.Possession("automatic check", watch.checks_of, watch.hand_over, ("hostname watched",)))
schedules.register(watch.WATCH, tasks.run_watch, ended=tasks.watch_ended)
schedules.register(watch.DAILY, tasks.run_daily)
register(*hostname.RULES)
kinds.register(kinds.Kind(tasks.CHECKED, "Automatic hostname check finished"))
kinds.register(kinds.Kind(tasks.BROKEN, "Custom hostname broken"))
for view in ("hostname:index", "home:hostnames"):
    palette.add_words(view, "dns cname domain certificate tls ssl https")
pages.register(Share.Kind.HOSTNAME, instructions.PAGE)
