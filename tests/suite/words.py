"""The words of the sources: forms that the field does not use, and words that were replaced, each with the one to write."""
import re

SUFFIXES = (".h", ".cpp", ".cu", ".cuh", ".def", ".lua", ".py", ".cmake", ".md")
# Golden cases are PyTorch's; this file and its test name the words.
NOT_READ = ("tests/golden/", "tests/suite/words.py", "tests/suite/suite_test.py")

# What to write instead of a form, in lower case; a pattern. Identifiers count as the words that they are made of.
# Forms that are not idiomatic.
PLAIN = {
    r"behind": "after",
    r"(?<!there )(?:is|are|was|were|be) no(?= (?!longer|more than|less than|better|worse|different|match)[a-z])":
        "is not a ..., cannot ..., expected ...",
    r"so (?:many|much)": "the number",
    r"nobody|somebody|whoever": "the caller, a thread, another process, no code",
    r"anew|once more": "again, from scratch",
    r"mend(?:s|ed|ing)?": "fix, hint",
    r"without a word": "silently",
    r"speaks? of": "describes, names",
    r"that which|such as it is": "the noun",
    r"of no account": "no longer applies",
    r"as good as": "almost",
    r"perhaps": "may",
    r"crumbs?": "small tensors",
    r"parcels?": "serialized value",
    r"(?:gives?|gave|given|giving) back": "returns; of memory: releases",
    r"(?:takes?|took|taken|taking) back": "undoes, reverts; of memory: reclaims",
    r"lets? go|letting go": "releases",
}
# Words that the field's terms have replaced.
TERMS = {
    r"(?:un)?told": "report",
    r"meanings?": "op definition",
    r"light ops?|light math": "elementwise op",
    r"(?:heavy|native) ops?": "compute op",
    r"ramps?": "iota",
    r"recipes?": "recomputable value",
    r"hand(?:s|ed|ing)? over": "flush",
    r"history|histories": "grad function",
    r"remnants?": "salvage program",
    r"doubt(?:s|ful)?": "pending check",
    r"taint(?:s|ed)?": "value error",
    r"failure book": "error table",
    r"strands?": "independent batches",
    r"forsake": "fail_all",
    r"roused?": "wake",
    r"obstacles?": "blocking error, or refusal of a library",
    r"lasting": "must_run",
    r"extremes?": "minmax, minima and maxima",
    r"whole convolution": "integer convolution",
    r"byte product": "int8 matmul",
    r"spectrum": "eigen_svd",
    r"far angles?": "large-argument reduction",
}
# Files and folders where a form means something else.
ELSEWHERE = {
    r"mend(?:s|ed|ing)?": ("CHANGELOG.md",),
    r"meanings?": ("docs", "tests/scripts/robustness"),
    r"recipes?": ("CONTRIBUTING.md",),
    r"history|histories": ("interpreter", "tests/interpreter", "tests/jupyter", "tests/repl", "docs", "README.md",
                           "scripts/tide/session", "scripts/tide/nn/optim", "scripts/tide/reference",
                           "scripts/tide/training", "tests/scripts/nn", "tests/scripts/training"),
}
PATTERNS = [(re.compile(rf"\b(?:{form})\b"), instead, ELSEWHERE.get(form, ()))
            for form, instead in {**PLAIN, **TERMS}.items()]
ANY = re.compile("|".join(rf"\b(?:{form})\b" for form in (*PLAIN, *TERMS)))


def words_of(line):
    """A line as words in lower case: `FailureBook`, `failure_book` and "failure book" are the same two."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", line).lower()


def problems(files):
    """Each use of such a form in a tree of files, given as {path: text}."""
    for path, text in files.items():
        if not path.endswith(SUFFIXES) or path.startswith(NOT_READ):
            continue
        for number, line in enumerate(text.split("\n"), 1):
            line = words_of(line)
            for pattern, instead, elsewhere in PATTERNS if ANY.search(line) else ():
                found = None if path.startswith(elsewhere) else pattern.search(line)
                if found:
                    yield f"{path}:{number}: '{found[0]}': write {instead}"
