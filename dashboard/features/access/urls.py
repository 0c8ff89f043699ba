"""Addresses of people, and of the access that they give each other through stored tokens."""

from django.contrib.auth.decorators import login_required
from django.urls import path
from django.views.decorators.http import require_GET
from django.views.generic import RedirectView

from dashboard.features.access.views import active, grants, people

app_name = "access"
urlpatterns = [
    path("", require_GET(login_required(RedirectView.as_view(pattern_name="people:index", query_string=True))), name="former"),
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
