"""A server that git clones from over https, with a certificate of its own, and that can be told to misbehave."""

from __future__ import annotations

import datetime as dt
import gzip
import shutil
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

UPLOAD = "git-upload-pack"


@dataclass
class GitServer:
    """Where it is, what it serves, and how it is wrong."""

    url: str
    repository: Path
    certificate: Path
    # Where it sends everybody instead of answering.
    redirect: str = ""
    # What it answers instead: a status.
    status: int = 0
    asked: list[str] = field(default_factory=list)


class _Handler(BaseHTTPRequestHandler):
    """The two requests of git's protocol over HTTP."""

    protocol_version = "HTTP/1.1"
    git: GitServer

    def do_GET(self) -> None:
        """Which references there are."""
        self._answer(b"")

    def do_POST(self) -> None:
        """A pack with what was asked for."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._answer(gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body)

    def _answer(self, body: bytes) -> None:
        git = self.git
        git.asked.append(self.path)
        if git.redirect or git.status:
            self.send_response(git.status or 302)
            if git.redirect:
                self.send_header("Location", git.redirect + self.path)
            if git.status == 401:
                self.send_header("WWW-Authenticate", 'Basic realm="git"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        program = shutil.which("git")
        assert program is not None, "git is needed"
        first = [] if body else ["--http-backend-info-refs"]
        command = [program, "upload-pack", "--stateless-rpc", *first, str(git.repository)]
        said = subprocess.run(command, input=body, capture_output=True, check=False).stdout
        announced = b"001e# service=git-upload-pack\n0000" if not body else b""
        self.send_response(200)
        kind = "result" if body else "advertisement"
        self.send_header("Content-Type", f"application/x-{UPLOAD}-{kind}")
        self.send_header("Content-Length", str(len(announced + said)))
        self.end_headers()
        self.wfile.write(announced + said)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def certificate(folder: Path) -> Path:
    """A certificate for localhost, with its key, that nobody believes unless told to."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    where = folder / "localhost.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    where.write_bytes(made.public_bytes(serialization.Encoding.PEM) + private)
    return where


@contextmanager
def git_server(folder: Path, repository: Path) -> Iterator[GitServer]:
    """One that serves a repository at any path."""
    pem = certificate(folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {}))
    # Each connection is greeted by its own thread: one that stops talking in its greeting holds no other up.
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    made = GitServer(f"https://localhost:{server.server_address[1]}", repository, pem)
    server.RequestHandlerClass.git = made  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
