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
PANEL, TEXT, TYPED, DIM, ERROR = "#1f2430", "#cbccc6", "#ffffff", "#8f98a8", "#ff9d8a"
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


def read_to_prompt(terminal):
    shown = ""
    while not re.search(r"(In \[\d+\]|\.\.\.): $", without_codes(shown)):
        if not select.select([terminal], [], [], PATIENCE)[0]:
            sys.exit(f"session.py: no prompt came after:\n{shown}")
        shown += os.read(terminal, 65536).decode()
    return shown


def rows_of(shown):
    """The rows of the picture with their colours. Lines are wrapped as a terminal does."""
    shown = re.sub(r"\r|\x1b\[\?2004[hl]", "", shown)
    in_error = False
    for line in shown.rstrip("> \n").split("\n"):
        plain = re.sub(r"\x1b\[[0-9;]*m", "", line).expandtabs(8)
        if line.startswith("\x1b[2m"):  # the program's own dim text: time and queue
            colour, in_error = DIM, False
        elif re.match(r">>? ", plain):
            colour, in_error = TYPED, False
        else:
            in_error = in_error or plain.startswith("stdin:")
            colour = ERROR if in_error else TEXT
        for start in range(0, max(len(plain), 1), COLUMNS):
            yield colour, plain[start:start + COLUMNS]


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
    for number, (colour, text) in enumerate(rows):
        if text:
            parts.append(f'<text x="{MARGIN}" y="{MARGIN + number * LINE + 14}" fill="{colour}" '
                         f'textLength="{len(text) * CHARACTER:g}" xml:space="preserve">'
                         f"{html.escape(text)}</text>")
    return "\n".join([*parts, "</g>", "</svg>", ""])


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else str(DOCS.parent / "build/release/tide")
    target = Path(sys.argv[2]) if len(sys.argv) > 2 else DOCS / "session.svg"
    lines = (DOCS / "session.keys").read_text().splitlines()
    target.write_text(draw(list(rows_of(record(program, lines)))))


if __name__ == "__main__":
    main()
