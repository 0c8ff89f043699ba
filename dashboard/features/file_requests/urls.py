"""Addresses of file requests: made in a folder, listed at /links/requests/, opened at /r/<code> by anyone with the code."""

from django.urls import path

from dashboard.features.file_requests.views import inbox, requests, sender

app_name = "file_requests"
urlpatterns = [
    path("r/<code>", sender.show, name="open"),
    path("r/<code>/file", sender.upload, name="upload"),
    path("storage/<space>/<bucket>/~request/", requests.new, name="new"),
    path("links/requests/", requests.index, name="index"),
    path("links/requests/<int:request_id>/", inbox.show, name="inbox"),
    path("links/requests/<int:request_id>/edit/", requests.edit, name="edit"),
    path("links/requests/<int:request_id>/ending/", requests.revoke, name="revoke"),
    path("links/requests/<int:request_id>/reopening/", requests.restore, name="restore"),
    path("links/requests/<int:request_id>/accepting/", inbox.accept, name="accept"),
    path("links/requests/<int:request_id>/rejecting/", inbox.reject, name="reject"),
]
