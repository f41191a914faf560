#!/usr/bin/env python3
"""Plays one short timed game, the engine against itself, under python-chess.

Fails unless every answer is a legal move, every `go` has exactly one `bestmove`, nobody loses on
time by more than a generous margin, both engines end by themselves after `quit`, and none of
their processes is left.

Usage: uci_game.py PATH_OF_APHID [ARGUMENT ...]    (arguments default to: uci)
"""

import asyncio
import os
import sys
import time

import chess
import chess.engine

CLOCK_S = 1.0
INCREMENT_S = 0.01
MAX_PLIES = 40
# How far a clock may fall below zero: the machine may be busy with other work.
MARGIN_S = 2.0
# How long an engine may take to start, to end, and to take its processes with it.
PATIENCE_S = 20.0


class Fault(Exception):
    """What the engine did wrong, in one sentence."""


class Recorder(chess.engine.UciProtocol):
    """The UCI protocol, counting what python-chess would forgive."""

    def __init__(self):
        super().__init__()
        self.searches = 0
        self.answers = 0

    def send_line(self, line):
        if line.split(maxsplit=1)[:1] == ["go"]:
            self.searches += 1
        super().send_line(line)

    def _line_received(self, line):
        if line.split(maxsplit=1)[:1] == ["bestmove"]:
            self.answers += 1
        super()._line_received(line)


class Player:
    """One engine process, in a session of its own, and its clock."""

    def __init__(self, name, transport, protocol):
        self.name = name
        self.transport = transport
        self.protocol = protocol
        self.session = transport.get_pid()
        self.clock = CLOCK_S

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

    async def within(self, seconds, what, action):
        try:
            return await asyncio.wait_for(action, seconds)
        except asyncio.TimeoutError:
            running = members(self.session)
            fault = f"{self.name} did not {what} within {seconds:.0f} s; running: {running}"
            raise Fault(fault) from None

    async def move(self, board, limit):
        began = time.monotonic()
        search = self.protocol.play(board, limit, game="one")
        result = await self.within(self.clock + MARGIN_S + PATIENCE_S, "answer go", search)
        self.clock -= time.monotonic() - began
        if result.resigned or result.move is None:
            raise Fault(f"{self.name} gave no move in {board.fen()}")
        if not board.is_legal(result.move):
            raise Fault(f"{self.name} played {result.move}, illegal in {board.fen()}")
        if self.clock < -MARGIN_S:
            raise Fault(f"{self.name} overstepped its time by {-self.clock:.2f} s")
        self.clock = max(self.clock, 0.0) + INCREMENT_S
        return result.move

    async def quit(self):
        """Ends the engine with `quit` and checks what it leaves behind."""
        # One more exchange, so that a late second bestmove has been read by now.
        await self.within(PATIENCE_S, "answer isready", self.protocol.ping())
        await self.within(PATIENCE_S, "end after quit", self.protocol.quit())
        status = await self.protocol.returncode
        if status != 0:
            raise Fault(f"{self.name} ended with status {status}")
        deadline = time.monotonic() + PATIENCE_S
        while left := members(self.session):
            if time.monotonic() > deadline:
                raise Fault(f"{self.name} left processes behind: {left}")
            await asyncio.sleep(0.05)
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


async def play(command):
    players = []
    try:
        players.append(await Player.start("white", command))
        players.append(await Player.start("black", command))
        board = chess.Board()
        while not board.is_game_over(claim_draw=True) and board.ply() < MAX_PLIES:
            white, black = players
            limit = chess.engine.Limit(
                white_clock=max(white.clock, 0.001),
                black_clock=max(black.clock, 0.001),
                white_inc=INCREMENT_S,
                black_inc=INCREMENT_S,
            )
            board.push(await players[board.turn == chess.BLACK].move(board, limit))
        for player in players:
            await player.quit()
    finally:
        for player in players:
            player.kill()
    line = chess.Board().variation_san(board.move_stack)
    clocks = ", ".join(f"{player.name} {player.clock:.2f} s" for player in players)
    print(f"{line}\n{board.ply()} plies, {board.result(claim_draw=True)}; left: {clocks}")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    command = [sys.argv[1], *(sys.argv[2:] or ["uci"])]
    try:
        asyncio.run(play(command))
    except (Fault, chess.engine.EngineError, OSError) as fault:
        sys.exit(f"uci_game: {type(fault).__name__}: {fault}")


if __name__ == "__main__":
    main()
