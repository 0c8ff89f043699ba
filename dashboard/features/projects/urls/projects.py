from django.urls import path

from dashboard.features.projects.views import create, names, projects, startup

app_name = "projects"
urlpatterns = [
    path("", projects.index, name="index"),
    path("new/", create.new, name="new"),
    path("new/review/", create.review, name="review"),
    path("new/search/", startup.search, name="search"),
    path("<ref>/", projects.show, name="show"),
    path("<ref>/arrival/", startup.arrival, name="arrival"),
    path("<ref>/label/", names.label, name="label"),
]
