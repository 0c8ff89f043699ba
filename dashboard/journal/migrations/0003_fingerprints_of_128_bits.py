from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("journal", "0002_settled_outcomes"),
    ]

    operations = [
        migrations.AlterField(
            model_name="entry",
            name="token",
            field=models.CharField(blank=True, max_length=32, verbose_name="fingerprint of the token"),
        ),
    ]
