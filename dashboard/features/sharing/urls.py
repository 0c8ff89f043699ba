"""Share links: made in a bucket, kept at /links/, opened at /l/<code> by anybody who has the code."""

from django.urls import path

from dashboard.features.sharing.views import changing, ledger, making, opening, packing, sending

app_name = "sharing"
urlpatterns = [
    path("storage/<space>/<bucket>/~share/", making.new, name="new"),
    path("links/", ledger.index, name="ledger"),
    path("links/<int:share_id>/", changing.edit, name="edit"),
    path("links/<int:share_id>/ending/", changing.end, name="end"),
    path("links/<int:share_id>/reopening/", changing.reopen, name="reopen"),
    path("l/<code>", opening.show, name="show"),
    path("l/<code>/all", packing.archive, name="all"),
    path("l/<code>/file", sending.file, name="file"),
    path("l/<code>/file/<ticket>", sending.ticketed, name="ticket"),
]
