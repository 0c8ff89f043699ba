from django.urls import path

from dashboard.jobs.views import deciding, outcome, showing

app_name = "jobs"
urlpatterns = [
    path("", showing.index, name="index"),
    path("tray/", showing.tray, name="tray"),
    path("outcomes/", outcome.unsettled, name="unsettled"),
    path("outcomes/<int:entry_id>/", outcome.outcome, name="outcome"),
    path("<int:job_id>/", showing.show, name="show"),
    path("<int:job_id>/progress/", showing.progress, name="progress"),
    path("<int:job_id>/export/", showing.export, name="export"),
    path("<int:job_id>/beginning/", deciding.beginning, name="beginning"),
    path("<int:job_id>/planning/", deciding.planning_again, name="planning"),
    path("<int:job_id>/cancellation/", deciding.cancellation, name="cancellation"),
    path("<int:job_id>/rest/", deciding.rest, name="rest"),
    path("<int:job_id>/continuation/", deciding.continuation, name="continuation"),
    path("<int:job_id>/repetition/", deciding.repetition, name="repetition"),
]
