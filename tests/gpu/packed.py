"""The file of `tests/gpu/pack`: its names, unpacking it, and the libraries that the machine lacks."""
import lzma
import os
import pathlib
import re
import shutil
import subprocess
import tarfile

TOP = "tide_gpu"  # the folder that holds everything in it
BUILD = "build/release"
LIBRARIES = "libraries"  # below the build: shared libraries of the machine that it was built on
ORIGIN = "PACKED"  # commit and dates
MOST_BYTES = 2 << 30  # unpacked


class Refusal(Exception):
    """An error about a file, with a message."""


def checked(member):
    """Allows only files and folders below TOP."""
    parts = pathlib.PurePosixPath(member.name).parts
    if not (member.isreg() or member.isdir()) or not parts or parts[0] != TOP or ".." in parts:
        raise Refusal(f"'{member.name}' is not a file or folder below {TOP}")
    return member


def unpack(file, folder):
    """Unpacks the file below `folder`, and returns the folder that serves as a checkout."""
    options = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
    size = 0
    try:
        with tarfile.open(file, "r:xz") as tar:
            for member in tar:
                size += member.size
                if size > MOST_BYTES:
                    raise Refusal(f"it contains more than {MOST_BYTES >> 30} GB")
                tar.extract(checked(member), folder, **options)
    except (tarfile.TarError, lzma.LZMAError, EOFError, OSError, Refusal) as error:
        raise Refusal(f"{file} cannot be unpacked: {error}") from error
    root = pathlib.Path(folder) / TOP
    if not (root / "tests/gpu/run").exists():
        raise Refusal(f"{file} was not made by tests/gpu/pack: it has no {TOP}/tests/gpu/run")
    return root


def lacking(binary, folder):
    """Names of a binary's libraries that are missing or too old, with `folder` added to the search path."""
    loader = next((path for pattern in ("lib64/ld-linux-*.so.*", "lib/ld-linux-*.so.*")
                   for path in pathlib.Path("/").glob(pattern)), None)
    if loader is None:
        return set()
    done = subprocess.run([str(loader), "--list", str(binary)], env={**os.environ, "LD_LIBRARY_PATH": search(folder)},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    text = done.stdout.decode(errors="replace")
    names = re.findall(r"^\s*(\S+) => not found", text, re.MULTILINE)
    names += re.findall(r"(\S+): cannot open shared object file", text)
    names += re.findall(r"(\S+): version `\S+' not found", text)
    return {os.path.basename(name) for name in names}


def search(folder):
    """The loader's search path, with a folder prepended."""
    return ":".join(filter(None, [str(folder), os.environ.get("LD_LIBRARY_PATH")]))


def provide_libraries(build, folder):
    """Copies packed libraries that the machine lacks into `folder`; returns their names."""
    came_along = build / LIBRARIES
    binaries = [path for path in sorted(build.glob("*")) if path.suffix == ".so" or path.name in ("tide", "cuda_tests")]
    folder.mkdir(exist_ok=True)
    names = set()
    while True:
        wanted = {name for binary in binaries for name in lacking(binary, folder)} - names
        wanted = {name for name in wanted if (came_along / name).exists()}
        if not wanted:
            return sorted(names)
        for name in wanted:
            shutil.copy(str(came_along / name), str(folder / name))
        names |= wanted
