"""Ranks that write one file with frazil, as a simulation of discrete events.

What happens at one output, as in `crates/frazil-write/src/parallel`:

1. Ranks pack their chunks on the cores of their nodes. Chunks that several ranks share are first
   sent to their owners.
2. The ranks and the placer confer some times: each rank sends a message, the placer takes them one
   by one, decides when it has all, and answers one by one. In the last but one of these steps it
   gives chunks their places in the file's index; more of them than go into a batch take more
   steps.
3. Packed bytes go through the node's link to one of the servers of the file system: while others
   still pack (into space lent to the ranks before), or when their places are known.

The placer is one thread: whatever it does, it does one after the other.
"""

from collections.abc import Generator
from dataclasses import dataclass, replace

import simpy

# Chunks that get their places in one step (`BATCH` in place.rs).
BATCH = 1 << 16


@dataclass(frozen=True)
class Costs:
    """What things take, in seconds; see `scaling_costs.py`."""

    pack_per_byte: float
    ratio: float
    copy_per_byte: float  # handing packed bytes to the system
    exchange_per_byte: float
    placer_step: float  # beside messages and chunks
    placer_message: float
    placer_chunk: float
    steps: int
    step_wait: float  # until a rank looks whether a message has come
    message_bytes: float
    chunk_bytes_in: float  # what the placer is told of a chunk
    chunk_bytes_out: float
    open_close: float


