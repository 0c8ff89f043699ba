"""A gunicorn worker that refuses new connections as soon as it is stopping."""

import select

from gunicorn.workers.gthread import ThreadWorker


class WebWorker(ThreadWorker):  # type: ignore[misc] # gunicorn has no types
    """Close the listening sockets when stopping begins.

    gunicorn only stops accepting. The kernel still completes connections, a proxy sends requests over them, and they are reset
    when the worker ends. A proxy retries a refused connection at the next replica at once, whatever the method.
    """

    def set_accept_enabled(self, enabled: bool) -> None:
        super().set_accept_enabled(enabled)
        if not self.alive:
            self._stop_listening()

    def _stop_listening(self) -> None:
        for listener in self.sockets:
            while select.select([listener], [], [], 0)[0]:
                # Don't block: another process may accept the connection first.
                listener.setblocking(False)
                self.accept(listener)
            listener.close()
