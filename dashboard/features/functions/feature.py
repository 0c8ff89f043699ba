"""Functions: what this feature adds to the product."""

from dashboard.facts import registry
from dashboard.features.functions import tasks
from dashboard.features.functions.services import deploy, functions, overview, verification
from dashboard.features.functions.views.functions import delete_anew, found
from dashboard.jobs.settlement import Resend, Rule, register
from dashboard.notifications import delivery, kinds
from dashboard.tokens import palette
from dashboard.web.pages import navigation

navigation.add_project_section("functions", "Functions", "square-function", "functions:index", order=30)
navigation.add_inner("slug", "functions:show", of="ref")
registry.register(overview.FACT)
palette.add_words("functions:index", "jwt roll back rollback versions deploy edge code")
palette.add_source("Functions", found, order=50)
palette.add_action("Deploy a function to {}", "rocket", "functions:new")
kinds.register(kinds.Kind(tasks.CHANGED, "Function created, changed or deleted"))
delivery.add_reminder(tasks.remind)
changed = Rule(verification.read_state, verification.is_changed, then=deploy.keep_found)
register("M9", changed)
register("M12", changed)
resend = Resend(before=functions.before_in, send=functions.delete_again, review=delete_anew)
register("M13", Rule(verification.read_state, verification.is_deleted, resend=resend))
