"""People and the access that they give each other: what this feature adds to the product."""

from dashboard.features.access import tasks
from dashboard.features.access.services import folders
from dashboard.features.access.views.active import acting, give_access
from dashboard.features.access.views.people import givable
from dashboard.links import holders
from dashboard.notifications import delivery
from dashboard.tokens import palette
from dashboard.web.pages import frame, navigation

navigation.add_section("People", "users", "people:index", order=60)
palette.add_words("people:index", "team members users colleagues roles grants permissions access invite")
palette.add_source("Access", givable, order=9)
palette.add_action("Give access", "user-plus", "access:new")
frame.add("acting", acting)
frame.add("give_access", give_access)
delivery.add_reminder(tasks.remind)
holders.register(folders.HOLDER)
