"""Addresses of people, and of the access that they give each other through stored tokens."""

from django.urls import path

from dashboard.features.access.views import active, grants, people
from dashboard.web.pages.former import leads_to

app_name = "access"
urlpatterns = [
    path("", leads_to("people:index"), name="former"),
    path("export/", people.export, name="export"),
    path("new/", grants.new, name="new"),
    path("new/<space>/<bucket>/", grants.new_in_bucket, name="folder"),
    path("folders/", grants.folders, name="folders"),
    path("confirmation/", grants.confirmation, name="confirmation"),
    path("active/", active.switch, name="active"),
    path("<int:grant_id>/", grants.change, name="change"),
    path("<int:grant_id>/revocation/", grants.revocation, name="revocation"),
]
people_urls = [
    path("", people.index, name="index"),
    path("<int:person_id>/", people.person, name="person"),
]
