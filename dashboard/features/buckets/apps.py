from django.apps import AppConfig


class BucketsConfig(AppConfig):
    name = "dashboard.features.buckets"
    label = "buckets"
