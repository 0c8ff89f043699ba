"""Addresses of access: what people can reach through somebody's stored token."""

from django.urls import path

from dashboard.features.access.views import active, grants

app_name = "access"
urlpatterns = [
    path("", grants.index, name="index"),
    path("export/", grants.export, name="export"),
    path("new/", grants.new, name="new"),
    path("new/<space>/<bucket>/", grants.new_in_bucket, name="folder"),
    path("confirmation/", grants.confirmation, name="confirmation"),
    path("active/", active.switch, name="active"),
    path("<int:grant_id>/", grants.change, name="change"),
    path("<int:grant_id>/revocation/", grants.revocation, name="revocation"),
]
