"""Share links: created in a bucket, listed at /links/, opened at /l/<code> by anyone with the code."""

from django.urls import path

from dashboard.features.sharing.views import batch, downloads, ledger, share, visitor

app_name = "sharing"
urlpatterns = [
    path("l/<code>", visitor.show, name="show"),
    path("l/<code>/view", visitor.view, name="view"),
    path("l/<code>/media", visitor.media, name="media"),
    path("l/<code>/page", visitor.document, name="document"),
    path("l/<code>/thumbnail", visitor.thumbnail, name="thumbnail"),
    path("l/<code>/all", downloads.archive, name="all"),
    path("l/<code>/file", downloads.file, name="file"),
    path("l/<code>/file/<ticket>", downloads.ticketed, name="ticket"),
    path("storage/<space>/<bucket>/~share/", share.new, name="new"),
    path("storage/<space>/<bucket>/~sign/", batch.index, name="desk"),
    path("storage/<space>/<bucket>/~sign/<int:set_id>/", batch.show, name="signed"),
    path("storage/<space>/<bucket>/~sign/<int:set_id>/signing/", batch.sign, name="signing"),
    path("storage/<space>/<bucket>/~sign/<int:set_id>/forgetting/", batch.forget, name="forgetting"),
    path("storage/<space>/<bucket>/~sign/<int:set_id>/as/<kind>/", batch.export, name="output"),
    path("links/", ledger.index, name="ledger"),
    path("links/export/", ledger.export, name="export"),
    path("links/presigned/", ledger.raw, name="raw"),
    path("links/presigned/export/", ledger.export_raw, name="export_raw"),
    path("links/ending/", ledger.revoke_many, name="revoke_many"),
    path("links/reopening/", ledger.restore_many, name="restore_many"),
    path("links/<int:share_id>/", share.edit, name="edit"),
    path("links/<int:share_id>/openings/", share.openings, name="openings"),
    path("links/<int:share_id>/ending/", share.revoke, name="revoke"),
    path("links/<int:share_id>/reopening/", share.restore, name="restore"),
    path("projects/<ref>/hostname/instructions/", share.instructions, name="instructions"),
]
