"""Stacks of hanging processes, with the tools that the machine has."""
import os
import pathlib
import shutil
import subprocess
import time

SECONDS = 15  # for all processes of a step
READ = ("status", "wchan", "syscall", "stack")


def of_session(leader):
    """The processes of a session, by /proc."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
        except (OSError, IndexError):
            continue
        if int(fields[3]) == leader and fields[0] != "Z":
            found.append(int(folder.name))
    return sorted(found)


def output_of(command, until):
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=max(until - time.monotonic(), 1), check=False)
        return done.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired as error:
        return (error.stdout or b"").decode(errors="replace") + f"\n{command[0]} did not end either\n"


def command_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError as error:
        return str(error)


def by_kernel(pid):
    """The kernel's information on each thread."""
    text = ""
    for task in sorted(pathlib.Path(f"/proc/{pid}/task").glob("*")):
        for name in READ:
            try:
                text += f"{task.name} {name}: {(task / name).read_text()}\n"
            except OSError as error:
                text += f"{task.name} {name}: {error}\n"
    return text


def is_python(pid):
    try:
        return "python" in os.path.basename(os.readlink(f"/proc/{pid}/exe"))
    except OSError:
        return False


def of_process(pid, until):
    text = by_kernel(pid)
    if shutil.which("py-spy") and is_python(pid):
        text += output_of(["py-spy", "dump", "--pid", str(pid)], until)
    if shutil.which("gdb"):
        text += output_of(["gdb", "-p", str(pid), "-batch", "-nx", "-ex", "set pagination off",
                           "-ex", "thread apply all backtrace"], until)
    return text


def save(path, leader, until):
    """Writes the stacks of a command and its child processes, as time permits."""
    text = ""
    for pid in of_session(leader):
        if time.monotonic() > until:
            text += "no time for more\n"
            break
        text += f"== process {pid}: {command_of(pid)}\n{of_process(pid, until)}\n"
    path.write_text(text)
