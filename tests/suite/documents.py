"""The documents: short lines and paragraphs, and links that lead somewhere."""
import re
from pathlib import PurePosixPath

MOST_COLUMNS = 120
MOST_LINES = {"README.md": 150, "ARCHITECTURE.md": 150}  # of what a newcomer reads first
LONGEST_PARAGRAPH = 5

ITEM = re.compile(r" *([-*]|\d+\.) ")
LINK = re.compile(r"\]\(([^)\s]+)\)")


def long_paragraphs(lines):
    """The number of the first line too many of each paragraph or item of a list; code does not count."""
    code, length = False, 0
    for number, line in enumerate(lines, 1):
        fence = line.startswith("```")
        code = code != fence
        if code or fence or not line.strip() or line.startswith(("|", "#", "<!--")):
            length = 0
            continue
        length = 1 if ITEM.match(line) else length + 1
        if length == LONGEST_PARAGRAPH + 1:
            yield number


def anchor_of(heading):
    """The anchor that a heading has on the web: small letters, digits, and dashes for blanks."""
    return re.sub(r"[^a-z0-9_-]", "", heading.lstrip("# ").lower().replace(" ", "-"))


def broken_links(path, text, files):
    folder = PurePosixPath(path).parent
    for link in LINK.findall(text):
        if "://" in link:
            continue
        name, _, anchor = link.partition("#")
        parts = []
        for part in (folder / name).parts if name else PurePosixPath(path).parts:
            parts = parts[:-1] if part == ".." else parts + [part]
        target = "/".join(parts)
        there = target in files or any(other.startswith(target.rstrip("/") + "/") for other in files)
        headings = {anchor_of(line) for line in files.get(target, "").split("\n") if line.startswith("#")}
        if not there or anchor and anchor not in headings:
            yield link


def problems(files):
    """What is wrong with the documents among a tree of files, given as {path: text}."""
    for path, text in files.items():
        if not path.endswith(".md"):
            continue
        lines = text.rstrip("\n").split("\n")
        for number, line in enumerate(lines, 1):
            if len(line) > MOST_COLUMNS:
                yield f"{path}:{number}: {len(line)} columns, at most {MOST_COLUMNS}"
        for number in long_paragraphs(lines):
            yield f"{path}:{number}: in a paragraph of more than {LONGEST_PARAGRAPH} lines"
        if len(lines) > MOST_LINES.get(path, len(lines)):
            yield f"{path}: {len(lines)} lines, at most {MOST_LINES[path]}"
        for link in broken_links(path, text, files):
            yield f"{path}: links to {link}, which is not there"
