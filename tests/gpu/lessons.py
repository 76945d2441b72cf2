"""The lessons, with the arguments for a CUDA device."""
import re

# The line in a lesson's heading with the arguments for a run that is small enough for interpreted kernels.
VERY_SMALL = re.compile(r"^-- Very small: +tide lesson \d+ (.*)$", re.MULTILINE)


def commands(root, small):
    """The name of each lesson in the tree at `root`, and the arguments of `tide` that run it."""
    for path in sorted((root / "scripts/lessons").glob("[0-9]*.lua")):
        name, sizes = path.stem[3:], VERY_SMALL.search(path.read_text()) if small else None
        yield name, ["lesson", name, *(sizes[1].split() if sizes else []), "--device", "cuda"]
