"""An HTTP server that is none: answers every request with the status given, or misbehaves.

python refusing.py http 401 | 404 | 500 | html | reset | silent
"""

from __future__ import annotations

import socket
import sys
import threading


def serve(connection: socket.socket, how: str) -> None:
    with connection:
        connection.recv(65536)
        if how == "reset":
            return
        if how == "silent":
            while connection.recv(65536):
                pass
            return
        status = "200 OK" if how == "html" else f"{how} Refused"
        body = b"<html>hello</html>"
        connection.sendall(
            f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode()
            + body
        )


def main() -> None:
    listening = socket.create_server(("127.0.0.1", 0))
    print(listening.getsockname()[1], flush=True)
    while True:
        connection, _ = listening.accept()
        threading.Thread(target=serve, args=(connection, sys.argv[2]), daemon=True).start()


if __name__ == "__main__":
    main()
