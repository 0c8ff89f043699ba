"""The verbs of a bucket begin with `~`, which no bucket name holds; keys and folders stand in the query or the form only."""

from django.urls import path

from dashboard.features.objects.views import archive, browse, delete, download, folders, links, paths, preview, publicity, upload

app_name = "objects"
urlpatterns = [
    path("<space>/<bucket>/", browse.index, name="index"),
    path("<space>/<bucket>/~details/", browse.details, name="details"),
    path("<space>/<bucket>/~path/", paths.go, name="going"),
    path("<space>/<bucket>/~path/offers/", paths.suggest, name="paths"),
    path("<space>/<bucket>/~keys/", paths.keys, name="keys"),
    path("<space>/<bucket>/~folder/", folders.new, name="folder"),
    path("<space>/<bucket>/~upload/", upload.upload, name="upload"),
    path("<space>/<bucket>/~upload/tray/", upload.tray, name="tray"),
    path("<space>/<bucket>/~upload/plan/", upload.plan, name="plan"),
    path("<space>/<bucket>/~upload/check/", upload.check, name="check"),
    path("<space>/<bucket>/~download/", download.download, name="download"),
    path("<space>/<bucket>/~download/archive/", archive.archive, name="archive"),
    path("<space>/<bucket>/~download/manifest/", archive.make_manifest, name="manifest"),
    path("<space>/<bucket>/~preview/", preview.preview, name="preview"),
    path("<space>/<bucket>/~preview/bytes/", preview.picture, name="bytes"),
    path("<space>/<bucket>/~preview/document/", preview.document, name="document"),
    path("<space>/<bucket>/~details/public/", publicity.check, name="publicity"),
    path("<space>/<bucket>/~links/", links.new, name="links"),
    path("<space>/<bucket>/~deletion/", delete.delete, name="deletion"),
    path("<space>/<bucket>/~deletion/selection/", delete.delete_selection, name="selection"),
]
