from django.urls import path

from dashboard.features.snapshots import views

app_name = "snapshots"
urlpatterns = [
    path("<space>/<bucket>/~snapshots/", views.index, name="index"),
    path("<space>/<bucket>/~snapshots/new/", views.take, name="new"),
    path("<space>/<bucket>/~snapshots/schedule/", views.plan, name="schedule"),
    path("<space>/<bucket>/~snapshots/trash/", views.trash, name="trash"),
    path("<space>/<bucket>/~snapshots/versions/", views.versions, name="versions"),
    path("<space>/<bucket>/~snapshots/<ident>/", views.show, name="show"),
    path("<space>/<bucket>/~snapshots/<ident>/undo/", views.undo, name="undo"),
    path("<space>/<bucket>/~snapshots/<ident>/deletion/", views.delete, name="deletion"),
    path("<space>/<bucket>/~snapshots/<ident>/file/", views.file, name="file"),
    path("<space>/<bucket>/~snapshots/<ident>/restorations/", views.restore_many, name="restorations"),
    path("<space>/<bucket>/~snapshots/<ident>/restoration/", views.restore, name="restoration"),
]
