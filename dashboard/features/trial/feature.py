"""The sandbox: what this feature adds to the product."""

from django.conf import settings

from dashboard.features.trial.views.line import line_of
from dashboard.web.pages import frame, navigation

frame.add("sandbox_line", line_of)
navigation.add_section("Sandbox", "flask-conical", "trial:index", order=70, is_available=lambda: bool(settings.SANDBOX_URL))
