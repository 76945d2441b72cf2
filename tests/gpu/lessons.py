"""The lessons as they are run on a CUDA device."""
import re

# What a lesson says in its heading of how it is run with so little work that an interpreter of kernels can do it.
VERY_SMALL = re.compile(r"^-- Very small: +tide lesson \d+ (.*)$", re.MULTILINE)


def commands(root, small):
    """The name of each lesson in the tree at `root`, and the arguments of `tide` that run it."""
    for path in sorted((root / "scripts/lessons").glob("[0-9]*.lua")):
        name, sizes = path.stem[3:], VERY_SMALL.search(path.read_text()) if small else None
        yield name, ["lesson", name, *(sizes[1].split() if sizes else []), "--device", "cuda"]
