"""One engine under python-chess, with a clock: what every game against an engine needs.

It notices what python-chess would forgive: a second `bestmove`, a process left behind, time.
"""

import asyncio
import os
import time

import chess
import chess.engine

# How long an engine may take to start, to answer, to end, and to take its processes with it.
PATIENCE_S = 20.0


class Fault(Exception):
    """What an engine did wrong, in one sentence."""


class Overstepped(Fault):
    """An engine lost on time."""


class Recorder(chess.engine.UciProtocol):
    """The UCI protocol with its own counts and times, and with questions in between."""

    def __init__(self):
        super().__init__()
        self.searches = 0
        self.answers = 0
        # When the last search began, and how long it took until its answer was read.
        self.began = 0.0
        self.took = 0.0
        # What is to be answered with `readyok`: when we asked, or None where python-chess did.
        self.asked = []
        # How long each of our questions took.
        self.latencies = []

    def send_line(self, line):
        word = line.split(maxsplit=1)[:1]
        if word == ["go"]:
            self.searches += 1
            self.began = time.monotonic()
        elif word == ["isready"]:
            self.asked.append(None)
        super().send_line(line)

    def _line_received(self, line):
        word = line.split(maxsplit=1)[:1]
        if word == ["bestmove"]:
            self.answers += 1
            self.took = time.monotonic() - self.began
        elif word == ["readyok"] and self.asked:
            asked = self.asked.pop(0)
            if asked is not None:
                self.latencies.append(time.monotonic() - asked)
                return
        super()._line_received(line)

    def ask(self):
        """Says `isready` whatever else is going on; see `latencies` for the answer."""
        self.asked.append(time.monotonic())
        super().send_line("isready")


class Player:
    """An engine process, in a session of its own, and its clock.

    `clock` is the time left in seconds. It is judged when a move is in: below zero by more than
    `margin`, the game is lost.
    """

    def __init__(self, name, transport, protocol):
        self.name = name
        self.transport = transport
        self.protocol = protocol
        self.session = transport.get_pid()
        self.new_game(0.0, 0.0, 0.0)

    @classmethod
    async def start(cls, name, command):
        # A session of its own: by it, whatever the engine starts can be found again.
        transport, protocol = await Recorder.popen(command, start_new_session=True)
        player = cls(name, transport, protocol)
        try:
            await player.within(PATIENCE_S, "answer uci", protocol.initialize())
        except BaseException:
            player.kill()
            raise
        return player

    def new_game(self, clock, increment, margin):
        """Winds the clock up; all in seconds."""
        self.clock = clock
        self.increment = increment
        self.margin = margin
        self.least = clock
        self.slowest = 0.0
        self.game = object()

    async def within(self, seconds, what, action):
        try:
            return await asyncio.wait_for(action, seconds)
        except asyncio.TimeoutError:
            running = members(self.session)
            fault = f"{self.name} did not {what} within {seconds:.0f} s; running: {running}"
            raise Fault(fault) from None

    async def move(self, board, limit):
        """A legal move, found in time."""
        search = self.protocol.play(board, limit, game=self.game)
        patience = self.clock + self.margin + PATIENCE_S
        try:
            result = await self.within(patience, "answer go", search)
        except chess.engine.EngineError as error:
            raise Fault(f"{self.name}: {error}; in {board.fen()}") from None
        took = self.protocol.took
        self.clock -= took
        self.slowest = max(self.slowest, took)
        self.least = min(self.least, self.clock)
        if result.resigned or result.move is None:
            raise Fault(f"{self.name} gave no move in {board.fen()}")
        if not board.is_legal(result.move):
            raise Fault(f"{self.name} played {result.move}, illegal in {board.fen()}")
        if self.clock < -self.margin:
            late = f"{self.name} overstepped its time by {-self.clock:.2f} s"
            raise Overstepped(f"{late}: {took:.2f} s for a move in {board.fen()}")
        self.clock = max(self.clock, 0.0) + self.increment
        return result.move

    async def quit(self):
        """Ends the engine with `quit` and checks what it leaves behind."""
        # One more exchange, so that a late second bestmove has been read by now.
        await self.settled()
        await self.within(PATIENCE_S, "end after quit", self.protocol.quit())
        status = await self.protocol.returncode
        if status != 0:
            raise Fault(f"{self.name} ended with status {status}")
        deadline = time.monotonic() + PATIENCE_S
        while left := members(self.session):
            if time.monotonic() > deadline:
                raise Fault(f"{self.name} left processes behind: {left}")
            await asyncio.sleep(0.05)

    async def settled(self):
        """Every `go` so far has exactly one answer."""
        await self.within(PATIENCE_S, "answer isready", self.protocol.ping())
        if self.protocol.searches != self.protocol.answers:
            counts = f"{self.protocol.searches} go, {self.protocol.answers} bestmove"
            raise Fault(f"{self.name}: {counts}")

    def kill(self):
        """Ends whatever is left of the session, after a fault."""
        for pid in members(self.session):
            try:
                os.kill(pid, 9)
            except ProcessLookupError:
                pass


def limit_of(white, black):
    """What both clocks say, for a `go`."""
    return chess.engine.Limit(
        white_clock=max(white.clock, 0.001),
        black_clock=max(black.clock, 0.001),
        white_inc=white.increment,
        black_inc=black.increment,
    )


def members(session):
    """Processes of a session that still run, with the leader if it does."""
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as file:
                # After the name in parentheses: state, parent, group, session.
                state, _, _, of = file.read().rsplit(")", 1)[1].split()[:4]
        except OSError:
            continue
        if int(of) == session and state != "Z":
            found.append(int(entry))
    return found
