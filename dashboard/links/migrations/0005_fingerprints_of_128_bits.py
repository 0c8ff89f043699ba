from typing import Any

from django.db import migrations, models

from dashboard.tokens.fingerprint import lengthened


def lengthen(apps: Any, _schema: Any) -> None:
    for before, now in lengthened(apps).items():
        for model, field in (("publicbuckets", "fingerprint"),):
            apps.get_model("links", model).objects.filter(**{field: before}).update(**{field: now})


class Migration(migrations.Migration):
    dependencies = [
        ("links", "0004_attempts_counted_below"),
        ("tokens", "0002_fingerprints_of_128_bits"),
    ]

    operations = [
        migrations.AlterField(
            model_name="publicbuckets",
            name="fingerprint",
            field=models.CharField(max_length=32),
        ),
        migrations.RunPython(lengthen, migrations.RunPython.noop),
    ]
