#!/usr/bin/env python3
"""Plays a match between aphid and another UCI engine under python-chess, clocks strictly kept.

Prints a line a game and a closing line. Ends with status 1 if anybody made an illegal move, broke
the protocol, hung, left processes behind, or lost on time; who won does not matter. Two games in
a row have the same opening with colours changed.

With --disturb, that shell command runs in the middle of the first game, while aphid is searching;
from then until half a minute after its end, or until the game is over, aphid is asked `isready` all
the time, and has to answer within a second.
"""

import argparse
import asyncio
import shlex
import sys
import time

import chess
import chess.engine

from uci_player import PATIENCE_S, Fault, Overstepped, Player, limit_of

OPENINGS = [
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6",
    "d4 d5 c4 e6 Nc3 Nf6 Bg5 Be7",
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6",
    "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6",
    "e4 e6 d4 d5 Nc3 Nf6 Bg5 Be7",
    "e4 c6 d4 d5 e5 Bf5 Nf3 e6",
    "c4 e5 Nc3 Nf6 g3 d5 cxd5 Nxd5",
    "e4 e5 Nf3 Nc6 Bc4 Bc5 c3 Nf6",
    "d4 Nf6 c4 e6 Nc3 Bb4 e3 O-O",
    "Nf3 d5 g3 Nf6 Bg2 e6 O-O Be7",
]
# A game that long is called a draw: the match has an end whatever the engines do.
MAX_PLIES = 500
# Half-moves of the first game before it is disturbed.
DISTURBED_AT = 12
ASK_EVERY_S = 0.02
READY_WITHIN_S = 1.0
ASK_ON_S = 30.0


class Disturbance:
    """A command in mid-game, and `isready` again and again while it has its effect."""

    def __init__(self, command, player):
        self.command = command
        self.player = player
        self.task = None
        self.moves_during = 0

    def begin(self):
        if self.task is None:
            self.task = asyncio.create_task(self.run())

    async def run(self):
        protocol = self.player.protocol
        protocol.latencies.clear()
        asking = asyncio.create_task(self.ask())
        try:
            began = time.monotonic()
            process = await asyncio.create_subprocess_shell(self.command)
            if await process.wait() != 0:
                raise Fault(f"{self.command} failed")
            print(f"disturbed for {time.monotonic() - began:.2f} s by: {self.command}", flush=True)
            await asyncio.sleep(ASK_ON_S)
        finally:
            asking.cancel()

    async def ask(self):
        while True:
            self.player.protocol.ask()
            await asyncio.sleep(ASK_EVERY_S)

    async def end(self):
        """Checks the answers; the game is over."""
        if self.task is None:
            raise Fault("the game was over before it could be disturbed")
        if not self.task.done():
            self.task.cancel()
        await asyncio.wait([self.task])
        if not self.task.cancelled() and self.task.exception():
            raise self.task.exception()
        await self.player.settled()
        protocol = self.player.protocol
        if protocol.asked:
            raise Fault(f"{self.player.name}: {len(protocol.asked)} isready without answer")
        slowest = max(protocol.latencies)
        print(f"isready: {len(protocol.latencies)} asked and answered, slowest {slowest:.3f} s")
        if slowest > READY_WITHIN_S:
            raise Fault(f"{self.player.name} took {slowest:.2f} s to answer isready")


