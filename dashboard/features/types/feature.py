"""Generated types: what this feature adds to the product."""

from dashboard.web.pages import navigation

navigation.add_project_section("types", "Types", "braces", "types:index", order=60)
