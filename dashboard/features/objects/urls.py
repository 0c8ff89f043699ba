"""Verbs begin with `~`, which no bucket name holds; keys and folders are always in the query or the form."""

from django.urls import path

from dashboard.features.objects.views import (
    archive,
    batch,
    browse,
    delete,
    details,
    download,
    folders,
    links,
    preview,
    public_access,
    thumbnails,
    upload,
)

app_name = "objects"
urlpatterns = [
    path("<space>/<bucket>/", browse.index, name="index"),
    path("<space>/<bucket>/~details/", details.details, name="details"),
    path("<space>/<bucket>/~path/", folders.go, name="going"),
    path("<space>/<bucket>/~path/offers/", folders.suggest, name="paths"),
    path("<space>/<bucket>/~folder/", folders.new, name="folder"),
    path("<space>/<bucket>/~upload/", upload.upload, name="upload"),
    path("<space>/<bucket>/~upload/tray/", upload.tray, name="tray"),
    path("<space>/<bucket>/~upload/batch/", batch.show, name="batch"),
    path("<space>/<bucket>/~upload/batch/export/", batch.export, name="batch_export"),
    path("<space>/<bucket>/~upload/plan/", upload.plan, name="plan"),
    path("<space>/<bucket>/~upload/check/", upload.check, name="check"),
    path("<space>/<bucket>/~download/", download.download, name="download"),
    path("<space>/<bucket>/~download/archive/", archive.archive, name="archive"),
    path("<space>/<bucket>/~download/manifest/", archive.link_list, name="manifest"),
    path("<space>/<bucket>/~preview/", preview.preview, name="preview"),
    path("<space>/<bucket>/~preview/bytes/", preview.media, name="bytes"),
    path("<space>/<bucket>/~preview/page/", preview.document_picture, name="page"),
    path("<space>/<bucket>/~preview/document/", preview.document, name="document"),
    path("<space>/<bucket>/~preview/thumbnail/", thumbnails.thumbnail, name="thumbnail"),
    path("<space>/<bucket>/~details/public/", public_access.public_access, name="publicity"),
    path("<space>/<bucket>/~links/", links.new, name="links"),
    path("<space>/<bucket>/~deletion/", delete.delete, name="deletion"),
    path("<space>/<bucket>/~deletion/selection/", delete.delete_selection, name="selection"),
]
