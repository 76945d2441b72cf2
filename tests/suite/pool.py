"""Runs parts in parallel, longest first."""
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

import counts
from parts import ROOT

LONGEST = 3000  # seconds, after which a part is considered hanging


@dataclass
class Outcome:
    part: object
    status: int
    seconds: float
    cpu_seconds: float
    counts: object
    output: str = ""  # of a failure


def hang_up_by_default():
    """Restores the default of SIGHUP, which tests rely on, in case nohup has started the tests."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


class Running:
    """A running part, with its output in a file."""

    def __init__(self, part):
        self.part = part
        self.output = tempfile.TemporaryFile()
        self.begin = time.monotonic()
        self.process = subprocess.Popen(part.command, cwd=ROOT, env={**os.environ, **part.environment},
                                        stdin=subprocess.DEVNULL, stdout=self.output, stderr=subprocess.STDOUT,
                                        start_new_session=True, preexec_fn=hang_up_by_default)

    def finish(self):
        """Returns its output; ends its remaining processes."""
        self.kill()
        self.output.seek(0)
        with self.output:
            return self.output.read().decode(errors="replace")

    def kill(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def run(parts, cores, tell=print):
    """Runs all parts; returns the outcomes in the order of completion."""
    waiting = sorted(parts, key=lambda part: (part.alone, -part.seconds))
    running, outcomes, passed, lost = [], [], set(), set()
    names = {part.name for part in parts}
    try:
        while waiting or running:
            for part in list(waiting):
                if part.after in lost:
                    waiting.remove(part)
                    lost.add(part.name)
                    outcomes.append(Outcome(part, 1, 0, 0, counts.Counts(failed=1)))
                    tell(f"== {part.group}, {part.name}: cannot run, as {part.after} failed")
                elif may_begin(part, running, cores) and (part.after in passed or part.after not in names):
                    waiting.remove(part)
                    running.append(Running(part))
            ended = wait_for_one(running)
            if ended is None:
                continue
            running.remove(ended[0])
            text = ended[0].finish()
            outcome = outcome_of(*ended, text)
            (lost if outcome.status else passed).add(outcome.part.name)
            outcomes.append(outcome)
            show(outcome, text, len(waiting) + len(running), tell)
    finally:
        for each in running:
            each.kill()
    return outcomes


def may_begin(part, running, cores):
    if any(each.part.alone for each in running):
        return False
    if part.alone:
        return not running
    return not running or sum(each.part.slots for each in running) + part.slots <= cores


def wait_for_one(running):
    """Waits for the next part to end; returns it with its status and resource usage. Kills hanging parts."""
    if not running:
        return None
    pid, status, usage = os.wait4(-1, os.WNOHANG)
    if pid == 0:
        time.sleep(0.02)
        for each in running:
            if time.monotonic() - each.begin > LONGEST:
                each.kill()
        return None
    for each in running:
        if each.process.pid == pid:
            each.process.returncode = os.waitstatus_to_exitcode(status)
            return each, each.process.returncode, usage
    return None


def outcome_of(ended, status, usage, text):
    skipped = status == ended.part.skip_status
    found = counts.read(text, status, ended.part)
    failed = (status and not skipped) or found.failed
    return Outcome(ended.part, 0 if skipped else status, time.monotonic() - ended.begin,
                   usage.ru_utime + usage.ru_stime, found, counts.without_times(text).rstrip("\n") if failed else "")


def show(outcome, text, left, tell):
    found = outcome.counts
    if outcome.output:
        tell(outcome.output)
    elif found.skipped:
        tell("\n".join(line for line in text.split("\n") if "skip" in line.lower()))
    skipped = f", {found.skipped} skipped" if found.skipped else ""
    tell(f"== {outcome.part.group}, {outcome.part.name}: {found.passed} passed, {found.failed} failed{skipped} "
         f"({outcome.seconds:.0f} s; {left} to go)")
    sys.stdout.flush()
