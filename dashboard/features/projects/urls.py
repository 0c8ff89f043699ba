"""Addresses of projects. `organization_urls` are those of organizations."""

from django.urls import path

from dashboard.features.projects.views import create, organizations, projects
from dashboard.web.pages.former import leads_to

app_name = "projects"
urlpatterns = [
    # The list of projects until 1.0.
    path("", leads_to("home:index"), name="former"),
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
