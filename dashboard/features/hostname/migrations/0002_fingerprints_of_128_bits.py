from typing import Any

from django.db import migrations, models

from dashboard.tokens.fingerprint import lengthened


def lengthen(apps: Any, _schema: Any) -> None:
    for before, now in lengthened(apps).items():
        for model, field in (("known", "fingerprint"), ("seenrecord", "fingerprint"), ("step", "fingerprint")):
            apps.get_model("hostname", model).objects.filter(**{field: before}).update(**{field: now})


class Migration(migrations.Migration):
    dependencies = [
        ("hostname", "0001_start"),
        ("tokens", "0002_fingerprints_of_128_bits"),
    ]

    operations = [
        migrations.AlterField(
            model_name="known",
            name="fingerprint",
            field=models.CharField(max_length=32),
        ),
        migrations.AlterField(
            model_name="seenrecord",
            name="fingerprint",
            field=models.CharField(max_length=32),
        ),
        migrations.AlterField(
            model_name="step",
            name="fingerprint",
            field=models.CharField(max_length=32),
        ),
        migrations.RunPython(lengthen, migrations.RunPython.noop),
    ]
