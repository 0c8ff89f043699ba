"""The verbs of a bucket begin with `~`, which no bucket name holds; keys and folders stand in the query or the form only."""

from django.urls import path

from dashboard.features.bulk.views import deletion, emptying, transfer

app_name = "bulk"
urlpatterns = [
    path("<space>/<bucket>/~bulk/deletion/", deletion.delete, name="deletion"),
    path("<space>/<bucket>/~bulk/move/", transfer.move, name="move"),
    path("<space>/<bucket>/~bulk/copy/", transfer.copy, name="copy"),
    path("<space>/<bucket>/~bulk/rename/", transfer.rename, name="rename"),
    path("<space>/<bucket>/~bulk/places/", transfer.places, name="places"),
    path("<space>/<bucket>/~bulk/emptying/", emptying.empty, name="emptying"),
    path("<space>/<bucket>/~bulk/removal/", emptying.remove, name="removal"),
]
