"""Compares tide with PyTorch, from the lines of JSON that both have printed."""
import json

LINE = "{:<24} {:<11} {:>12} {:>12} {:>7}"


def measured(logs):
    """The rows of JSON in logs, by workload. A log may be missing or end in the middle of a line."""
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
    """The speed of tide relative to PyTorch: figures with a unit such as GB/s are rates, all others are times."""
    if not all(row and row.get("best") for row in (ours, theirs)):
        return ""
    one, other = (ours, theirs) if ours["unit"].endswith("/s") else (theirs, ours)
    return f"{one['best'] / other['best']:.2f}"


def card(rows):
    """The measured values for this GPU's row in scripts/tide/tools/estimate/cards.lua."""
    def of(name):
        return rows.get(name, {}).get("best")

    link, bandwidth, launches, item = of("copy_up"), of("copy_256m"), of("launches_without_graphs"), of("item_latency")
    launch = 1e6 / launches if launches else None
    figures = [
        ("bandwidth", bandwidth, "GB/s of its memory, by copy_256m"),
        ("link", link, "GB/s, by copy_up"),
        ("launch", launch, "us, by launches_without_graphs"),
        # One launch computes an element, which is then read.
        ("latency", item - launch if item and launch else None, "us, by item_latency without its launch"),
        ("launch in a graph", 1e6 / of("launches") if of("launches") else None, "us, by launches"),
        ("first step", of("first_step_cold"), "ms with all compilations, by first_step_cold"),
    ]
    lines = ["Costs of this card, which scripts/tide/tools/estimate/cards.lua assumes."]
    for name, value, words in figures:
        lines.append(f"{name:<18} {'not measured' if value is None else f'{value:.4g}':>12} {words}")
    return "\n".join(lines) + "\n"


def table(workloads, ours, theirs):
    """A line for each workload, measured or not, followed by the errors."""
    lines = ["A ratio above 1 means that tide is faster.", LINE.format("workload", "unit", "tide", "PyTorch", "ratio")]
    errors = []
    for name in workloads:
        pair = ours.get(name), theirs.get(name)
        unit = next((row["unit"] for row in pair if row and "unit" in row), "")
        lines.append(LINE.format(name, unit, *map(figure, pair), ratio(*pair)).rstrip())
        errors += [f"{name}, {who}: {row['error']}" for who, row in zip(("tide", "PyTorch"), pair)
                   if row and "error" in row]
    return "\n".join([*lines, *errors]) + "\n"
