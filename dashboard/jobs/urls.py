from django.urls import path

from dashboard.jobs.views import actions, jobs, outcome

app_name = "jobs"
urlpatterns = [
    path("", jobs.index, name="index"),
    path("tray/", jobs.tray, name="tray"),
    path("outcomes/", outcome.unsettled, name="unsettled"),
    path("doubts/", outcome.doubts, name="doubts"),
    path("outcomes/<int:entry_id>/", outcome.outcome, name="outcome"),
    path("outcomes/<int:entry_id>/<str:ref>/", outcome.again, name="resend"),
    path("<int:job_id>/", jobs.show, name="show"),
    path("<int:job_id>/progress/", jobs.progress, name="progress"),
    path("<int:job_id>/export/", jobs.export, name="export"),
    path("<int:job_id>/beginning/", actions.apply, name="beginning"),
    path("<int:job_id>/planning/", actions.replan, name="planning"),
    path("<int:job_id>/cancellation/", actions.cancel, name="cancellation"),
    path("<int:job_id>/rest/", actions.pause, name="rest"),
    path("<int:job_id>/continuation/", actions.resume, name="continuation"),
    path("<int:job_id>/repetition/", actions.retry, name="repetition"),
]
