"""DNS servers over UDP and TCP on bound sockets, each in a thread."""

import socket
import socketserver
import threading

from django.db import connections

from dashboard.sandbox.dns.zone import reply

TCP_SECONDS = 5


class Datagram(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        question, sock = self.request
        try:
            answer = reply(question, largest=None)
        finally:
            connections.close_all()
        if answer is not None:
            sock.sendto(answer, self.client_address)


class Stream(socketserver.StreamRequestHandler):
    timeout = TCP_SECONDS

    def handle(self) -> None:
        try:
            while len(head := self.rfile.read(2)) == 2:
                answer = reply(self.rfile.read(int.from_bytes(head, "big")), largest=65535)
                if answer is None:
                    return
                self.wfile.write(len(answer).to_bytes(2, "big") + answer)
        except OSError:
            return
        finally:
            connections.close_all()


class UdpServer(socketserver.ThreadingUDPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore broken datagrams."""


class TcpServer(socketserver.ThreadingTCPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore broken connections."""


def serve(datagrams: socket.socket, stream: socket.socket) -> None:
    """Start both servers; they end with the process."""
    udp = UdpServer(datagrams.getsockname(), Datagram, bind_and_activate=False)
    tcp = TcpServer(stream.getsockname(), Stream, bind_and_activate=False)
    for server, sock in ((udp, datagrams), (tcp, stream)):
        server.socket.close()
        server.socket = sock
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 60}, daemon=True).start()
