"""Steps of the report: commands with a time limit, complete logs, and one result each."""
import dataclasses
import json
import os
import pathlib
import signal
import subprocess
import time
from typing import Callable, Optional

import stacks

LEFT_OUT = 77  # the exit status of a script that cannot run here; its last line says why
SYNCHRONOUS = {"CUDA_LAUNCH_BLOCKING": "1", "TIDE_CUDA_GRAPHS": "0", "TIDE_EAGER": "1", "TIDE_LOG": "1",
               "CUBLASLT_LOG_LEVEL": "5", "CUDNN_LOGLEVEL_DBG": "3"}
RERUN_SECONDS = 45
LEAST_SECONDS = 3  # too short to find out anything


@dataclasses.dataclass
class Allowance:
    """A time limit shared by several steps."""
    left: float


@dataclasses.dataclass
class Step:
    """Commands that run at the same time, and pass if all of them do."""
    name: str
    seconds: float
    commands: list
    environment: dict = dataclasses.field(default_factory=dict)
    # Why the step cannot run here, if it cannot.
    left_out: Optional[str] = None
    # A check after all commands have passed: raises an error.
    check: Callable = lambda logs: None
    # Figures for the line of JSON, from the logs.
    figures: Callable = lambda logs: {}
    # The commands for another run of what failed, from the logs.
    again: Optional[Callable] = None
    # A command that runs at the same time, with its own log.
    beside: Optional[list] = None
    rerun: bool = True
    allowance: Optional[Allowance] = None


@dataclasses.dataclass
class Result:
    step: str
    outcome: str  # passed, failed or left out
    seconds: float = 0
    why: str = ""
    logs: list = dataclasses.field(default_factory=list)
    figures: dict = dataclasses.field(default_factory=dict)

    def json(self):
        fields = {key: value for key, value in dataclasses.asdict(self).items() if value not in ("", [], {})}
        return json.dumps({**fields, "seconds": round(self.seconds, 1)})


class Process:
    """A command in a session of its own, whose output goes to a file."""

    def __init__(self, command, environment, log):
        self.log = log
        with open(log, "wb") as output:
            output.write(f"$ {' '.join(map(str, command))}\n".encode())
            output.flush()
            try:
                self.child = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=output,
                                              stderr=subprocess.STDOUT, start_new_session=True)
                self.status = None
            except OSError as error:
                output.write(f"{error}\n".encode())
                self.child, self.status = None, 127

    def poll(self):
        if self.status is None:
            self.status = self.child.poll()
        return self.status

    def end(self):
        """Kills the command and its child processes."""
        if self.child is None:
            return
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.child.pid, number)
            except ProcessLookupError:
                break
            try:
                self.child.wait(timeout=2)
            except subprocess.TimeoutExpired:
                continue
        self.poll()


def words_of(path):
    return path.read_text(errors="replace")


def last_line(path):
    lines = words_of(path).strip().splitlines()
    return lines[-1] if len(lines) > 1 else ""


def said(status):
    return f"killed by signal {-status}" if status < 0 else f"status {status}"


class Runner:
    """Runs steps until `seconds` have passed, and keeps their logs in a folder."""

    def __init__(self, folder, seconds, environment, tell=lambda words: None):
        self.folder = pathlib.Path(folder)
        (self.folder / "logs").mkdir(parents=True, exist_ok=True)
        self.deadline = time.monotonic() + seconds
        self.environment = environment
        self.tell = tell
        self.results = []
        self.failed = []  # steps, with their logs
        self.running = []
        self.beside = None

    def left(self):
        return self.deadline - time.monotonic()

    def run(self, step, reserve=0.0):
        """Runs a step; `reserve` seconds must be left after it."""
        result, logs = self._run(step, step.name, step.commands, step.seconds, reserve, step.environment)
        self._add(result)
        if result.outcome == "failed" and step.rerun:
            self.failed.append((step, logs))

    def rerun_failed(self, reserve=0.0):
        """Runs failed steps again, one by one, with the logs of the libraries."""
        for step, logs in self.failed:
            name = f"{step.name}, synchronous"
            here = self.folder / "logs" / slug(name)
            environment = {**step.environment, **SYNCHRONOUS, "CUBLASLT_LOG_FILE": f"{here}.cublaslt.%i.log",
                           "CUDNN_LOGDEST_DBG": f"{here}.cudnn.%i.log"}
            commands = step.again(logs) if step.again else step.commands
            result, _ = self._run(step, name, commands, min(step.seconds, RERUN_SECONDS), reserve, environment)
            self._add(result)
        self.failed = []

    def end(self):
        """Kills all running commands."""
        for process in filter(None, [*self.running, self.beside]):
            process.end()
        self.running, self.beside = [], None

    def _add(self, result):
        self.results.append(result)
        with open(self.folder / "report.jsonl", "a") as report:
            report.write(result.json() + "\n")
        why = f": {result.why}" if result.why else ""
        self.tell(f"{result.step}: {result.outcome} ({result.seconds:.0f} s){why}")

    def _run(self, step, name, commands, seconds, reserve, environment):
        if step.left_out:
            return Result(name, "left out", why=step.left_out), []
        seconds = min(seconds, self.left() - reserve, step.allowance.left if step.allowance else seconds)
        if seconds < LEAST_SECONDS:
            return Result(name, "left out", why="no time is left"), []
        start = time.monotonic()
        environment = {**self.environment, **environment}
        logs = [self._log(name, i, len(commands)) for i in range(len(commands))]
        self.beside = step.beside and Process(step.beside, environment, self._log(name + ", beside it", 0, 1))
        self.running = [Process(*each) for each in zip(commands, [environment] * len(commands), logs)]
        hanging = self._wait(start + seconds)
        outcome, why = self._judge(step, logs, hanging, seconds)
        until = time.monotonic() + stacks.SECONDS
        for process in hanging:
            stacks.save(process.log.with_suffix(".stacks.txt"), process.child.pid, until)
        self.end()
        names = [str(log.relative_to(self.folder)) for log in logs]
        result = Result(name, outcome, time.monotonic() - start, why, names)
        if step.allowance:
            step.allowance.left -= result.seconds
        try:
            result.figures = step.figures(logs)
        except (OSError, ValueError, KeyError) as error:
            result.figures = {"error": str(error)}
        return result, logs

    def _log(self, name, i, count):
        number = f"-{i + 1}" if count > 1 else ""
        return self.folder / "logs" / f"{slug(name)}{number}.log"

    def _wait(self, until):
        """Waits for the running commands; those that have not ended by then."""
        while True:
            under_way = [process for process in self.running if process.poll() is None]
            if not under_way or time.monotonic() >= until:
                return under_way
            time.sleep(0.05)

    def _judge(self, step, logs, hanging, seconds):
        if hanging:
            return "failed", f"not done after {seconds:.0f} s"
        statuses = [process.status for process in self.running]
        left_out = [process for process in self.running if process.status == LEFT_OUT]
        for process in self.running:
            if process.status not in (0, LEFT_OUT):
                return "failed", ": ".join(filter(None, (said(process.status), last_line(process.log))))
        if left_out and len(left_out) == len(statuses):
            return "left out", last_line(left_out[0].log)
        try:
            step.check(logs)
        except Exception as error:  # any failure of the check
            return "failed", str(error)
        return "passed", ""


def slug(name):
    return "".join(c if c.isalnum() else "_" for c in name).strip("_")
