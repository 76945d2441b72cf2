"""Runs lessons as notebooks: lessons.py TIDE [NUMBER...]. Prints those that fail."""

import subprocess
import sys

import nbformat
from nbconvert.preprocessors import CellExecutionError, ExecutePreprocessor


def notebook_of(tide, number):
    text = subprocess.run([tide, "lesson", number, "--notebook"], capture_output=True, text=True, check=True).stdout
    return nbformat.reads(text, nbformat.NO_CONVERT)


def main(tide, numbers):
    failed = False
    for number in numbers:
        notebook = notebook_of(tide, number)
        nbformat.validate(notebook)
        try:
            ExecutePreprocessor(kernel_name="tide", timeout=600).preprocess(notebook)
        except CellExecutionError as error:
            failed = True
            print(f"lesson {number}: {error}")
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
