"""Addresses of projects. `organization_urls` are those of organizations."""

from django.contrib.auth.decorators import login_required
from django.urls import path
from django.views.decorators.http import require_GET
from django.views.generic import RedirectView

from dashboard.features.projects.views import create, organizations, projects

app_name = "projects"
urlpatterns = [
    # The list of projects until 1.0.
    path("", require_GET(login_required(RedirectView.as_view(pattern_name="home:index", query_string=True))), name="former"),
    path("new/", create.new, name="new"),
    path("new/<uuid:review_id>/", create.review, name="review"),
    path("new/<uuid:review_id>/change/", create.change, name="change"),
    path("<ref>/", projects.show, name="show"),
    path("<ref>/arrival/", create.arrival, name="arrival"),
    path("<ref>/facts/", projects.facts, name="facts"),
    path("<ref>/label/", projects.label, name="label"),
    path("<ref>/switch/", projects.switch, name="switch"),
]
organization_urls = [
    path("", organizations.index, name="index"),
    path("new/", organizations.new, name="new"),
]
