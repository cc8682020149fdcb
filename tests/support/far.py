"""A web server and a stand-in for S3, GCS and Azure, on the loopback interface.

They count, and they can fail.
"""

import base64
import hashlib
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

KEY, SECRET = "AKIALOOPBACK", "loopback-secret"
# Of Azure.
ACCOUNT = "loopback"


@dataclass
class Request:
    """A request that was answered."""

    method: str
    path: str
    range: str | None
    begin: float
    end: float = 0.0
    sent: int = 0


@dataclass
class Fault:
    """How answers for files go wrong: of the first `times` ranges, after `spared` that do not."""

    kind: str
    times: int = 1
    spared: int = 0


@dataclass
class Far:
    """Files by path, and what was asked for."""

    files: dict[str, bytes] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    delay: float = 0.0
    needs_key: bool = False
    has_tags: bool = True
    has_ranges: bool = True
    redirects: dict[str, str] = field(default_factory=dict)
    uploads: dict[str, dict[int, bytes]] = field(default_factory=dict)
    blocks: dict[str, dict[str, bytes]] = field(default_factory=dict)
    on_request: Callable[[int], None] | None = None
    port: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}/{path}"

    @property
    def s3(self) -> dict[str, str]:
        """What the environment says of access to it as S3."""
        return {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.port}",
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_REGION": "us-east-1",
            "AWS_ALLOW_HTTP": "true",
        }

    @property
    def gcs(self) -> dict[str, str]:
        """The same as Google's service."""
        account = {"gcs_base_url": f"http://127.0.0.1:{self.port}", "disable_oauth": True}
        keys = {"client_email": "", "private_key": "", "private_key_id": ""}
        return {"GOOGLE_SERVICE_ACCOUNT_KEY": json.dumps(account | keys)}

    @property
    def azure(self) -> dict[str, str]:
        """The same as Azure's."""
        return {
            "AZURE_STORAGE_ENDPOINT": f"http://127.0.0.1:{self.port}",
            "AZURE_STORAGE_ACCOUNT_NAME": ACCOUNT,
            "AZURE_STORAGE_ACCOUNT_KEY": base64.b64encode(SECRET.encode()).decode(),
            "AZURE_ALLOW_HTTP": "true",
        }

    @property
    def ranges(self) -> list[Request]:
        """Requests for parts of files."""
        return [one for one in self.requests if one.range]

    def rounds(self) -> int:
        """The longest chain of requests of which each began when the one before had ended."""
        depths: list[tuple[float, int]] = []
        for one in sorted(self.requests, key=lambda one: one.begin):
            before = (depth for end, depth in depths if end <= one.begin)
            depths.append((one.end, 1 + max(before, default=0)))
        return max((depth for _, depth in depths), default=0)

    def fault(self) -> str | None:
        """What goes wrong with the next range."""
        with self.lock:
            for one in self.faults:
                if one.spared > 0:
                    one.spared -= 1
                elif one.times > 0:
                    one.times -= 1
                    return one.kind
        return None


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    far: Far

    def log_message(self, *_: object) -> None:
        pass

    def _answer(self, status: int, body: bytes = b"", **headers: object) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), str(value))
        if "Content_Length" not in headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _error(self, status: int, code: str) -> None:
        self._answer(status, f"<Error><Code>{code}</Code></Error>".encode())

    @contextmanager
    def _counted(self) -> Iterator[Request]:
        parts = urlsplit(self.path)
        one = Request(
            self.command, unquote(parts.path), self.headers.get("Range"), time.monotonic()
        )
        with self.far.lock:
            self.far.requests.append(one)
            number = len(self.far.requests)
        if self.far.on_request is not None:
            self.far.on_request(number)
        time.sleep(self.far.delay)
        try:
            yield one
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        finally:
            one.end = time.monotonic()

    def _may(self) -> bool:
        said = self.headers.get("Authorization", "")
        keys = (f"Credential={KEY}/", f"SharedKey {ACCOUNT}:")
        if not self.far.needs_key or any(key in said for key in keys):
            return True
        self._error(403, "AccessDenied" if not said else "InvalidAccessKeyId")
        return False

    def do_GET(self) -> None:
        with self._counted() as one:
            if not self._may():
                return
            name = one.path.lstrip("/")
            if name in self.far.redirects:
                return self._answer(302, Location=self.far.redirects[name])
            content = self.far.files.get(name)
            if content is None:
                return self._error(404, "NoSuchKey")
            self._give(one, content)

    do_HEAD = do_GET

    def _give(self, one: Request, content: bytes) -> None:
        tag = f'"{hashlib.md5(content, usedforsecurity=False).hexdigest()}"'
        headers: dict[str, object] = {"ETag": tag} if self.far.has_tags else {}
        headers["Last_Modified"] = "Thu, 01 Jan 2026 00:00:00 GMT"
        if self.far.has_tags and self.headers.get("If-Match", tag) != tag:
            return self._error(412, "PreconditionFailed")
        if self.far.has_tags and self.headers.get("If-None-Match") == tag:
            return self._answer(304, **headers)
        found = re.fullmatch(r"bytes=(\d+)-(\d+)", one.range or "")
        if not found or not self.far.has_ranges:
            return self._answer(200, content, **headers)
        begin, end = int(found[1]), min(int(found[2]) + 1, len(content))
        if begin >= len(content):
            return self._error(416, "InvalidRange")
        self._give_part(one, content, (begin, end), headers)

    def _give_part(
        self, one: Request, content: bytes, part: tuple[int, int], headers: dict[str, object]
    ) -> None:
        begin, end = part
        kind = self.far.fault()
        if kind is not None and kind.isdigit():
            return self._error(int(kind), "SlowDown" if kind == "503" else "InternalError")
        if kind == "other range":
            begin, end = begin + 8, end + 8
        headers["Content_Range"] = f"bytes {begin}-{end - 1}/{len(content)}"
        body = content[begin:end]
        if kind == "cut":
            self._answer(206, body[: len(body) // 2], **headers, Content_Length=len(body))
            self.close_connection = True
            return None
        if kind == "silent":
            time.sleep(5)
        if kind == "slow":
            return self._drip(body, headers)
        one.sent = len(body)
        return self._answer(206, body, **headers)

    def _drip(self, body: bytes, headers: dict[str, object]) -> None:
        self.send_response(206)
        for name, value in {**headers, "Content_Length": len(body)}.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()
        for at in range(400):
            self.wfile.write(body[at : at + 1])
            self.wfile.flush()
            time.sleep(0.25)
        self.close_connection = True

    def _body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def do_POST(self) -> None:
        with self._counted() as one:
            self._body()
            if not self._may():
                return
            query = parse_qs(urlsplit(self.path).query, keep_blank_values=True)
            name = one.path.lstrip("/")
            if "uploads" in query:
                number = f"upload{len(self.far.uploads)}"
                self.far.uploads[number] = {}
                text = f"<InitiateMultipartUploadResult><UploadId>{number}</UploadId>"
                return self._answer(200, f"{text}</InitiateMultipartUploadResult>".encode())
            parts = self.far.uploads.pop(query["uploadId"][0])
            self.far.files[name] = b"".join(parts[i] for i in sorted(parts))
            text = '<CompleteMultipartUploadResult><ETag>"x"</ETag></CompleteMultipartUploadResult>'
            self._answer(200, text.encode())

    def do_PUT(self) -> None:
        with self._counted() as one:
            body = self._body()
            if not self._may():
                return
            query = parse_qs(urlsplit(self.path).query)
            if "comp" in query:
                return self._put_block(one.path.lstrip("/"), query, body)
            if self.far.fault() == "refuse parts":
                return self._error(400, "EntityTooLarge")
            self.far.uploads[query["uploadId"][0]][int(query["partNumber"][0])] = body
            self._answer(200, ETag=f'"{len(body)}"')

    def _put_block(self, name: str, query: dict[str, list[str]], body: bytes) -> None:
        """Azure's parts: each has a name, and a list of names in the end makes a file of them."""
        parts = self.far.blocks.setdefault(name, {})
        if query["comp"] == ["block"]:
            parts[query["blockid"][0]] = body
        else:
            names = re.findall(r"<(?:Uncommitted|Latest)>([^<]*)</", body.decode())
            self.far.files[name] = b"".join(parts[one] for one in names)
            del self.far.blocks[name]
        self._answer(201, ETag='"x"', Last_Modified="Thu, 01 Jan 2026 00:00:00 GMT")

    def do_DELETE(self) -> None:
        with self._counted():
            query = parse_qs(urlsplit(self.path).query)
            self.far.uploads.pop(query.get("uploadId", [""])[0], None)
            self._answer(204)


@contextmanager
def serving(**options: object) -> Iterator[Far]:
    """Serves as long as it is entered."""
    far = Far(**options)
    handler = type("Handler", (_Handler,), {"far": far})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    far.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield far
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
