from django.urls import path

from dashboard.features.hostname import reviews

app_name = "hostnames"
urlpatterns = [
    path("", reviews.index, name="index"),
    path("<ref>/", reviews.row, name="row"),
]
