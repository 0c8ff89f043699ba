from django.apps import AppConfig


class FileRequestsConfig(AppConfig):
    name = "dashboard.features.file_requests"
    label = "file_requests"
