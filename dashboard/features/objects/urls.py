"""The verbs of a bucket begin with `~`, which no bucket name holds; keys and folders stand in the query or the form only."""

from django.urls import path

from dashboard.features.objects.views import (
    archives,
    browsing,
    deletion,
    downloads,
    folders,
    links,
    paths,
    previews,
    publicity,
    uploads,
)

app_name = "objects"
urlpatterns = [
    path("<space>/<bucket>/", browsing.index, name="index"),
    path("<space>/<bucket>/~details/", browsing.details, name="details"),
    path("<space>/<bucket>/~path/", paths.go, name="going"),
    path("<space>/<bucket>/~path/offers/", paths.suggest, name="paths"),
    path("<space>/<bucket>/~keys/", paths.keys, name="keys"),
    path("<space>/<bucket>/~folder/", folders.new, name="folder"),
    path("<space>/<bucket>/~upload/", uploads.upload, name="upload"),
    path("<space>/<bucket>/~upload/tray/", uploads.tray, name="tray"),
    path("<space>/<bucket>/~upload/plan/", uploads.plan, name="plan"),
    path("<space>/<bucket>/~upload/check/", uploads.check, name="check"),
    path("<space>/<bucket>/~download/", downloads.download, name="download"),
    path("<space>/<bucket>/~download/archive/", archives.archive, name="archive"),
    path("<space>/<bucket>/~download/manifest/", archives.make_manifest, name="manifest"),
    path("<space>/<bucket>/~preview/", previews.preview, name="preview"),
    path("<space>/<bucket>/~preview/bytes/", previews.picture, name="bytes"),
    path("<space>/<bucket>/~preview/document/", previews.document, name="document"),
    path("<space>/<bucket>/~details/public/", publicity.check, name="publicity"),
    path("<space>/<bucket>/~links/", links.new, name="links"),
    path("<space>/<bucket>/~deletion/", deletion.delete, name="deletion"),
    path("<space>/<bucket>/~deletion/selection/", deletion.delete_selection, name="selection"),
]
