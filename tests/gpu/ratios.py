"""tide beside PyTorch, from the lines of JSON that both have printed."""
import json

LINE = "{:<24} {:<11} {:>12} {:>12} {:>7}"


def measured(logs):
    """The rows of JSON in logs, by workload. A log may lack, or end in the middle of a line."""
    rows = {}
    for log in logs:
        if not log.exists():
            continue
        for line in log.read_text(errors="replace").splitlines():
            if line.startswith('{"workload"'):
                try:
                    row = json.loads(line)
                except ValueError:
                    continue
                rows[row["workload"]] = row
    return rows


def figure(row):
    if row is None:
        return "not run"
    return f"{row['best']:.1f}" if "best" in row else "failed"


def ratio(ours, theirs):
    """Above 1 tide is faster: figures with a unit such as GB/s are rates, all others are times."""
    if not all(row and row.get("best") for row in (ours, theirs)):
        return ""
    one, other = (ours, theirs) if ours["unit"].endswith("/s") else (theirs, ours)
    return f"{one['best'] / other['best']:.2f}"


def table(workloads, ours, theirs):
    """A line for each workload, measured or not, and the errors below."""
    lines = ["A ratio above 1 means that tide is faster.", LINE.format("workload", "unit", "tide", "PyTorch", "ratio")]
    errors = []
    for name in workloads:
        pair = ours.get(name), theirs.get(name)
        unit = next((row["unit"] for row in pair if row and "unit" in row), "")
        lines.append(LINE.format(name, unit, *map(figure, pair), ratio(*pair)).rstrip())
        errors += [f"{name}, {who}: {row['error']}" for who, row in zip(("tide", "PyTorch"), pair)
                   if row and "error" in row]
    return "\n".join([*lines, *errors]) + "\n"
