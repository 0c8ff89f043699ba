from django.urls import path

from dashboard.jobs.views import actions, jobs, outcome

app_name = "jobs"
urlpatterns = [
    path("", jobs.index, name="index"),
    path("tray/", jobs.tray, name="tray"),
    path("outcomes/", outcome.unsettled, name="unsettled"),
    path("outcomes/<int:entry_id>/", outcome.outcome, name="outcome"),
    path("<int:job_id>/", jobs.show, name="show"),
    path("<int:job_id>/progress/", jobs.progress, name="progress"),
    path("<int:job_id>/export/", jobs.export, name="export"),
    path("<int:job_id>/beginning/", actions.beginning, name="beginning"),
    path("<int:job_id>/planning/", actions.planning_again, name="planning"),
    path("<int:job_id>/cancellation/", actions.cancellation, name="cancellation"),
    path("<int:job_id>/rest/", actions.rest, name="rest"),
    path("<int:job_id>/continuation/", actions.continuation, name="continuation"),
    path("<int:job_id>/repetition/", actions.repetition, name="repetition"),
]
