from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("jobs", "0002_phases")]

    operations = [migrations.RemoveField(model_name="jobitem", name="result")]
