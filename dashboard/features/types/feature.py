"""Generated types: what this feature adds to the product."""

from dashboard.tokens import palette
from dashboard.web.pages import navigation

navigation.add_project_section("types", "Types", "braces", "types:index", order=60)
palette.add_words("types:index", "schema schemas typescript database")
