from django.urls import path

from dashboard.jobs import views

app_name = "jobs"
urlpatterns = [
    path("", views.index, name="index"),
    path("<int:job_id>/", views.show, name="show"),
    path("<int:job_id>/progress/", views.progress, name="progress"),
    path("<int:job_id>/export/", views.export, name="export"),
    path("<int:job_id>/cancellation/", views.cancellation, name="cancellation"),
    path("<int:job_id>/rest/", views.rest, name="rest"),
    path("<int:job_id>/continuation/", views.continuation, name="continuation"),
    path("<int:job_id>/repetition/", views.repetition, name="repetition"),
]
