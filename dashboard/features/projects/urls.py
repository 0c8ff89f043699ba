from django.urls import path

from dashboard.features.projects.views import creation, listing, naming, waiting

app_name = "projects"
urlpatterns = [
    path("", listing.index, name="index"),
    path("new/", creation.new, name="new"),
    path("new/review/", creation.review, name="review"),
    path("new/search/", waiting.search, name="search"),
    path("<ref>/", listing.show, name="show"),
    path("<ref>/arrival/", waiting.arrival, name="arrival"),
    path("<ref>/label/", naming.label, name="label"),
]
