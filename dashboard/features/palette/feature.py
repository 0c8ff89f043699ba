"""The command palette: what this feature adds to the product."""

from dashboard.features.palette import views
from dashboard.tokens.palette import add_action, add_source

add_source("Sections", views.sections, order=20)
add_source("Actions", views.actions, order=30)
add_action("Add a person", "user-plus", "team:new")
add_action("Jobs", "list-checks", "jobs:index")
add_action("Notifications", "bell", "notifications:index")
add_source("People", views.people, order=90)
add_source("Activity", views.activity, order=100)
