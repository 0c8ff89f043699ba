"""Stand-in services that cost as little as possible: the bare sink, and nginx in front of it."""

import json
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.launch.command import descendants, free_port

SOURCE = Path(__file__).with_name("sink.c")

NGINX = """
worker_processes 2;
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 512; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  client_max_body_size 0;
  upstream sink {{ server 127.0.0.1:{sink}; keepalive 16; }}
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass http://sink;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_request_buffering off;
      proxy_buffering off;
    }}
  }}
}}
"""


class Sink:
    """The running sink: a storage service that drops everything it receives."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.address = f"http://127.0.0.1:{port}"

    def received(self) -> tuple[int, int]:
        """Bytes of all bodies so far, and their number."""
        with urllib.request.urlopen(f"{self.address}/_received", timeout=10) as answer:  # noqa: S310 - our own sink
            facts = json.load(answer)
        return facts["bytes"], facts["requests"]


@contextmanager
def sink(folder: Path) -> Iterator[Sink]:
    """Compile and run the sink. Needs a C compiler (`cc`)."""
    program = folder / "sink"
    subprocess.run(["cc", "-O2", "-pthread", "-o", str(program), str(SOURCE)], check=True)
    process = subprocess.Popen([str(program)], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield Sink(int(process.stdout.readline()))
    finally:
        process.kill()
        process.communicate()


@dataclass(frozen=True, slots=True)
class Nginx:
    """A running nginx."""

    address: str
    process: subprocess.Popen[bytes]

    def pids(self) -> list[int]:
        return [self.process.pid, *descendants(self.process.pid)]


@contextmanager
def nginx(folder: Path, sink_port: int) -> Iterator[Nginx | None]:
    """Run nginx, which passes everything on without buffering. Yields None if nginx is not installed."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None:
        yield None
        return
    port = free_port()
    configuration = folder / "nginx.conf"
    configuration.write_text(NGINX.format(folder=folder, sink=sink_port, port=port))
    process = subprocess.Popen([program, "-c", str(configuration), "-e", str(folder / "error.log")])
    try:
        _wait_for(f"http://127.0.0.1:{port}/_received")
        yield Nginx(f"http://127.0.0.1:{port}", process)
    finally:
        process.terminate()
        process.wait(10)


def _wait_for(address: str) -> None:
    for attempt in range(100):
        try:
            urllib.request.urlopen(address, timeout=5).close()  # noqa: S310 - our own nginx
        except OSError:
            if attempt == 99:
                raise
            time.sleep(0.05)
        else:
            return
