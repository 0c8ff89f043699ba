"""Addresses of dialogs about people of the team."""

from django.urls import path

from dashboard.team import views
from dashboard.web.pages.former import leads_to

app_name = "team"
urlpatterns = [
    path("", leads_to("people:index"), name="former"),
    path("new/", views.new, name="new"),
    path("<int:person_id>/link/", views.link, name="link"),
    path("<int:person_id>/role/", views.role, name="role"),
    path("<int:person_id>/deactivation/", views.deactivation, name="deactivation"),
    path("<int:person_id>/handover/", views.handover, name="handover"),
    path("<int:person_id>/activation/", views.activation, name="activation"),
]