class Match:
    """Both engines, which live as long as they make no mistake, and the score."""

    def __init__(self, options):
        self.options = options
        self.players = {}
        self.score = {"won": 0, "drawn": 0, "lost": 0}
        self.faults = []
        self.slowest = 0.0
        self.least = options.clock

    async def player(self, name, command, settings):
        if name not in self.players:
            player = self.players[name] = await Player.start(name, command)
            known = {key: settings[key] for key in settings if key in player.protocol.options}
            await player.within(PATIENCE_S, "be set up", player.protocol.configure(known))
        player = self.players[name]
        player.new_game(self.options.clock, self.options.increment, 0.0)
        return player

    async def ours(self):
        return await self.player("aphid", self.options.aphid, {})

    async def theirs(self):
        # Some reserve on a machine that is busy with other work: it is not the one under test.
        settings = {"Threads": 1, "Hash": 16, "Move Overhead": 40}
        if self.options.elo:
            settings |= {"UCI_LimitStrength": True, "UCI_Elo": self.options.elo}
        return await self.player("opponent", self.options.opponent, settings)

    async def play(self, number):
        """One game; a line about it."""
        board = chess.Board()
        for move in OPENINGS[number // 2 % len(OPENINGS)].split():
            board.push_san(move)
        white = number % 2 == 0
        result, fault = "*", None
        aphid = None
        try:
            aphid, opponent = await self.ours(), await self.theirs()
            both = (aphid, opponent) if white else (opponent, aphid)
            disturb = self.options.disturb if number == 0 else None
            await self.moves(board, both, disturb and Disturbance(disturb, aphid))
            for player in both:
                await player.settled()
            result = board.result(claim_draw=True).replace("*", "1/2-1/2")
            winner = {"1-0": white, "0-1": not white}.get(result)
            self.score[{True: "won", False: "lost", None: "drawn"}[winner]] += 1
        except (Fault, chess.engine.EngineError) as error:
            fault = f"{type(error).__name__}: {error}"
            self.faults.append(f"game {number + 1}: {fault}")
            # The loser of time plays on in the next game; whoever did worse starts anew.
            if not isinstance(error, Overstepped):
                self.kill()
        side = "white" if white else "black"
        line = f"{number + 1:>2}  {side}  {result:<7}  {board.ply():>3} plies"
        if aphid:
            self.slowest = max(self.slowest, aphid.slowest)
            self.least = min(self.least, aphid.least)
            line += f"  slowest {aphid.slowest:.2f} s  least left {aphid.least:.2f} s"
            if "opponent" in self.players:
                opponent = self.players["opponent"]
                line += f"  (opponent {opponent.slowest:.2f} s, {opponent.least:.2f} s)"
        print(line + (f"  FAULT {fault}" if fault else ""), flush=True)

    async def moves(self, board, both, disturbance):
        while not board.is_game_over(claim_draw=True) and board.ply() < MAX_PLIES:
            player = both[board.turn == chess.BLACK]
            if disturbance and board.ply() >= DISTURBED_AT and player is disturbance.player:
                disturbance.begin()
            board.push(await player.move(board, limit_of(*both)))
        if disturbance:
            await disturbance.end()

    async def end(self):
        for player in self.players.values():
            try:
                await player.quit()
            except Fault as fault:
                self.faults.append(f"at the end: {fault}")

    def kill(self):
        for player in self.players.values():
            player.kill()
        self.players = {}


async def run(options):
    match = Match(options)
    try:
        for number in range(options.games):
            await match.play(number)
        await match.end()
    finally:
        match.kill()
    score = ", ".join(f"{count} {how}" for how, count in match.score.items())
    closing = f"{options.games} games at {options.clock:g}+{options.increment:g}: {score}; "
    closing += f"slowest move {match.slowest:.2f} s, least time left {match.least:.2f} s; "
    print(closing + f"{len(match.faults)} faults")
    for fault in match.faults:
        print(fault, file=sys.stderr)
    return 1 if match.faults else 0


def positive(kind):
    def parse(text):
        value = kind(text)
        if not 0 < value < 1e6:
            raise ValueError
        return value

    parse.__name__ = f"positive {kind.__name__}"
    return parse


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--aphid", type=shlex.split, required=True, help="its command, one word")
    parser.add_argument("--opponent", type=shlex.split, required=True, help="its command, one word")
    parser.add_argument("--games", type=positive(int), default=20)
    parser.add_argument("--clock", type=positive(float), default=2.0, help="seconds")
    parser.add_argument("--increment", type=positive(float), default=0.05, help="seconds a move")
    parser.add_argument("--elo", type=int, default=0, help="limit of the opponent; 0: none")
    parser.add_argument("--disturb", help="a shell command, in the middle of the first game")
    options = parser.parse_args()
    try:
        sys.exit(asyncio.run(run(options)))
    except (chess.engine.EngineError, OSError) as error:
        sys.exit(f"uci_match: {type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
