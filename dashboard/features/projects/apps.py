from django.apps import AppConfig


class ProjectsConfig(AppConfig):
    name = "dashboard.features.projects"
    label = "projects"
