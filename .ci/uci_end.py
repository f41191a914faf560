#!/usr/bin/env python3
"""Ends `aphid uci` in the middle of a search, by `quit` and by the end of its input.

Each time it must be gone within a second, with status 0, and the workers of the master must go
idle, for `aphid status` to see.

Usage: uci_end.py PATH_OF_APHID MASTER    (MASTER is HOST:PORT, with a worker at least)
"""

import json
import subprocess
import sys
import time

END_WITHIN_S = 1.0
# How long anything else may take, and how often to look.
PATIENCE_S = 30.0
LOOK_S = 0.05


class Fault(Exception):
    """What went wrong, in one sentence."""


def status(aphid, master):
    command = [aphid, "status", "--master", master, "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def busy(found):
    """The master has a search and every worker has a part in it."""
    return found["search"] is not None and all_are(found, "searching")


def idle(found):
    return found["search"] is None and all_are(found, "idle")


def all_are(found, state):
    return found["workers"] and all(worker["state"] == state for worker in found["workers"])


def await_state(aphid, master, is_so):
    """Seconds until it is so."""
    began = time.monotonic()
    while not is_so(found := status(aphid, master)):
        if time.monotonic() - began > PATIENCE_S:
            raise Fault(f"never {is_so.__name__}: {found}")
        time.sleep(LOOK_S)
    return time.monotonic() - began


def end(aphid, master, how, finish):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, "text": True, "bufsize": 1}
    process = subprocess.Popen([aphid, "uci", "--master", master], **pipes)
    try:
        process.stdin.write("uci\nposition startpos\ngo infinite\n")
        await_state(aphid, master, busy)
        began = time.monotonic()
        finish(process.stdin)
        code = process.wait(PATIENCE_S)
        took = time.monotonic() - began
    finally:
        process.kill()
        process.wait()
    if code != 0:
        raise Fault(f"{how}: ended with status {code}")
    if took > END_WITHIN_S:
        raise Fault(f"{how}: took {took:.2f} s to end")
    idled = await_state(aphid, master, idle)
    print(f"{how} in mid-search: ended in {took:.3f} s, workers idle {idled:.2f} s later")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        end(*sys.argv[1:], "quit", lambda stdin: stdin.write("quit\n"))
        end(*sys.argv[1:], "end of input", lambda stdin: stdin.close())
    except (Fault, subprocess.SubprocessError, OSError) as fault:
        sys.exit(f"uci_end: {type(fault).__name__}: {fault}")


if __name__ == "__main__":
    main()
