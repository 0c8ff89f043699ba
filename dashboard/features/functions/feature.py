"""Functions: what this feature adds to the product."""

from dashboard.facts import registry
from dashboard.features.functions import tasks
from dashboard.features.functions.services import deploy, functions, overview
from dashboard.features.functions.views.functions import found
from dashboard.jobs.settlement import register
from dashboard.notifications import delivery, kinds
from dashboard.tokens import palette
from dashboard.web.pages import navigation

navigation.add_project_section("functions", "Functions", "square-function", "functions:index", order=30)
navigation.add_inner("slug", "functions:show", of="ref")
registry.register(overview.FACT)
palette.add_words("functions:index", "jwt cors roll back rollback versions deploy edge code")
palette.add_source("Functions", found, order=50)
palette.add_action("Deploy a function to {}", "rocket", "functions:new")
kinds.register(kinds.Kind(tasks.CHANGED, "Function created, changed or deleted"))
delivery.add_reminder(tasks.remind)
register(*deploy.RULES, *functions.RULES)
