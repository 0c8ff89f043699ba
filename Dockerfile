FROM python:3.11-slim AS build
WORKDIR /app
COPY requirements.txt ./
RUN python -m venv /opt/venv && /opt/venv/bin/pip install --no-cache-dir --require-hashes -r requirements.txt
COPY manage.py ./
COPY dashboard dashboard
COPY templates templates
COPY static static
# The keys are only there because settings ask for some; nothing of them is kept.
RUN SECRET_KEY=only-to-collect-the-static-files \
    VAULT_KEYS=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA= \
    STATIC_ROOT=/app/collected /opt/venv/bin/python manage.py prepare --static-only \
    && /opt/venv/bin/python -m compileall -q dashboard

FROM python:3.11-slim
RUN useradd --system --uid 10001 --home-dir /data --create-home pilothouse && chmod 700 /data \
    && install --directory --mode=700 --owner=10001 /data/activity /data/snapshots
COPY --from=build /opt/venv /opt/venv
COPY --from=build /app /app
WORKDIR /app
ENV PATH=/opt/venv/bin:$PATH PYTHONUNBUFFERED=1 DATA_DIR=/data STATIC_ROOT=/app/collected HEALTH_ADDRESS=127.0.0.1:8001
USER 10001
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as web; web.urlopen(f'http://{os.environ[\"HEALTH_ADDRESS\"]}/healthz', timeout=4)"]
# Everything in one container. For the web alone: gunicorn -c python:dashboard.launch.gunicorn_config --bind 0.0.0.0:8000
CMD ["python", "manage.py", "start", "--host", "0.0.0.0"]
