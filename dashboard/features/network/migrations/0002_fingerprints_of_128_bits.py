from typing import Any

from django.db import migrations, models

from dashboard.tokens.fingerprint import lengthened


def lengthen(apps: Any, _schema: Any) -> None:
    for before, now in lengthened(apps).items():
        for model, field in (("appliedset", "token"),):
            apps.get_model("network", model).objects.filter(**{field: before}).update(**{field: now})


class Migration(migrations.Migration):
    dependencies = [
        ("network", "0001_initial"),
        ("tokens", "0002_fingerprints_of_128_bits"),
    ]

    operations = [
        migrations.AlterField(
            model_name="appliedset",
            name="token",
            field=models.CharField(max_length=32, verbose_name="fingerprint"),
        ),
        migrations.RunPython(lengthen, migrations.RunPython.noop),
    ]
