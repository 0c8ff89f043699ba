from django.urls import path

from dashboard.features.trial.views import guides, line, switches

app_name = "trial"
urlpatterns = [
    path("", guides.index, name="index"),
    path("line/", line.show, name="line"),
    path("banner/", guides.hide, name="hide"),
    path("guides/<slug:key>/", guides.begin, name="begin"),
    path("guides/<slug:key>/leaving/", guides.leave, name="leave"),
    path("switches/", switches.index, name="switches"),
    path("switches/<slug:key>/", switches.switch, name="switch"),
    path("dns/", switches.dns, name="dns"),
    path("dns/<ref>/", switches.publish, name="publish"),
    path("dns/<ref>/removal/", switches.remove, name="remove"),
]
