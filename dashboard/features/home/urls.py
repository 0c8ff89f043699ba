from django.urls import path

from dashboard.features.home.views import filters, home

app_name = "home"
urlpatterns = [
    path("", home.index, name="index"),
    path("hostnames/", home.hostnames, name="hostnames"),
    path("filters/new/", filters.new, name="saving"),
    path("filters/delete/", filters.forget, name="forgetting"),
    path("overview/", home.export, name="export"),
    path("overview/<ref>/", home.row, name="row"),
]
