from typing import Any

from django.db import migrations, models

from dashboard.tokens.fingerprint import lengthened


def lengthen(apps: Any, _schema: Any) -> None:
    for before, now in lengthened(apps).items():
        for model, field in (("body", "token"),):
            apps.get_model("functions", model).objects.filter(**{field: before}).update(**{field: now})


class Migration(migrations.Migration):
    dependencies = [
        ("functions", "0002_bundle_paths"),
        ("tokens", "0002_fingerprints_of_128_bits"),
    ]

    operations = [
        migrations.AlterField(
            model_name="body",
            name="token",
            field=models.CharField(max_length=32, verbose_name="fingerprint of the token"),
        ),
        migrations.RunPython(lengthen, migrations.RunPython.noop),
    ]
