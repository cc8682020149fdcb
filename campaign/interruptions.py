"""Signals and kills at random instants of every command."""

import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

from campaign import judge, seeds

GENTLE = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
COMMANDS = [("pack",), ("pack", "--verify"), ("pack", "--in-place"), ("unpack",)]


def case(seed: int, folder: Path, made: Path) -> judge.Verdict:
    """Interrupts a command; afterwards the input is whole, the output absent or whole."""
    chance = random.Random(seed)
    origin = chance.choice([path for path in seeds.make(made) if path.suffix == ".nc"])
    source, target = folder / origin.name, folder / "out.nc"
    shutil.copy(origin, source)
    before = judge.digest(source)
    command = chance.choice(COMMANDS)
    kill = chance.choice([*GENTLE, signal.SIGKILL])
    is_in_place = "--in-place" in command
    words = [judge.BINARY, *command, source, *([] if is_in_place else ["-o", target])]
    process = subprocess.Popen(
        list(map(str, words)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    time.sleep(chance.random() * 0.06)
    process.send_signal(kill)
    details = {"command": " ".join(command), "signal": kill.name, "origin": origin.name}
    try:
        process.wait(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return judge.Verdict("a signal did not end it", "", True, details)
    left = sorted(path.name for path in folder.iterdir() if path.name.startswith("."))
    if left and kill != signal.SIGKILL:
        return judge.Verdict("left behind", " ".join(left), True, details)
    # Whoever is killed leaves what the next run takes away.
    judge.run(*words, *([] if is_in_place else ["--overwrite"]))
    left = sorted(path.name for path in folder.iterdir() if path.name.startswith("."))
    if left:
        return judge.Verdict("left behind by the next run", " ".join(left), True, details)
    if not is_in_place and judge.digest(source) != before:
        return judge.Verdict("source changed", "", True, details)
    for path in {source, target} & set(folder.iterdir()):
        code, said, _ = judge.run(judge.BINARY, "verify", path, origin)
        if code != 0:
            return judge.Verdict("another content", f"{path.name}: {said[-300:]}", True, details)
    return judge.Verdict("fine", "", False, details)
