from django.apps import AppConfig


class LabelsConfig(AppConfig):
    name = "dashboard.labels"
    label = "labels"
