"""The tree itself: folders include only what lies below them, say what they hold, and stay small."""
import re
from collections import defaultdict
from pathlib import PurePosixPath

MOST_LINES = 600
MOST_SOURCES = 30
SOURCES = (".h", ".cpp", ".cu", ".cuh", ".def")

# What the files of a folder may include besides their own. Of two rules that fit a file, the longer counts.
ALLOWED = {
    "runtime/types": [],
    "runtime/os": ["types"],
    "runtime/profile": ["types", "os"],
    "runtime/ir": ["types", "os", "profile"],
    "runtime/device": ["types", "os", "profile", "ir"],
    "runtime/record": ["types", "os", "profile", "ir", "device"],
    "runtime/plan": ["types", "ir", "device", "record"],
    "runtime/execute": ["types", "os", "profile", "ir", "device", "record", "plan"],
    "runtime/explain": ["types", "profile", "ir", "device", "record", "plan", "codegen"],
    "runtime/tensor": ["types", "profile", "ir", "device", "record"],
    "runtime/autograd": ["types", "ir", "device", "record", "tensor"],
    "runtime/ops": ["types", "ir", "device", "record", "tensor", "autograd"],
    "runtime/ops/nn": ["types", "ir", "device", "record", "tensor", "autograd", "backward", "ops"],
    "runtime/backward": ["types", "ir", "device", "record", "tensor", "autograd", "ops/elementwise", "ops/reduce",
                         "ops/shape"],
    "runtime/codegen": ["types", "os", "profile", "ir"],
    "runtime/cpu": ["types", "os", "ir", "device", "codegen"],
    "runtime/cuda": ["types", "os", "profile", "ir", "device", "codegen"],
    "runtime/io": ["types", "os"],
    "runtime": [],
    "bindings": ["types", "os", "profile", "ir", "device", "record", "explain", "tensor", "autograd", "ops", "backward",
                 "io"],
    "interpreter": ["bindings", "types", "os"],
}
# Folders whose subfolders include each other in one direction, as do the files and folders of the library.
STOREYS = ("bindings", "interpreter", "runtime/cuda", "runtime/ops")
# Families of ops whose gradients need each other: one storey, on which the other families and the backward pass stand.
BASIC_OPS = ("elementwise", "index", "reduce", "shape")
LIBRARY = "scripts/tide"

# Who may ask which kind a device is: those that make the kinds, and script functions that are named after one. All
# others ask for a capability (runtime/device/platform.h).
KNOW_KINDS = {"bindings/device/cuda.cpp", "bindings/device/devices.cpp", "bindings/device/sim.cpp",
              "bindings/tensor/properties.cpp", "runtime/types/device.cpp", "runtime/types/device.h"}
# Who may read the environment; oneDNN's plugin is not linked to tide's own libraries.
READ_ENVIRONMENT = {"runtime/os/environment.cpp", "runtime/cpu/dnnl/plugin.cpp"}

INCLUDE = re.compile(r'^#include "((?:runtime|bindings|interpreter|tests)/[^"]*)"', re.M)
LUA_INCLUDE = re.compile(r'^#include ["<](lua[^">]*)', re.M)
KIND = re.compile(r"[=!]= *(?:tide::)?DeviceKind::|DeviceKind::\w+\)* *[=!]=|case +DeviceKind::")
REQUIRE = re.compile(r"""require\s*\(?\s*["']tide\.(\w+)""")


def lies_in(path, folder):
    return path == folder or path.startswith(folder + "/")


def rule_of(path):
    """The folder whose rule counts for a file, and what that allows."""
    folder = max((folder for folder in ALLOWED if lies_in(path, folder)), key=len)
    return folder, [name if name == "bindings" else f"runtime/{name}" for name in ALLOWED[folder]]


def sources(files, *folders):
    return {path: text for path, text in files.items()
            if path.endswith(SOURCES) and path.startswith(tuple(folder + "/" for folder in folders))}


def includes_upwards(files):
    for path, text in sources(files, "runtime", "bindings", "interpreter").items():
        folder, allowed = rule_of(path)
        for header in INCLUDE.findall(text):
            if not any(lies_in(header, below) for below in (folder, *allowed)):
                yield f"{path}: includes {header}, which {folder} does not stand over"


def part_of(path, storey):
    """The subfolder of a storey in which a file lies, or the file's own name."""
    part = PurePosixPath(path).relative_to(storey).parts[0]
    is_basic = storey == "runtime/ops" and (part in BASIC_OPS or "." in part)
    return "basic ops" if is_basic else part


