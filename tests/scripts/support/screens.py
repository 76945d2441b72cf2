"""Goes through a lesson in a terminal of 80 x 24, with Enter at each question. Prints each screen that is too high.

usage: screens.py TIDE lesson N [WORDS]

Ends with the status of the lesson, or with 1 if a screen was too high.
"""
import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios

ROWS, COLUMNS = 24, 80
QUESTION = b"Lua is run: "
PATIENCE = 60  # seconds until something more must have come

PIECE = re.compile(r"\x1b\[(?P<count>[?\d;]*)(?P<end>[A-Za-z])|(?P<control>[\r\n])|[^\x1b\r\n]+")


def start(words):
    """A process at a terminal of its own: its number, and the terminal."""
    process, terminal = pty.fork()
    if process == 0:
        fcntl.ioctl(sys.stdout, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        os.environ.update(TERM="xterm")
        for name in ("KITTY_WINDOW_ID", "TERM_PROGRAM"):  # figures in letters
            os.environ.pop(name, None)
        os.execv(words[0], words)
    return process, terminal


def read_some(terminal):
    if not select.select([terminal], [], [], PATIENCE)[0]:
        raise TimeoutError("nothing more came from the lesson")
    try:
        return os.read(terminal, 65536)
    except OSError:  # the end of the process
        return b""


def screens_of(terminal):
    """What is shown up to each question, and after the last one."""
    shown = b""
    while more := read_some(terminal):
        shown += more
        if shown.endswith(b"\x1b[c"):  # a figure asks whether there are pictures
            os.write(terminal, b"\x1b[?1;2c")
        if shown.endswith(QUESTION):
            yield shown.decode()
            shown = b""
            os.write(terminal, b"\n")
    yield shown.decode()


def rows_of(screen):
    """How many rows it takes. What begins with the echo of Enter begins in the row of the question."""
    row = column = last = 0
    for piece in PIECE.finditer(screen):
        if piece["end"]:
            row -= int(piece["count"] or 1) if piece["end"] == "A" else 0
        elif piece["control"]:
            row += piece["control"] == "\n"
            column = 0
        else:
            column += len(piece[0])
            row += (column - 1) // COLUMNS
            column = (column - 1) % COLUMNS + 1
            last = max(last, row)
    return last + 1


def plain(screen):
    return PIECE.sub(lambda piece: "" if piece["end"] or piece["control"] == "\r" else piece[0], screen)


def main():
    process, terminal = start(sys.argv[1:])
    too_high = False
    for screen in screens_of(terminal):
        rows = rows_of(screen)
        if rows > ROWS:
            too_high = True
            print(f"{rows} rows:\n{plain(screen)}")
        last = screen
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    if status != 0:
        print(plain(last))
    return status or too_high


if __name__ == "__main__":
    sys.exit(main())
