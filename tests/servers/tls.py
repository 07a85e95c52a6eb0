"""Servers that speak TLS, with certificates made for the test."""

from __future__ import annotations

import datetime
import ipaddress
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

SECONDS = 20
HERE = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
ELSEWHERE = x509.SubjectAlternativeName([x509.DNSName("other.example")])
DAY = datetime.timedelta(days=1)


@dataclass(frozen=True)
class Authority:
    """Signs certificates; `file` holds its own, for those who trust it."""

    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate
    file: Path

    def signs(self, directory: Path, names: x509.SubjectAlternativeName, until: int) -> Path:
        """A file with a key and a certificate that ends in so many days."""
        key = ec.generate_private_key(ec.SECP256R1())
        now = datetime.datetime.now(datetime.timezone.utc)
        signed = (
            _certificate("server", key, self.certificate.subject)
            .not_valid_before(now - 3 * DAY)
            .not_valid_after(now + until * DAY)
            .add_extension(names, critical=False)
            .sign(self.key, hashes.SHA256())
        )
        file = directory / "server.pem"
        file.write_bytes(_pem(signed) + _pem(key))
        return file


def _certificate(
    name: str, key: ec.EllipticCurvePrivateKey, issuer: x509.Name | None = None
) -> x509.CertificateBuilder:
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer or subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
    )


def _pem(thing: x509.Certificate | ec.EllipticCurvePrivateKey) -> bytes:
    if isinstance(thing, x509.Certificate):
        return thing.public_bytes(serialization.Encoding.PEM)
    return thing.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )


def an_authority(directory: Path) -> Authority:
    """A new one, with its file in this directory."""
    key = ec.generate_private_key(ec.SECP256R1())
    now = datetime.datetime.now(datetime.timezone.utc)
    own = (
        _certificate("authority of the test", key)
        .not_valid_before(now - 3 * DAY)
        .not_valid_after(now + 3 * DAY)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = directory / "authority.pem"
    file.write_bytes(_pem(own))
    return Authority(key, own, file)


@contextmanager
def listening(certificate: Path | None) -> Iterator[int]:
    """A port where TLS is spoken with this certificate; without one, a plain answer."""
    context = None
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
    with socket.create_server(("127.0.0.1", 0)) as server:

        def greet() -> None:
            while True:
                try:
                    accepted = server.accept()[0]
                except OSError:
                    return
                with accepted:
                    try:
                        if context is None:
                            accepted.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                        else:
                            context.wrap_socket(accepted, server_side=True).close()
                    except OSError:
                        continue

        thread = threading.Thread(target=greet, daemon=True)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
        thread.join(SECONDS)
