"""gunicorn's threaded worker, which refuses new connections as soon as it is told to stop."""

import select

from gunicorn.workers.gthread import ThreadWorker


class WebWorker(ThreadWorker):  # type: ignore[misc] # gunicorn has no types
    """Close the listening sockets when stopping begins.

    gunicorn only stops accepting: the kernel goes on to complete connections, a proxy sends requests over them, and they
    are reset when the worker ends. A refused connection is tried at the next replica at once, whatever the method.
    """

    def set_accept_enabled(self, enabled: bool) -> None:
        super().set_accept_enabled(enabled)
        if not self.alive:
            self._stop_listening()

    def _stop_listening(self) -> None:
        for listener in self.sockets:
            while select.select([listener], [], [], 0)[0]:
                # Another process may be quicker, so this must not wait.
                listener.setblocking(False)
                self.accept(listener)
            listener.close()
