"""A terminal for tide: what it shows, as a page of HTML."""
import base64
import fcntl
import html
import os
import pty
import re
import select
import struct
import tempfile
import termios
import zlib

COLUMNS, ROWS, PIXELS = 84, 76, 480  # PIXELS: its width, as the terminal says
PATIENCE = 60  # seconds until an answer must have begun

PAGE = """<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark">
<style>
:root {{ --paper: #ffffff; --ink: #1f2328; }}
@media (prefers-color-scheme: dark) {{ :root {{ --paper: #14171c; --ink: #dfe4ea; }} }}
body {{ margin: 0; background: var(--paper); color: var(--ink); }}
pre {{ margin: 1rem; overflow-x: auto; font: 14px/17px "DejaVu Sans Mono", monospace; }}
i {{ display: inline-block; width: 1ch; height: 17px; vertical-align: top; font-style: normal; }}
</style><pre>{}</pre>
"""


def start(program, words, term):
    """A process at a terminal of its own: its number, and the terminal."""
    process, terminal = pty.fork()
    if process == 0:
        os.environ.update(TERM=term, INPUTRC="/dev/null", XDG_STATE_HOME=tempfile.mkdtemp())
        for name in ("NO_COLOR", "TMUX", "KITTY_WINDOW_ID", "TERM_PROGRAM"):
            os.environ.pop(name, None)
        os.execv(program, [program, *words])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, PIXELS, 0))
    return process, terminal


def read_some(terminal):
    if not select.select([terminal], [], [], PATIENCE)[0]:
        raise TimeoutError("nothing more came from the terminal")
    try:
        return os.read(terminal, 65536)
    except OSError:  # the end of the process
        return b""


def output(program, text, term):
    """The bytes that `tide -e TEXT` writes to a terminal."""
    process, terminal = start(program, ["-e", text], term)
    shown = b""
    while more := read_some(terminal):
        shown += more
    os.waitpid(process, 0)
    os.close(terminal)
    return shown


def session(program, lines):
    """The screen when each line was typed once the prompt had come, and the last was answered."""
    import pyte
    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.ByteStream(screen)
    process, terminal = start(program, [], "xterm-256color")
    for number, line in enumerate([*lines, None], 1):
        while not re.search(rf"^In \[{number}\]: *$", screen.display[screen.cursor.y]):
            stream.feed(read_some(terminal))
        if line is not None:
            os.write(terminal, line.encode() + b"\r")
    os.write(terminal, b"\x04")
    os.waitpid(process, 0)
    os.close(terminal)
    return screen


def colour(name, otherwise):
    names = {"default": otherwise, "brown": "#b58900", "brightblack": "gray"}
    return names.get(name) or (f"#{name}" if re.fullmatch("[0-9a-f]{6}", name) else name)


def cell(character):
    """A character cell. Half blocks are drawn as such: a font leaves gaps."""
    ink, paper = colour(character.fg, "var(--ink)"), colour(character.bg, "transparent")
    if character.data == "▀":
        return f'<i style="background:linear-gradient({ink} 50%,{paper} 50%)"></i>'
    style = "".join([f"color:{ink};" if character.fg != "default" else "",
                     f"background:{paper};" if character.bg != "default" else ""])
    if not style and character.data.isascii():
        return html.escape(character.data)
    return f'<i style="{style}">{html.escape(character.data)}</i>'


def page(screen):
    """The screen as a page."""
    rows = ["".join(cell(screen.buffer[y][x]) for x in range(screen.columns)).rstrip()
            for y in range(screen.lines)]
    return PAGE.format("\n".join(rows).rstrip())


def sixel(data):
    """The rows of a picture's pixels, (red, green, blue), by the bytes of sixel after the q."""
    colours, pixels, now, x, y = {}, {}, 0, 0, 0
    pattern = rb'"[\d;]*|#(\d+)(;2;(\d+);(\d+);(\d+))?|(!(\d+))?([?-~])|([$-])'
    for found in re.finditer(pattern, data):
        number, definition, red, green, blue, _, count, bits, move = found.groups()
        if number:
            now = int(number)
            if definition:
                colours[now] = tuple(int(share) * 255 // 100 for share in (red, green, blue))
        elif bits:
            for _ in range(int(count or 1)):
                for k in range(6):
                    if (bits[0] - 63) >> k & 1:
                        pixels[x, y + k] = colours[now]
                x += 1
        elif move:
            x, y = 0, y + (6 if move == b"-" else 0)
    width, height = (1 + max(place[axis] for place in pixels) for axis in (0, 1))
    return [[pixels.get((x, y), (255, 255, 255)) for x in range(width)] for y in range(height)]


def png(rows):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    data = b"".join(b"\0" + bytes(value for pixel in row for value in pixel) for row in rows)
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b"")


def picture_page(text, rows):
    """A picture below the text that drew it, as a page."""
    data = base64.b64encode(png(rows)).decode()
    return PAGE.format(html.escape(text) + f'\n<img src="data:image/png;base64,{data}" alt="">')
