"""Addresses of dialogs about people of the team."""

from django.contrib.auth.decorators import login_required
from django.urls import path
from django.views.decorators.http import require_GET
from django.views.generic import RedirectView

from dashboard.team import views

app_name = "team"
urlpatterns = [
    path("", require_GET(login_required(RedirectView.as_view(pattern_name="people:index", query_string=True))), name="former"),
    path("new/", views.new, name="new"),
    path("<int:person_id>/link/", views.link, name="link"),
    path("<int:person_id>/role/", views.role, name="role"),
    path("<int:person_id>/deactivation/", views.deactivation, name="deactivation"),
    path("<int:person_id>/handover/", views.handover, name="handover"),
    path("<int:person_id>/activation/", views.activation, name="activation"),
]