@dataclass(frozen=True)
class Machine:
    """Nodes with cores and a link each, and a file system of several servers."""

    cores_per_node: int
    ranks_per_node: int
    link_bytes: float = float("inf")  # a second
    file_system_bytes: float = float("inf")  # a second, of all servers
    servers: int = 1
    latency: float = 0.0

    def part(self, parts: int) -> "Machine":
        """What one of several equal files gets of the file system."""
        servers = max(1, self.servers // parts)
        return replace(self, file_system_bytes=self.file_system_bytes / parts, servers=servers)


@dataclass(frozen=True)
class Job:
    """One output of so many ranks."""

    ranks: int
    raw_bytes: float  # of all ranks
    chunks: int  # of all ranks
    pieces: int = 8  # in which a rank packs and writes
    is_shared: bool = False  # whether ranks' borders cut every chunk
    writes_while_packing: bool = True
    placers: int = 1  # that take messages for the one that has the index

    def part(self, parts: int) -> "Job":
        """What one of several equal files gets."""
        return replace(
            self,
            ranks=self.ranks // parts,
            raw_bytes=self.raw_bytes / parts,
            chunks=-(-self.chunks // parts),
        )


@dataclass(frozen=True)
class Outcome:
    """Seconds of one output, and what took them."""

    seconds: float
    packed: float  # when the last rank had packed
    written: float  # seconds in which bytes were on their way, of the rank that had them longest
    placer: float  # seconds in which the placer with the index was busy
    messages: int  # to it and from it


class Step:
    """One time that the ranks and the placer confer."""

    def __init__(self, env: simpy.Environment, placers: int) -> None:
        # By placer that takes messages: the ranks that wait, and that all have come.
        self.waiting: list[list[simpy.Event]] = [[] for _ in range(placers)]
        self.complete = [env.event() for _ in range(placers)]
        self.gathered = 0
        self.all_heard = env.event()
        self.decided = env.event()


class Simulation:
    """The processes of one output."""

    def __init__(self, costs: Costs, machine: Machine, job: Job) -> None:
        self.costs, self.machine, self.job = costs, machine, job
        self.env = simpy.Environment()
        nodes = -(-job.ranks // machine.ranks_per_node)
        self.cores = [simpy.Resource(self.env, machine.cores_per_node) for _ in range(nodes)]
        self.links = [simpy.Resource(self.env) for _ in range(nodes)]
        self.servers = [simpy.Resource(self.env) for _ in range(machine.servers)]
        self.placer = simpy.Resource(self.env)
        self.helpers = [simpy.Resource(self.env) for _ in range(job.placers)]
        self.batches = -(-job.chunks // BATCH)
        count = max(2, costs.steps) + self.batches - 1
        self.steps = [Step(self.env, job.placers) for _ in range(count)]
        self.packed = self.written = self.busy = 0.0
        self.messages = 0

    def run(self) -> Outcome:
        ranks = [self.env.process(self.rank(number)) for number in range(self.job.ranks)]
        for number, step in enumerate(self.steps):
            for helper in range(self.job.placers):
                self.env.process(self.confer(step, helper))
            self.env.process(self.decide(step, self.is_placing(number)))
        self.env.run(self.env.all_of(ranks))
        seconds = self.env.now + self.costs.open_close
        return Outcome(seconds, self.packed, self.written, self.busy, self.messages)

    # --- a rank ---

    def node_of(self, number: int) -> int:
        return number // self.machine.ranks_per_node

    def rank(self, number: int) -> Generator[simpy.Event]:
        job = self.job
        owners = min(job.ranks, job.chunks)
        # Of the chunks that a rank packs; some have none if there are fewer chunks than ranks.
        own = job.chunks // owners + (number < job.chunks % owners) if number < owners else 0
        raw = job.raw_bytes * own / job.chunks
        if job.is_shared and job.ranks > 1:
            yield from self.exchange(number)
        writer = None
        for _ in range(job.pieces):
            yield from self.work(number, raw / job.pieces * self.costs.pack_per_byte)
            if job.writes_while_packing and raw > 0:
                stored = raw / job.pieces / self.costs.ratio
                writer = self.env.process(self.write(number, stored, writer))
        self.packed = max(self.packed, self.env.now)
        if writer is not None:
            yield writer
        yield from self.confer_all(number, own, raw)

    def is_placing(self, step: int) -> bool:
        """Whether chunks get their places in this step: all but the last of the last ones."""
        last = len(self.steps) - 1
        return last - self.batches <= step < last

    def confer_all(self, number: int, own: int, raw: float) -> Generator[simpy.Event]:
        costs, share = self.costs, 1 / self.batches
        is_late = raw > 0 and not self.job.writes_while_packing
        for count, step in enumerate(self.steps):
            if is_late and self.is_placing(count - 1):
                yield self.env.process(self.write(number, share * raw / costs.ratio, None))
            told, heard = costs.message_bytes, costs.message_bytes
            if self.is_placing(count):
                told += share * own * costs.chunk_bytes_in
                heard += share * own * costs.chunk_bytes_out
            yield from self.tell(number, step, told)
            if number > 0:
                yield self.env.timeout(self.carried(heard))

    def work(self, number: int, seconds: float) -> Generator[simpy.Event]:
        if seconds <= 0:
            return
        with self.cores[self.node_of(number)].request() as core:
            yield core
            yield self.env.timeout(seconds)

    def exchange(self, number: int) -> Generator[simpy.Event]:
        """Sends what other ranks own of the chunks that this one has parts of."""
        sent = self.job.raw_bytes / self.job.ranks * (self.job.ranks - 1) / self.job.ranks
        yield from self.work(number, sent * self.costs.exchange_per_byte)
        if len(self.links) > 1:
            yield from self.send(number, sent)

    def send(self, number: int, count: float) -> Generator[simpy.Event]:
        with self.links[self.node_of(number)].request() as link:
            yield link
            yield self.env.timeout(self.carried(count))

    def write(
        self, number: int, count: float, before: simpy.Process | None
    ) -> Generator[simpy.Event]:
        """Writes bytes after those of an earlier write."""
        if before is not None:
            yield before
        began = self.env.now
        yield from self.work(number, count * self.costs.copy_per_byte)
        yield from self.send(number, count)
        bandwidth = self.machine.file_system_bytes / self.machine.servers
        with self.servers[number % self.machine.servers].request() as server:
            yield server
            yield self.env.timeout(count / bandwidth)
        self.written = max(self.written, self.env.now - began)

    # --- the placer ---

    def helper_of(self, number: int) -> int:
        return number * self.job.placers // self.job.ranks

    def ranks_of(self, helper: int) -> int:
        ranks, helpers = self.job.ranks, self.job.placers
        return -(-(helper + 1) * ranks // helpers) - -(-helper * ranks // helpers)

    def carried(self, count: float) -> float:
        """Seconds of a message between nodes."""
        return self.machine.latency + count / self.machine.link_bytes

    def tell(self, number: int, step: Step, count: float) -> Generator[simpy.Event]:
        """A message to the placer, and the wait for its answer."""
        helper = self.helper_of(number)
        if number > 0:
            yield self.env.timeout(self.carried(count))
            yield from self.take_message(helper)
        answer = self.env.event()
        step.waiting[helper].append(answer)
        if len(step.waiting[helper]) == self.ranks_of(helper):
            step.complete[helper].succeed()
        yield answer

    def take_message(self, helper: int) -> Generator[simpy.Event]:
        """What a message costs the placer, or one of several that take messages for it."""
        seconds = self.costs.placer_message
        if self.job.placers == 1:
            self.messages += 1
            yield from self.place(seconds)
            return
        with self.helpers[helper].request() as turn:
            yield turn
            yield self.env.timeout(seconds)

    def confer(self, step: Step, helper: int) -> Generator[simpy.Event]:
        """Passes on what the ranks of one helper have said, and the answers."""
        yield step.complete[helper]
        if helper > 0:
            yield self.env.timeout(self.machine.latency)
            yield from self.pass_on()
        step.gathered += 1
        if step.gathered == self.job.placers:
            step.all_heard.succeed()
        yield step.decided
        if helper > 0:
            yield from self.pass_on()
            yield self.env.timeout(self.machine.latency)
        for number, answer in enumerate(step.waiting[helper]):
            if number > 0:
                yield from self.take_message(helper)
            answer.succeed()

    def pass_on(self) -> Generator[simpy.Event]:
        self.messages += 1
        yield from self.place(self.costs.placer_message)

    def decide(self, step: Step, is_placing: bool) -> Generator[simpy.Event]:
        """What the placer does when it has heard all ranks."""
        yield step.all_heard
        yield self.env.timeout(self.costs.step_wait)
        chunks = self.job.chunks / self.batches if is_placing else 0
        yield from self.place(self.costs.placer_step + chunks * self.costs.placer_chunk)
        step.decided.succeed()

    def place(self, seconds: float) -> Generator[simpy.Event]:
        with self.placer.request() as turn:
            yield turn
            yield self.env.timeout(seconds)
        self.busy += seconds


def simulate(costs: Costs, machine: Machine, job: Job) -> Outcome:
    return Simulation(costs, machine, job).run()


def simulate_files(costs: Costs, machine: Machine, job: Job, files: int) -> Outcome:
    """The same into several equal files: one of them, with its part of the file system."""
    return simulate(costs, machine.part(files), job.part(files))
