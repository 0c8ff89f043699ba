from typing import Any

from django.db import migrations, models


def rename_members(apps: Any, _editor: object) -> None:
    """Members could do everything but what owners do, as administrators can."""
    apps.get_model("team", "Person").objects.filter(role="member").update(role="administrator")


class Migration(migrations.Migration):
    dependencies = [
        ("team", "0002_public_address"),
    ]

    operations = [
        migrations.AlterField(
            model_name="person",
            name="role",
            field=models.CharField(
                choices=[
                    ("viewer", "Viewer"),
                    ("operator", "Operator"),
                    ("administrator", "Administrator"),
                    ("owner", "Owner"),
                ],
                default="operator",
                max_length=16,
            ),
        ),
        migrations.RunPython(rename_members, migrations.RunPython.noop),
    ]