def edges_of(files, storey):
    """For each subfolder of a storey the others that it includes, each with one file that does."""
    edges = defaultdict(dict)
    for path, text in sources(files, storey).items():
        for header in INCLUDE.findall(text):
            if lies_in(header, storey) and part_of(header, storey) != part_of(path, storey):
                edges[part_of(path, storey)].setdefault(part_of(header, storey), path)
    return edges


def edges_of_library(files):
    edges = defaultdict(dict)
    for path, text in files.items():
        if path.startswith(LIBRARY + "/") and path.endswith(".lua"):
            unit = part_of(path, LIBRARY).removesuffix(".lua")
            for other in REQUIRE.findall(text):
                edges[unit].setdefault(other, path)
    return edges


def circle(edges):
    """The names of a circle, the first also at its end; None if there is none."""
    done = set()

    def search(path):
        for name in sorted(edges.get(path[-1], ())):
            if name == path[-1] or name in done:
                continue
            if name in path:
                return path[path.index(name):] + [name]
            found = search(path + [name])
            if found:
                return found
        done.add(path[-1])
        return None

    return next((found for name in sorted(edges) if name not in done and (found := search([name]))), None)


def circles(files):
    storeys = {storey: edges_of(files, storey) for storey in STOREYS}
    storeys[LIBRARY] = edges_of_library(files)
    for storey, edges in storeys.items():
        found = circle(edges)
        if found:
            yield f"{storey}: " + ", ".join(f"{a} needs {b} ({edges[a][b]})" for a, b in zip(found, found[1:]))


def runtime_with_lua(files):
    for path, text in sources(files, "runtime").items():
        for header in LUA_INCLUDE.findall(text):
            yield f"{path}: includes {header}: the runtime does not depend on Lua"


def kinds_of_devices(files):
    met = set()
    for path, text in sources(files, "runtime", "bindings", "interpreter").items():
        if KIND.search(text):
            met.add(path)
            if path not in KNOW_KINDS:
                yield f"{path}: asks for a kind of device: ask for a capability"
    for path in sorted(KNOW_KINDS - met):
        yield f"{path}: is allowed to ask for kinds of devices and does not"


def sources_without_header(files):
    # Files directly in runtime/ may name all folders, and define what lower ones declare.
    headers = defaultdict(set)
    for path in files:
        if path.startswith("runtime/") and path.endswith(".h"):
            for folder in (str(PurePosixPath(path).parent), "runtime"):
                headers[folder].add(PurePosixPath(path).stem)
    for path in files:
        if path.startswith("runtime/") and path.endswith(".cpp"):
            stem = PurePosixPath(path).stem
            if not any(stem == name or stem.startswith(name + "_")
                       for name in headers[str(PurePosixPath(path).parent)]):
                yield f"{path}: is not named after a header of its folder"


def large_folders(files):
    """Too many sources in a folder, or none of its sources explained by a README.md."""
    count = defaultdict(int)
    for path in files:
        if path.endswith((*SOURCES, ".lua", ".py")):
            folder = PurePosixPath(path).parent
            count[str(folder)] += 1
            for above in folder.parents:
                count[str(above)] += 0
    for folder, sources_there in sorted(count.items()):
        if not folder.startswith(("runtime", "bindings", "interpreter", "scripts", "tests")):
            continue
        if sources_there > MOST_SOURCES:
            yield f"{folder}: {sources_there} sources, at most {MOST_SOURCES}"
        # Below tests/ folders mirror the sources: those of the first storey speak for them.
        mirrors = folder.startswith("tests/") and folder.count("/") > 1
        if not mirrors and f"{folder}/README.md" not in files:
            yield f"{folder}: has no README.md"


def environment_elsewhere(files):
    for path, text in sources(files, "runtime", "bindings", "interpreter").items():
        if path not in READ_ENVIRONMENT and "getenv(" in text:
            yield f"{path}: reads the environment: use runtime/os/environment.h"


def long_files(files):
    for path, text in files.items():
        if path.endswith((*SOURCES, ".lua", ".py", ".cmake")) and text.count("\n") > MOST_LINES:
            yield f"{path}: {text.count(chr(10))} lines, at most {MOST_LINES}"


CHECKS = (includes_upwards, circles, runtime_with_lua, kinds_of_devices, sources_without_header, large_folders,
          environment_elsewhere, long_files)


def problems(files):
    """What is wrong with a tree of files, given as {path: text}."""
    for check in CHECKS:
        yield from check(files)
