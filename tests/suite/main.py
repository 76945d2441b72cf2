"""usage: tests/run [quick | changed | NAME...]

Installs what is missing, builds tide, and runs all its tests; the last line is "N passed, N failed".

  NAME       only parts of this name (cuda, "script tests", nn), or one file with script tests
  lint       layout, documents, words, formatting and the installed linters, without a build
  quick      lint, the runtime, values of ops, layers and training: what fails most often, in two minutes after the build
  changed    only tests that cover the files that differ from the last commit, and only the build that they need

With CI set in the environment, compiler warnings are failures. TIDE_TEST_SOAK=1: loops that look for leaks run ten
times as long. TIDE_TEST_ALL=1, before a release: assembles every kernel instead of a sample of each kind. Tests that
cannot run here are skipped, which does not count as passed or failed; where TIDE_EXPECT_NVCC, _PTXAS, _CUDNN or
_GOLDEN is set, a missing one is a failure. docs/testing.md lists the parts and their budgets."""
import os
import resource
import shutil
import subprocess
import sys
import time

import changed
import counts
import coverage
import lint
import pool
import report
from parts import GOLDEN_KERNELS, LINT, QUICK, QUICK_TARGETS, RELEASE, ROOT, Part, all_parts, has_golden, tide


def share_kernels():
    """Shares a kernel cache between parts, which run mostly the same kernels."""
    shutil.rmtree(GOLDEN_KERNELS, ignore_errors=True)
    os.environ.setdefault("TIDE_CACHE_DIR", str(RELEASE / "kernels"))
    os.environ.setdefault("TIDE_CACHE_LIMIT", "1G")


def build(targets):
    """Builds the release; returns whether it succeeded, and its CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    status = subprocess.run([str(ROOT / ".ci/build_preset"), "release", *targets], cwd=ROOT).returncode
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return status == 0, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def named(names, cores):
    """The parts selected by the names; exits on an unknown name."""
    chosen = []
    everything = all_parts(cores)
    for name in names:
        if name.endswith(".lua") and (ROOT / name).exists():
            found = [Part("script tests", name, tide("test", name))]
        else:
            found = [part for part in everything if name.lower() in (part.name.lower(), part.group.lower())
                     or part.group.lower().startswith(name.lower() + ":")]
        if not found:
            known = sorted({part.group for part in everything} | {part.name for part in everything})
            sys.exit(f"tests/run: no part is called {name}; there are: {', '.join(known)}")
        # Parts of the sanitizers need their build part first.
        needed = {part.after for part in found} - {""}
        chosen += [part for part in everything if part.name in needed] + found
    unique = {(part.group, part.name): part for part in chosen}
    return list(unique.values())


def without(what, variable):
    """Counts something missing as skipped, or as a failure if it is expected."""
    print(f"{what} {variable}=1 makes that an error.")
    return counts.Counts(failed=1) if os.environ.get(variable) else counts.Counts(skipped=1)


def main(words):
    if "--help" in words or "-h" in words:
        print(__doc__)
        return 0
    if words == ["lint"]:
        total = lint.run()
        print(f"{total.passed} passed, {total.failed} failed, {total.skipped} skipped")
        return 1 if total.failed else 0
    if any(word.startswith("-") for word in words):
        sys.exit(f"tests/run: what is {' '.join(words)}? --help says what there is")
    begin = time.monotonic()
    cores = os.cpu_count() if not hasattr(os, "sched_getaffinity") else len(os.sched_getaffinity(0))
    log = RELEASE / ".ninja_log"
    log_size = log.stat().st_size if log.exists() else 0
    selection = None
    is_quick = words == ["quick"]
    if words == ["changed"] and build(["tide"])[0]:  # which records what tests cover
        selection = changed.Selection(coverage.Coverage(cores))
        for file in changed.changed_files():
            selection.add(file)
    # What needs no build is known first.
    outcomes = [] if words and not selection else pool.run([LINT], cores)
    built, build_seconds = build(selection.targets() if selection else QUICK_TARGETS if is_quick else [])
    if not built:
        print("the release build failed\n0 passed, 1 failed")
        return 1
    share_kernels()
    if selection:
        parts = list(selection.parts())
    elif is_quick:
        parts = [LINT] + [part for part in all_parts(cores) if part.name in QUICK.get(part.group, ())]
    else:
        parts = named(words, cores) if words else all_parts(cores)
    outcomes += pool.run(parts, cores)
    total = sum((outcome.counts for outcome in outcomes), counts.Counts())
    if selection and selection.unknown:
        print("no test is known for " + ", ".join(selection.unknown))
    if not words:
        if not has_golden():
            total += without("There are no golden cases here: TIDE_GOLDEN names their folder;", "TIDE_EXPECT_GOLDEN")
        if not (RELEASE / "tide-cuda.so").exists():
            # Debian's own toolkit is older than CUDA 13, so a bare machine has none: compute ops of cuda devices then
            # run on the host.
            total += without("There is no nvcc of CUDA 13 here: the kernels in runtime/cuda/kernels were not built and "
                             "are not tested;", "TIDE_EXPECT_NVCC")
    for text in (report.slowest_sources(log_size), report.slowest_tests(outcomes),
                 report.failures(outcomes), report.table(outcomes, build_seconds)):
        if text:
            print(f"\n{text}")
    print(f"{time.monotonic() - begin:.0f} s on {cores} cores")
    if total.skipped:
        print(f"{total.skipped} skipped")
    print(f"{total.passed} passed, {total.failed} failed")
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
