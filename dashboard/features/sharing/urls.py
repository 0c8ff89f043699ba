app_name = "sharing"
urlpatterns: list[object] = []
