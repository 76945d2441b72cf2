#!/usr/bin/env python3
"""Types docs/session.keys at the prompt of the real program and draws what the terminal shows.

usage: docs/session.py [TIDE] [SVG]      default: build/release/tide docs/session.svg

Needs nothing but Python's standard library. All text of the picture comes from the program.
"""
import fcntl
import html
import os
import pty
import re
import select
import struct
import sys
import tempfile
import termios
from pathlib import Path

DOCS = Path(__file__).resolve().parent
COLUMNS = 96
PATIENCE = 60  # seconds until an answer must have begun

# Dark panel, light text: readable on a light page and on a dark one.
PANEL, TEXT, TYPED = "#1f2430", "#cbccc6", "#ffffff"
COLOURS = {"2": "#8f98a8", "31": "#ff9d8a", "32": "#bae67e", "33": "#ffd580", "35": "#d4bfff",
           "36": "#95e6cb"}  # of the program's codes
LINE, CHARACTER, MARGIN = 19, 8.0, 16


def record(program, lines):
    """What the terminal shows when each line is typed once the prompt has come."""
    with tempfile.TemporaryDirectory() as state:
        process, terminal = pty.fork()
        if process == 0:
            os.environ.update(TERM="xterm-256color", XDG_STATE_HOME=state, INPUTRC="/dev/null")
            os.environ.pop("NO_COLOR", None)
            os.execv(program, [program])
        # Wider than any line: an editor that wraps would redraw.
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 400, 0, 0))
        shown = read_to_prompt(terminal)
        for line in lines:
            os.write(terminal, line.encode() + b"\r")
            shown += read_to_prompt(terminal)
        os.write(terminal, b"\x04")
        os.waitpid(process, 0)
        os.close(terminal)
    return shown


def without_codes(shown):
    return re.sub(r"\x1b\[[?0-9;]*[A-Za-z]|\x1b[78]|\r", "", shown)


def read_to_prompt(terminal):
    shown = ""
    while not re.search(r"(^|\n)(In \[\d+\]| +\.\.\.): $", without_codes(shown)):
        if not select.select([terminal], [], [], PATIENCE)[0]:
            sys.exit(f"session.py: no prompt came after:\n{shown}")
        shown += os.read(terminal, 65536).decode()
    return shown


def rows_of(shown):
    """The rows of the picture: lists of (colour, text). Lines are wrapped as a terminal does."""
    # A line typed is drawn twice: as readline does, and over that in colours.
    shown = re.sub(r"(In \[\d+\]: )[^\n]*\x1b7\r\x1b\[\d+C(.*?)\x1b8", r"\1\2", shown)
    shown = re.sub(r"\r|\x1b\[\?2004[hl]|\x1b\[K", "", shown)
    shown = re.sub(r"\n[^\n]*$", "", shown)  # the prompt that waits
    colour = None
    for line in shown.split("\n"):
        usual = TYPED if re.match(r"(In \[\d+\]| +\.\.\.): ", line) else TEXT
        row, room = [], COLUMNS
        for piece in re.split(r"(\x1b\[[0-9;]*m)", line):
            if piece.startswith("\x1b"):
                colour = COLOURS.get(piece[2:-1])
                continue
            while piece:
                row.append((colour or usual, piece[:room]))
                room -= len(row[-1][1])
                piece = piece[len(row[-1][1]):]
                if room == 0:
                    yield row
                    row, room = [], COLUMNS
        if row or room == COLUMNS:
            yield row


def draw(rows):
    width = round(COLUMNS * CHARACTER + 2 * MARGIN)
    height = len(rows) * LINE + 2 * MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img">',
        "<title>A session at the prompt of tide</title>",
        f'<rect width="100%" height="100%" rx="8" fill="{PANEL}"/>',
        '<g font-family="ui-monospace, Menlo, Consolas, DejaVu Sans Mono, monospace" '
        'font-size="13">',
    ]
    for number, row in enumerate(rows):
        length = sum(len(text) for _, text in row)
        spans = "".join(f'<tspan fill="{colour}">{html.escape(text)}</tspan>'
                        for colour, text in row)
        if row:
            parts.append(f'<text x="{MARGIN}" y="{MARGIN + number * LINE + 14}" '
                         f'textLength="{length * CHARACTER:g}" xml:space="preserve">{spans}</text>')
    return "\n".join([*parts, "</g>", "</svg>", ""])


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else str(DOCS.parent / "build/release/tide")
    target = Path(sys.argv[2]) if len(sys.argv) > 2 else DOCS / "session.svg"
    lines = (DOCS / "session.keys").read_text().splitlines()
    target.write_text(draw(list(rows_of(record(program, lines)))))


if __name__ == "__main__":
    main()
