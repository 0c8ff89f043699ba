"""Share links: made in a bucket, kept at /links/, opened at /l/<code> by anybody who has the code."""

from django.urls import path

from dashboard.features.sharing.views import (
    changing,
    desk,
    desk_outputs,
    ending,
    instructing,
    ledger,
    making,
    opening,
    packing,
    sending,
)

app_name = "sharing"
urlpatterns = [
    path("l/<code>", opening.show, name="show"),
    path("l/<code>/all", packing.archive, name="all"),
    path("l/<code>/file", sending.file, name="file"),
    path("l/<code>/file/<ticket>", sending.ticketed, name="ticket"),
    path("storage/<space>/<bucket>/~share/", making.new, name="new"),
    path("storage/<space>/<bucket>/~sign/", desk.index, name="desk"),
    path("storage/<space>/<bucket>/~sign/<int:set_id>/", desk.show, name="signed"),
    path("storage/<space>/<bucket>/~sign/<int:set_id>/signing/", desk.sign, name="signing"),
    path("storage/<space>/<bucket>/~sign/<int:set_id>/forgetting/", desk.forget, name="forgetting"),
    path("storage/<space>/<bucket>/~sign/<int:set_id>/as/<kind>/", desk_outputs.output, name="output"),
    path("links/", ledger.index, name="ledger"),
    path("links/export/", ledger.export, name="export"),
    path("links/presigned/", ledger.raw, name="raw"),
    path("links/presigned/export/", ledger.export_raw, name="export_raw"),
    path("links/ending/", ending.end, name="end_many"),
    path("links/reopening/", ending.reopen, name="reopen_many"),
    path("links/<int:share_id>/", changing.edit, name="edit"),
    path("links/<int:share_id>/ending/", changing.end, name="end"),
    path("links/<int:share_id>/reopening/", changing.reopen, name="reopen"),
    path("projects/<ref>/hostname/instructions/", instructing.new, name="instructions"),
]
