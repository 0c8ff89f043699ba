from django.urls import path

from dashboard.journal import views

app_name = "journal"
urlpatterns = [
    path("", views.index, name="index"),
    path("export/", views.export, name="export"),
    path("<int:entry_id>/", views.show, name="show"),
]
