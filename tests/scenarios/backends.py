"""Backends that real servers believe in: a MongoDB, a Kubernetes API, the clouds of Azure.

    python backends.py mongodb|kubernetes|azure PORT STATE

Each holds what a tool may change in the JSON file STATE and reads it for every request, so that a
scenario can watch it and lay it anew. `mongodb` needs `bson` (of pymongo), `azure` `cryptography`.
"""

from __future__ import annotations

import datetime
import json
import re
import socketserver
import ssl
import struct
import sys
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

OP_REPLY: Final = 1
OP_QUERY: Final = 2004
OP_MSG: Final = 2013


class State:
    """What the backend holds: names, each with a value or with names of its own."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def read(self) -> dict[str, Any]:
        """All that is there now."""
        held: dict[str, Any] = json.loads(self.file.read_text())
        return held

    def without(self, *path: str) -> bool:
        """Remove what stands there; whether anything did."""
        held = self.read()
        place = held
        for name in path[:-1]:
            place = place.get(name, {})
        if path[-1] not in place:
            return False
        del place[path[-1]]
        self.file.write_text(json.dumps(held, indent=1))
        return True

    def note(self, what: str) -> None:
        """Count what was read, so that also reading can be watched."""
        held = self.read()
        held[what] = held.get(what, 0) + 1
        self.file.write_text(json.dumps(held, indent=1))


# MongoDB: its wire protocol, as far as dropping and deleting go


def mongodb(port: int, state: State) -> None:
    """Serve databases: `{"shop": {"orders": [{…}]}}`."""
    import bson  # type: ignore[import-not-found]

    class Wire(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            while header := self.rfile.read(16):
                size, request, _, code = struct.unpack("<iiii", header)
                body = self.rfile.read(size - 16)
                if code == OP_QUERY:
                    reply = struct.pack("<iqii", 8, 0, 0, 1) + bson.encode(_hello())
                    self._send(OP_REPLY, request, reply)
                    continue
                command = bson.decode(body[5 : 5 + struct.unpack_from("<i", body, 5)[0]])
                for sequence in _sequences(bson, body):
                    command |= sequence
                answer = _answered(command, state)
                self._send(OP_MSG, request, struct.pack("<ib", 0, 0) + bson.encode(answer))

        def _send(self, code: int, request: int, body: bytes) -> None:
            self.wfile.write(struct.pack("<iiii", len(body) + 16, 0, request, code) + body)

    _forever(socketserver.ThreadingTCPServer, port, Wire)


def _sequences(bson: Any, body: bytes) -> list[dict[str, Any]]:
    """The document sequences behind the command of an OP_MSG, by name."""
    found, place = [], 5 + struct.unpack_from("<i", body, 5)[0]
    while place < len(body) and body[place] == 1:
        (size,) = struct.unpack_from("<i", body, place + 1)
        end = body.index(b"\0", place + 5)
        documents = bson.decode_all(body[end + 1 : place + 1 + size])
        found.append({body[place + 5 : end].decode(): documents})
        place += 1 + size
    return found


def _hello() -> dict[str, Any]:
    now = datetime.datetime.now(datetime.timezone.utc)
    return {
        "ismaster": True,
        "isWritablePrimary": True,
        "helloOk": True,
        "ok": 1.0,
        "maxBsonObjectSize": 16_777_216,
        "maxMessageSizeBytes": 48_000_000,
        "maxWriteBatchSize": 100_000,
        "minWireVersion": 0,
        "maxWireVersion": 21,
        "localTime": now,
        "logicalSessionTimeoutMinutes": 30,
        "connectionId": 1,
    }


def _answered(command: dict[str, Any], state: State) -> dict[str, Any]:
    name, database = next(iter(command)), str(command.get("$db"))
    collection, held = str(command[name]), state.read()
    if name in ("hello", "ismaster", "isMaster"):
        return _hello()
    if name == "dropDatabase":
        return {"dropped": database, "ok": float(state.without(database))}
    if name == "drop":
        state.without(database, collection)
    elif name == "delete":
        state.without(database, collection, "first")
        return {"n": 1, "ok": 1.0}
    elif name == "listDatabases":
        names = [{"name": each, "sizeOnDisk": 1, "empty": False} for each in held]
        return {"databases": names, "totalSize": 1, "ok": 1.0}
    elif name in ("listCollections", "aggregate", "find", "listIndexes"):
        batch: list[Any] = []
        if name == "listCollections":
            batch = [{"name": each, "type": "collection"} for each in held.get(database, {})]
        return {"cursor": {"id": 0, "ns": f"{database}.x", "firstBatch": batch}, "ok": 1.0}
    return {"version": "8.0.0", "versionArray": [8, 0, 0, 0], "ok": 1.0}


# HTTP: Kubernetes, and the clouds of Azure behind a proxy


def kubernetes(port: int, state: State) -> None:
    """Serve pods of the namespace default: `{"web": {}}`."""

    class Api(Http):
        def answer(self, method: str, path: str) -> tuple[int, Any]:
            pod = re.fullmatch("/api/v1/namespaces/default/pods/([^/?]+)", path)
            if pod is None:
                return _discovered(path)
            if method == "DELETE":
                state.without(pod[1])
                return 200, {"kind": "Status", "apiVersion": "v1", "status": "Success"}
            about: dict[str, Any] = {"name": pod[1], "namespace": "default", "labels": {}}
            return 200, {"kind": "Pod", "apiVersion": "v1", "metadata": about, "spec": {}}

    _forever(ThreadingHTTPServer, port, Api)


def _discovered(path: str) -> tuple[int, Any]:
    if path.endswith("selfsubjectaccessreviews"):
        kind = {"kind": "SelfSubjectAccessReview", "apiVersion": "authorization.k8s.io/v1"}
        return 201, {**kind, "status": {"allowed": True}}
    pods = {"name": "pods", "singularName": "pod", "namespaced": True, "kind": "Pod"}
    known: dict[str, Any] = {
        "/version": {"major": "1", "minor": "33", "gitVersion": "v1.33.0"},
        "/api": {"kind": "APIVersions", "versions": ["v1"]},
        "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": []},
        "/api/v1": {
            "kind": "APIResourceList",
            "groupVersion": "v1",
            "resources": [{**pods, "verbs": ["get", "list", "delete"]}],
        },
    }
    return (200, known[path]) if path in known else (404, {"kind": "Status", "code": 404})


class Http(BaseHTTPRequestHandler):
    """Answers JSON; what is asked is told by `answer`."""

    protocol_version = "HTTP/1.1"
    challenge = ""

    def answer(self, method: str, path: str) -> tuple[int, Any]:
        """The status and the document for one request."""
        raise NotImplementedError

    def _answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        status, document = self.answer(self.command, self.path.partition("?")[0])
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if status == 401:
            self.send_header("WWW-Authenticate", self.challenge)
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _answer

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def azure(port: int, state: State) -> None:
    """Be the proxy to a vault, and the giver of tokens; `{}` counts what was done there.

    Its certificate stands beside STATE, as `ca.pem`.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(_certificate(state.file.with_name("ca.pem")))

    class Cloud(Http):
        def do_CONNECT(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.connection = context.wrap_socket(self.connection, server_side=True)
            self.rfile = self.connection.makefile("rb")
            self.wfile = self.connection.makefile("wb", buffering=0)
            self.close_connection = False

        def answer(self, method: str, path: str) -> tuple[int, Any]:
            if "/secrets/" not in path:
                far = int(time.time()) + 86_400
                token = {"access_token": "t", "token_type": "Bearer", "resource": _VAULT}
                return 200, {**token, "expires_in": "86400", "expires_on": str(far)}
            if not self.headers.get("Authorization"):
                self.challenge = f'Bearer authorization="{_LOGIN}", resource="{_VAULT}"'
                return 401, {}
            name = path.split("/")[2]
            state.note(f"{method} {name}")
            made = {"created": 1, "updated": 1, "enabled": True}
            address = f"https://ours.vault.azure.net/secrets/{name}/1"
            return 200, {"value": "kept in the vault", "id": address, "attributes": made}

    _forever(ThreadingHTTPServer, port, Cloud)


_VAULT: Final = "https://vault.azure.net"
_LOGIN: Final = "https://login.microsoftonline.com/00000000-0000-0000-0000-000000000000"


def _certificate(file: Path) -> Path:
    """A file with a key and a certificate that vouches for itself, made anew."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.datetime.now(datetime.timezone.utc)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "backends")])
    hosts = x509.SubjectAlternativeName([x509.DNSName("*.vault.azure.net")])
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=30))
        .add_extension(hosts, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    private = key.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file.write_bytes(private + made.public_bytes(pem))
    return file


def _forever(kind: Callable[..., Any], port: int, handler: type) -> None:
    kind.allow_reuse_address = True  # type: ignore[attr-defined]
    kind.daemon_threads = True  # type: ignore[attr-defined]
    with kind(("127.0.0.1", port), handler) as server:
        server.serve_forever()


if __name__ == "__main__":
    {"mongodb": mongodb, "kubernetes": kubernetes, "azure": azure}[sys.argv[1]](
        int(sys.argv[2]), State(Path(sys.argv[3]))
    )
