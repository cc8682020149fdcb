"""An HTTP server of files that is as far away as a bucket, and counts; see README.md.

python bench/cloud_server.py FOLDER [LATENCY_MS] [MB_PER_S]

On the loopback interface. Each request waits for the latency, and no connection brings more bytes
a second than stated. It prints its port. `/-/reset` begins to count anew, `/-/counts` tells:
requests, rounds, bytes. Rounds are the longest chain of requests each of which began behind the end
of the one before. It knows ranges and conditions on tags. Standard library only.
"""

import asyncio
import json
import re
import sys
import time
from dataclasses import dataclass, field
from email.utils import formatdate
from http import HTTPStatus
from pathlib import Path

# Bytes between two looks at the clock.
PIECE = 256 << 10
# Longest line of a request, and how long a connection may say nothing.
MOST_LINE, PATIENCE_S = 64 << 10, 60
RANGE = re.compile(r"bytes=(\d*)-(\d*)")


@dataclass
class Counts:
    """When each request began and was answered, and what it brought."""

    spans: list[tuple[float, float]] = field(default_factory=list)
    brought: int = 0

    def told(self) -> dict[str, int]:
        rounds, last = 0, 0.0
        for begin, end in sorted(self.spans, key=lambda span: span[1]):
            if begin >= last:
                rounds, last = rounds + 1, end
        return {"requests": len(self.spans), "rounds": rounds, "bytes": self.brought}


@dataclass
class Server:
    """Serves the files of a folder."""

    folder: Path
    latency_s: float
    bytes_per_s: float
    counts: Counts = field(default_factory=Counts)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self.one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, TimeoutError, ValueError):
            pass
        finally:
            writer.close()

    async def one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answers one request; whether another may come."""
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), PATIENCE_S)
        begin = time.monotonic()
        line, *fields = head.decode("latin-1").split("\r\n")
        method, target, _ = line.split(" ", 2)
        named = dict(one.split(":", 1) for one in fields if ":" in one)
        asked = {name.strip().lower(): value.strip() for name, value in named.items()}
        if target.startswith("/-/"):
            await self.tell(target, writer)
            return True
        await asyncio.sleep(self.latency_s)
        counts = self.counts
        brought = await self.file(method, target.split("?")[0], asked, writer)
        counts.spans.append((begin, time.monotonic()))
        counts.brought += brought
        return asked.get("connection", "").lower() != "close"

    async def tell(self, target: str, writer: asyncio.StreamWriter) -> None:
        if target == "/-/reset":
            self.counts = Counts()
        body = json.dumps(self.counts.told()).encode()
        writer.write(header(HTTPStatus.OK, {"Content-Length": len(body)}) + body)
        await writer.drain()

    async def file(
        self, method: str, target: str, asked: dict[str, str], writer: asyncio.StreamWriter
    ) -> int:
        """Sends a file or a part of it; the number of bytes."""
        path = (self.folder / target.lstrip("/")).resolve()
        if not path.is_relative_to(self.folder.resolve()) or not path.is_file():
            writer.write(header(HTTPStatus.NOT_FOUND, {"Content-Length": 0}))
            await writer.drain()
            return 0
        state = path.stat()
        fields: dict[str, object] = {
            "Accept-Ranges": "bytes",
            "ETag": f'"{state.st_mtime_ns:x}-{state.st_size:x}"',
            "Last-Modified": formatdate(state.st_mtime, usegmt=True),
            "Content-Type": "application/octet-stream",
        }
        if asked.get("if-none-match") == fields["ETag"]:
            writer.write(header(HTTPStatus.NOT_MODIFIED, fields))
            await writer.drain()
            return 0
        status, begin, end = HTTPStatus.OK, 0, state.st_size
        found = RANGE.fullmatch(asked.get("range", ""))
        if found and any(found.groups()):
            first, last = found.groups()
            begin = int(first) if first else max(end - int(last), 0)
            end = min(int(last) + 1, end) if first and last else end
            if begin >= end:
                status, begin, end = HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, 0, 0
                fields["Content-Range"] = f"bytes */{state.st_size}"
            else:
                status = HTTPStatus.PARTIAL_CONTENT
                fields["Content-Range"] = f"bytes {begin}-{end - 1}/{state.st_size}"
        writer.write(header(status, fields | {"Content-Length": end - begin}))
        if method == "GET":
            await self.send(path, begin, end, writer)
        await writer.drain()
        return end - begin if method == "GET" else 0

    async def send(self, path: Path, begin: int, end: int, writer: asyncio.StreamWriter) -> None:
        started = time.monotonic()
        with path.open("rb") as file:
            file.seek(begin)
            for sent in range(0, end - begin, PIECE):
                piece = file.read(min(PIECE, end - begin - sent))
                # The last byte of a piece comes when the connection has brought all of it.
                due = started + (sent + len(piece)) / self.bytes_per_s
                await asyncio.sleep(max(due - time.monotonic(), 0))
                writer.write(piece)
                await writer.drain()


def header(status: HTTPStatus, fields: dict[str, object]) -> bytes:
    lines = [f"HTTP/1.1 {status.value} {status.phrase}"]
    lines += [f"{name}: {value}" for name, value in fields.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


async def main(folder: Path, latency_ms: float, mb_per_s: float) -> None:
    here = Server(folder, latency_ms / 1e3, mb_per_s * 1e6)
    server = await asyncio.start_server(here.serve, "127.0.0.1", 0, limit=MOST_LINE)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    numbers = [float(word) for word in sys.argv[2:]]
    asyncio.run(main(Path(sys.argv[1]), *(numbers or (50, 100))))
