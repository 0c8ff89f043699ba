"""Share links: made in a bucket, kept at /links/, opened at /l/<code> by anybody who has the code."""

from django.urls import path

from dashboard.features.sharing.views import (
    archive,
    batch,
    batch_files,
    create,
    dns_records,
    download,
    ledger,
    revoke,
    share,
    visitor,
)

app_name = "sharing"
urlpatterns = [
    path("l/<code>", visitor.show, name="show"),
    path("l/<code>/all", archive.archive, name="all"),
    path("l/<code>/file", download.file, name="file"),
    path("l/<code>/file/<ticket>", download.ticketed, name="ticket"),
    path("storage/<space>/<bucket>/~share/", create.new, name="new"),
    path("storage/<space>/<bucket>/~sign/", batch.index, name="desk"),
    path("storage/<space>/<bucket>/~sign/<int:set_id>/", batch.show, name="signed"),
    path("storage/<space>/<bucket>/~sign/<int:set_id>/signing/", batch.sign, name="signing"),
    path("storage/<space>/<bucket>/~sign/<int:set_id>/forgetting/", batch.forget, name="forgetting"),
    path("storage/<space>/<bucket>/~sign/<int:set_id>/as/<kind>/", batch_files.output, name="output"),
    path("links/", ledger.index, name="ledger"),
    path("links/export/", ledger.export, name="export"),
    path("links/presigned/", ledger.raw, name="raw"),
    path("links/presigned/export/", ledger.export_raw, name="export_raw"),
    path("links/ending/", revoke.end, name="end_many"),
    path("links/reopening/", revoke.reopen, name="reopen_many"),
    path("links/<int:share_id>/", share.edit, name="edit"),
    path("links/<int:share_id>/ending/", share.end, name="end"),
    path("links/<int:share_id>/reopening/", share.reopen, name="reopen"),
    path("projects/<ref>/hostname/instructions/", dns_records.new, name="instructions"),
]
