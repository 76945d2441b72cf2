"""The words of the sources: forms that the field does not use, each with the one to write."""
import re
from pathlib import Path

SUFFIXES = {".h", ".cpp", ".cu", ".cuh", ".def", ".lua", ".py", ".cmake", ".md"}
# Golden cases are PyTorch's; this file names the words.
NOT_READ = ("tests/golden/", "tests/suite/words.py")

# Where a word means something else, it is let through: {form: (what to write, files and folders)}.
FORMS = {
    r"behind": ("after", ()),
    r"(?<!there )(?:is|are|was|were|be) no(?= (?!longer|more than|less than|better|worse|different|match)[a-z])":
        ("is not a ..., cannot ..., expected ...", ()),
    r"so (?:many|much)": ("the number", ()),
    r"nobody|somebody|whoever": ("the caller, a thread, another process, no code", ()),
    r"anew|once more": ("again, from scratch", ()),
    r"mend(?:s|ed|ing)?": ("fix, hint", ()),
    r"without a word": ("silently", ()),
    r"speaks? of": ("describes, names", ()),
    r"(?:is|are|was|were|been|be) told": ("is given, reads", ()),
    r"that which|such as it is": ("the noun", ()),
    r"of no account": ("no longer applies", ()),
    r"as good as": ("almost", ()),
    r"perhaps": ("may", ()),
    r"crumbs?": ("small tensors", ()),
    r"parcels?": ("serialized value", ()),
    r"(?:gives?|gave|given|giving) back": ("returns; of memory: releases", ()),
    r"(?:takes?|took|taken|taking) back": ("undoes, reverts; of memory: reclaims", ()),
    r"lets? go|letting go": ("releases", ()),
}
PATTERNS = {re.compile(rf"(?<![A-Za-z])(?:{form})(?![a-z])", re.IGNORECASE): rule for form, rule in FORMS.items()}


def is_read(path):
    return Path(path).suffix in SUFFIXES and not path.startswith(NOT_READ)


def found(path, text):
    """Each line of a file with a form to avoid, as "path:line: ..."."""
    for pattern, (instead, elsewhere) in PATTERNS.items():
        if path.startswith(elsewhere):
            continue
        for match in pattern.finditer(text):
            yield f"{path}:{text.count(chr(10), 0, match.start()) + 1}: '{match[0].strip()}': write {instead}"


if __name__ == "__main__":
    import subprocess
    import sys
    names = subprocess.run(["git", "ls-files", "-z", *sys.argv[1:]], check=True, capture_output=True, text=True).stdout
    lines = [line for name in names.split("\0") if is_read(name) for line in found(name, Path(name).read_text())]
    print("\n".join(lines))
    sys.exit(bool(lines))
