"""The root key: what this feature adds to the product."""

from dashboard.features.encryption import services
from dashboard.jobs.settlement import register
from dashboard.tokens import palette
from dashboard.web.pages import navigation

navigation.add_project_section("encryption", "Root key", "key-square", "encryption:index", order=70)
palette.add_words("encryption:index", "keys encryption vault")
register(*services.RULES)
