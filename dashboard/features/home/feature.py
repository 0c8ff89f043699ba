"""Home: what this feature adds to the product."""

from django.conf import settings

from dashboard.web.pages import navigation

covers = ("/projects/", "/storage/", "/organizations/")
navigation.add_section("Home", "house", "home:index", order=0, covers=covers)
navigation.name_pages(buckets="home:index?view=storage")
navigation.add_section("Hostnames", "globe", "home:hostnames", order=10, is_available=lambda: bool(settings.MANAGEMENT_URL))
