"""The root key: what this feature adds to the product."""

from dashboard.features.encryption import services, views
from dashboard.jobs.settlement import Resend, Rule, register
from dashboard.web.pages import navigation

navigation.add_project_section("encryption", "Root key", "key-square", "encryption:index", order=70)
resend = Resend(services.before_in, services.send_again, views.replace_anew, is_gated=True)
register("M21", Rule(read=services.read_state, shows=services.is_new_key, resend=resend))
