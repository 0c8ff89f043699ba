"""The verbs of a bucket begin with `~`, which no bucket name holds; keys and folders stand in the query or the form only."""

from django.urls import path

from dashboard.features.bulk.views import delete, empty, transfer

app_name = "bulk"
urlpatterns = [
    path("<space>/<bucket>/~bulk/deletion/", delete.delete, name="deletion"),
    path("<space>/<bucket>/~bulk/move/", transfer.move, name="move"),
    path("<space>/<bucket>/~bulk/copy/", transfer.copy, name="copy"),
    path("<space>/<bucket>/~bulk/rename/", transfer.rename, name="rename"),
    path("<space>/<bucket>/~bulk/places/", transfer.places, name="places"),
    path("<space>/<bucket>/~bulk/emptying/", empty.empty, name="emptying"),
    path("<space>/<bucket>/~bulk/removal/", empty.remove, name="removal"),
]
