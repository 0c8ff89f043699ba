"""Home: what this feature adds to the product."""

from django.conf import settings
from django.urls import reverse

from dashboard.tokens.spaces import SHARED, mode
from dashboard.web.pages import navigation


def _bucket_page() -> str:
    """Return the buckets of the one storage, or those of all projects."""
    return reverse("buckets:index", args=[SHARED]) if mode() == "single" else f"{reverse('home:index')}?view=storage"


covers = ("/projects/", "/storage/", "/organizations/")
navigation.add_section("Home", "house", "home:index", order=0, covers=covers)
navigation.name_pages(buckets=_bucket_page)
navigation.add_section("Hostnames", "globe", "home:hostnames", order=10, is_available=lambda: bool(settings.MANAGEMENT_URL))
