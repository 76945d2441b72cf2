"""Finds sites in sources for mutations, and the mutated text."""
import re
from dataclasses import dataclass, field


NUMBER = "\0"  # stands for the mutation's number in a schema


@dataclass
class Mistake:
    """One wrong text for source[begin:end]. `schema` is the text that selects between both, with
    NUMBER for the mutation's; None for Lua, where the wrong text replaces the original."""
    begin: int
    end: int
    kind: str
    wrong: str
    schema: str | None = None


@dataclass
class Site:
    """A statement or a condition, and its mutations."""
    begin: int
    end: int
    mistakes: list = field(default_factory=list)


CPP_NOISE = re.compile(
    r"//[^\n]*|/\*.*?\*/|R\"\((?:.|\n)*?\)\"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'"
    r"|^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.M | re.S)
LUA_NOISE = re.compile(
    r"--\[\[.*?\]\]|--[^\n]*|\[\[.*?\]\]|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)


def masked(text, noise):
    """The text with comments, strings and preprocessor lines blanked; offsets stay the same."""
    return noise.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


CPP_OPERATORS = {
    " < ": [" <= "], " <= ": [" < "], " > ": [" >= "], " >= ": [" > "], " == ": [" != "],
    " != ": [" == "], " && ": [" || "], " || ": [" && "], " + ": [" - "], " - ": [" + "],
    " * ": [" + "], " / ": [" * "], " % ": [" / "], " += ": [" -= "], " -= ": [" += "],
    " |= ": [" = "], " << ": [" >> "], " >> ": [" << "]}
LUA_OPERATORS = {
    " < ": [" <= "], " <= ": [" < "], " > ": [" >= "], " >= ": [" > "], " == ": [" ~= "],
    " ~= ": [" == "], " and ": [" or "], " or ": [" and "], " + ": [" - "], " - ": [" + "],
    " * ": [" / "], " / ": [" * "], " // ": [" / "], " % ": [" // "]}
INTEGER = re.compile(r"(?<![\w.'{])(\d+)(?![\w.'])")
SWAP = re.compile(r"(?<=\()((?:\w|[.\[\]])+), ((?:\w|[.\[\]])+)(?=[,)])")
FLAG = re.compile(r"\b(true|false)\b")


def changes(text, mask, operators, draw):
    """(kind, changed text) for each small change of an expression."""
    found = []

    def change(kind, begin, end, new):
        found.append((kind, text[:begin] + new + text[end:]))

    for operator, others in operators.items():
        for m in re.finditer(re.escape(operator), mask):
            for other in others:
                change(f"{operator.strip()} becomes {other.strip()}", m.start(), m.end(), other)
    for m in INTEGER.finditer(mask):
        value = int(m.group())
        if len(m.group()) > 9:
            continue
        other = value + 1 if value == 0 or draw.random() < 0.5 else value - 1
        change(f"{value} becomes {other}", m.start(), m.end(), str(other))
    for m in SWAP.finditer(mask):
        if m.group(1) != m.group(2):
            change("arguments swapped", m.start(), m.end(), f"{m.group(2)}, {m.group(1)}")
    for m in FLAG.finditer(mask):
        other = "false" if m.group() == "true" else "true"
        change(f"{m.group()} becomes {other}", m.start(), m.end(), other)
    return found


# --- C++ and CUDA --------------------------------------------------------------------------------

HEADER = re.compile(r"(?:else\s+)?(if|while|for)\s*\(|else\b|do\b|case [^:]*:|default:")
NEVER = re.compile(r"^(using|typedef|template|static_assert|extern|namespace|struct|class|enum|"
                   r"union|public|private|protected|friend|goto|break|continue|throw|delete|asm)\b")
RETURN = re.compile(r"^return\s+(?=\S)")
DECLARATION = re.compile(r"^(?!return\b)((?:const(?:expr)? |static |thread_local |unsigned )*"
                         r"(?:auto|bool|double|float|[\w:]+(?:<[^=;()]*>)?)[ &*]+)(\w+) = ")
CALL = re.compile(r"^[\w:.\->\[\]*()]+\(.*\)$", re.S)
ASSIGNMENT = re.compile(r"^[\w:.\->\[\]*()]+(?: [-+*/|&^%]?= )", re.S)
STEP = re.compile(r"^(?:\+\+|--)[\w.\->\[\]]+$")


def closing(mask, at):
    """The offset of the bracket that closes the one at `at`, or -1."""
    depth = 0
    for i in range(at, len(mask)):
        depth += (mask[i] == "(") - (mask[i] == ")")
        if depth == 0:
            return i
    return -1


def cpp_chunks(mask):
    """(begin, end, ended by) of the chunks between semicolons and braces; semicolons in brackets
    belong to a chunk."""
    begin, depth, outer = 0, 0, []
    for i, c in enumerate(mask):
        if c in "([":
            depth += 1
        elif c in ")]":
            depth -= 1
        elif c == "{":
            yield begin, i, c
            outer.append(depth)
            begin, depth = i + 1, 0
        elif c == "}":
            begin, depth = i + 1, outer.pop() if outer else 0
        elif c == ";" and depth <= 0:
            yield begin, i, c
            begin = i + 1


def cpp_condition(text, mask, begin, end, draw):
    condition = text[begin:end]
    site = Site(begin, end)
    if not condition.strip() or "//" in condition or re.search(r"[;{]|\bauto\b|\w \w+ = |[\w>] [*&]?\w+ = ", mask[begin:end]):
        return site
    site.mistakes.append(Mistake(begin, end, "condition negated", f"!({condition})",
                                 f"static_cast<bool>({condition}) != tide_mutant({NUMBER})"))
    for kind, wrong in changes(condition, mask[begin:end], CPP_OPERATORS, draw):
        site.mistakes.append(Mistake(
            begin, end, kind, wrong,
            f"tide_mutant({NUMBER}) ? static_cast<bool>({wrong}) : static_cast<bool>({condition})"))
    return site


def cpp_statement(text, mask, begin, end, draw):
    """The mutations of a statement without its semicolon."""
    statement, seen = text[begin:end], mask[begin:end]
    site = Site(begin, end + 1)
    if NEVER.match(seen) or re.search(r"\bconst(expr|eval|init)\b.*\bstatic_assert", seen):
        return site
    returned, declared = RETURN.match(seen), DECLARATION.match(seen)

    if "//" in statement:
        return site

    def add(kind, wrong, schema):
        site.mistakes.append(Mistake(begin, end + 1, kind, wrong + ";", schema))

    if declared:
        at = declared.end()
        head = statement[:at].replace("constexpr", "const")
        for kind, wrong in changes(statement[at:], seen[at:], CPP_OPERATORS, draw):
            add(kind, statement[:at] + wrong,
                f"{head}tide_mutant({NUMBER}) ? ({wrong}) : ({statement[at:]});")
        return site
    if returned or CALL.match(seen) or ASSIGNMENT.match(seen) or STEP.match(seen):
        for kind, wrong in changes(statement, seen, CPP_OPERATORS, draw):
            add(kind, wrong, f"{{ if (tide_mutant({NUMBER})) {{ {wrong}; }} else {{ {statement}; }} }}"
                if not returned else
                f"{{ if (tide_mutant({NUMBER})) {wrong}; {statement}; }}")
    if not returned and (CALL.match(seen) or ASSIGNMENT.match(seen) or STEP.match(seen)):
        kind = "call dropped" if CALL.match(seen) else "assignment dropped"
        add(kind, "", f"{{ if (!tide_mutant({NUMBER})) {statement}; }}")
    return site


def cpp_sites(text, draw):
    """The sites of a C++ or CUDA source, without those at namespace level, in macros and in
    statements that contain braces."""
    mask = masked(text, CPP_NOISE)
    sites = []
    for begin, end, ended_by in cpp_chunks(mask):
        at = begin
        while at < end:
            at += len(mask[at:end]) - len(mask[at:end].lstrip())
            header = HEADER.match(mask, at, end)
            if not header:
                break
            at = header.end()
            if not header.group(1):
                continue
            close = closing(mask, at - 1)
            if close < 0 or close > end:
                at = end
                break
            if header.group(1) == "for":
                parts = mask[at:close].split(";")
                if len(parts) == 3:
                    first = at + len(parts[0]) + 1
                    lead = len(parts[1]) - len(parts[1].lstrip())
                    sites.append(cpp_condition(text, mask, first + lead, first + len(parts[1]), draw))
            else:
                sites.append(cpp_condition(text, mask, at, close, draw))
            at = close + 1
        if ended_by == ";" and at < end and mask[at:end].count("(") == mask[at:end].count(")"):
            sites.append(cpp_statement(text, mask, at, end, draw))
    return [site for site in sites if site.mistakes]


# --- Lua -----------------------------------------------------------------------------------------

LUA_LINE = re.compile(
    r"^\s*(?:(?:if|while) (?P<c>.*) (?:then|do)"
    r"|return (?P<r>\S.*)|local [\w, <>]+ = (?P<l>.*)|(?P<target>[\w.\[\]:]+) = (?P<a>.*)"
    r"|(?P<call>[\w.:]+\(.*\)))$")


def lua_sites(text, draw):
    """The sites of a Lua source: statements and conditions of one line each."""
    mask = masked(text, LUA_NOISE)
    sites, begin, depth = [], 0, 0
    for line in mask.split("\n"):
        end = begin + len(line)
        m = LUA_LINE.match(line.rstrip())
        inside = depth > 0  # a bracket opened on an earlier line
        depth += sum(line.count(c) for c in "([{") - sum(line.count(c) for c in ")]}")
        balanced = all(line.count(a) == line.count(b) for a, b in ("()", "{}", "[]"))
        if m and balanced and not inside and not re.search(r"\bfunction\b|\bend\b", line):
            site = Site(begin, end)
            whole, seen = text[begin:end], line
            group = next((g for g in "crla" if m.group(g)), None)
            if group:
                first, last = m.span(group)
                for kind, wrong in changes(whole[first:last], seen[first:last], LUA_OPERATORS, draw):
                    site.mistakes.append(Mistake(begin, end, kind, whole[:first] + wrong + whole[last:]))
                if group == "c":
                    site.mistakes.append(Mistake(begin, end, "condition negated",
                                                 f"{whole[:first]}not ({whole[first:last]}){whole[last:]}"))
                if group == "a":
                    site.mistakes.append(Mistake(begin, end, "assignment dropped", ""))
            else:
                for kind, wrong in changes(whole, seen, LUA_OPERATORS, draw):
                    site.mistakes.append(Mistake(begin, end, kind, wrong))
                site.mistakes.append(Mistake(begin, end, "call dropped", ""))
            if site.mistakes:
                sites.append(site)
        begin = end + 1
    return sites
