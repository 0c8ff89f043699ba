from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("facts", "0001_start")]

    operations = [
        migrations.AddField(
            model_name="keptfact",
            name="unanswered",
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
    ]
