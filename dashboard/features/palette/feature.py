"""The command palette: what this feature adds to the product."""

from dashboard.features.palette import views
from dashboard.tokens.palette import add_action, add_source, add_words

add_source("Sections", views.sections, order=20)
add_source("Actions", views.actions, order=30)
add_action("Add a person", "user-plus", "team:new")
add_action("Jobs", "list-checks", "jobs:index")
add_action("Notifications", "bell", "notifications:index")
add_words("team:new", "invite a colleague member user")
add_words("notifications:index", "e-mail email mail alerts messages")
add_words("journal:index", "audit log logs history changes who changed what")
add_source("People", views.people, order=90)
add_source("Activity", views.activity, order=100)
