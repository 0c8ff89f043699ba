from django.urls import path

from dashboard.features.snapshots.views import deleted, snapshots, versions

app_name = "snapshots"
store_urls = [path("", snapshots.usage, name="usage")]
urlpatterns = [
    path("<space>/~snapshots/buckets/", snapshots.buckets, name="buckets"),
    path("<space>/<bucket>/~snapshots/", snapshots.index, name="index"),
    path("<space>/<bucket>/~snapshots/new/", snapshots.take, name="new"),
    path("<space>/<bucket>/~snapshots/schedule/", snapshots.plan, name="schedule"),
    path("<space>/<bucket>/~snapshots/trash/", snapshots.trash, name="trash"),
    path("<space>/<bucket>/~snapshots/erasure/", snapshots.erase, name="erasure"),
    path("<space>/<bucket>/~snapshots/deleted/", deleted.index, name="deleted"),
    path("<space>/<bucket>/~snapshots/versions/", versions.index, name="versions"),
    path("<space>/<bucket>/~snapshots/<ident>/", snapshots.show, name="show"),
    path("<space>/<bucket>/~snapshots/<ident>/undo/", snapshots.undo, name="undo"),
    path("<space>/<bucket>/~snapshots/<ident>/deletion/", snapshots.delete, name="deletion"),
    path("<space>/<bucket>/~snapshots/<ident>/file/", versions.file, name="file"),
    path("<space>/<bucket>/~snapshots/<ident>/file/view/", versions.view, name="view"),
    path("<space>/<bucket>/~snapshots/<ident>/file/view/bytes/", versions.media, name="bytes"),
    path("<space>/<bucket>/~snapshots/<ident>/file/view/page/", versions.document_picture, name="page"),
    path("<space>/<bucket>/~snapshots/<ident>/file/comparison/", versions.compare, name="comparison"),
    path("<space>/<bucket>/~snapshots/<ident>/restorations/", snapshots.restore_many, name="restorations"),
    path("<space>/<bucket>/~snapshots/<ident>/restoration/", snapshots.restore, name="restoration"),
]
