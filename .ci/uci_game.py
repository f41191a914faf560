#!/usr/bin/env python3
"""Plays one short timed game, the engine against itself, under python-chess.

Fails unless every answer is a legal move, every `go` has exactly one `bestmove`, nobody loses on
time by more than a generous margin, both engines end by themselves after `quit`, and none of
their processes is left.

Usage: uci_game.py PATH_OF_APHID [ARGUMENT ...]    (arguments default to: uci)
"""

import asyncio
import sys

import chess
import chess.engine

from uci_player import Fault, Player, limit_of

CLOCK_S = 1.0
INCREMENT_S = 0.01
MAX_PLIES = 40
# How far a clock may fall below zero: the machine may be busy with other work.
MARGIN_S = 2.0


async def play(command):
    players = []
    try:
        for name in ("white", "black"):
            players.append(await Player.start(name, command))
            players[-1].new_game(CLOCK_S, INCREMENT_S, MARGIN_S)
        board = chess.Board()
        while not board.is_game_over(claim_draw=True) and board.ply() < MAX_PLIES:
            player = players[board.turn == chess.BLACK]
            board.push(await player.move(board, limit_of(*players)))
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
