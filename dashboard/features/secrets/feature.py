"""Secrets: what this feature adds to the product."""

from dashboard.facts import registry
from dashboard.features.secrets.services import overview, secrets
from dashboard.features.secrets.views.secrets import found
from dashboard.jobs.settlement import register
from dashboard.tokens import palette
from dashboard.web.pages import navigation

navigation.add_project_section("secrets", "Secrets", "lock-keyhole", "secrets:index", order=20)
registry.register(overview.FACT)
palette.add_words("secrets:index", "keys env environment variables")
palette.add_source("Secrets", found, order=60)
palette.add_action("Add a secret to {}", "lock-keyhole", "secrets:new")
palette.add_action("Paste .env into {}", "clipboard-paste", "secrets:draft")
register(*secrets.RULES)
