#!/usr/bin/env python3
"""Writes the tables of figures in README.md and docs/benchmarks.md from the files in results/.

usage: scripts/bench/table.py [--check]

Each NAME.jsonl in results/ is one machine: its first line describes it, the others are what
`tide bench NAME... --beside PEER --json` printed there. Of several lines for one workload and peer
the better figure of each side counts, as it does within a run.

A table goes between `<!-- table: NAME -->` and `<!-- end -->`. With --check nothing is written, and
the status is 1 if a table is not what the files say.
"""
import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RESULTS = HERE / "results"
DOCUMENTS = [ROOT / "README.md", ROOT / "docs/benchmarks.md"]

# The machine of the table in the README, and its rows.
README_MACHINE = "zen5"
README_ROWS = ["op_overhead", "mlp_step", "lenet_train", "lstm_train", "gpt_train", "matmul_1024",
               "chain_16m", "softmax_4k", "sort_16m", "startup"]

# Machines of which a table shows the ratios to PyTorch only.
OTHER_MACHINES = {"zen4": "Zen 4", "xeon": "Xeon"}

PEERS = {
    "torch": "PyTorch", "numpy": "NumPy", "jax": "JAX", "mlx": "MLX",
    "torch.out": "PyTorch, outputs made beforehand",
    "numpy.out": "NumPy, outputs made beforehand",
    "torch.compile": "torch.compile", "torch.channels_last": "PyTorch, channels last",
}


def joined(one, other):
    """Two measurements of one pair as one. Rates count per second; all other figures are times."""
    is_rate = one["unit"].endswith("/s")
    better = max if is_rate else min
    ours, theirs = (better(one[side], other[side]) for side in ("tide", "other"))
    return {**other, "tide": ours, "other": theirs,
            "ratio": ours / theirs if is_rate else theirs / ours}


def read_machine(name):
    """A machine: its description, and its figures by (workload, peer) in the file's order."""
    first, *lines = (RESULTS / f"{name}.jsonl").read_text().splitlines()
    figures = {}
    for line in map(json.loads, lines):
        key = line["workload"], line["peer"]
        figures[key] = joined(figures.get(key, line), line)
    return json.loads(first), figures


def number(value):
    """As many digits as mean something."""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def row(cells):
    return f"| {' | '.join(cells)} |".replace("|  |", "| |")


def table(heads, rows):
    """Figures stand to the right, workloads, units and peers to the left."""
    words = {"workload", "unit"}
    rule = "|" + "|".join("---" if head in words else "---:" for head in heads) + "|"
    return "\n".join([row(heads), rule, *map(row, rows)])


def described(machine, figures):
    dates = sorted({line["date"] for line in figures})  # of the last measurements
    span = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    return f"{machine['machine']}, {span}. {machine['software']}."


def torch_rows(figures, workloads):
    for workload in workloads:
        line = figures[workload, "torch"]
        yield [workload, line["unit"], number(line["tide"]), number(line["other"]),
               f"{line['ratio']:.2f}"]


def readme_table():
    machine, figures = read_machine(README_MACHINE)
    used = [figures[workload, "torch"] for workload in README_ROWS]
    return (described(machine, used) + "\n\n"
            + table(["workload", "unit", "tide", "PyTorch", "ratio"],
                    torch_rows(figures, README_ROWS)))


def peers_table(name):
    """All peers beside tide on one machine, and the ratios to PyTorch on others."""
    machine, figures = read_machine(name)
    peers = [peer for peer in PEERS if any(peer == other for _, other in figures)]
    elsewhere = {head: read_machine(other)[1] for other, head in OTHER_MACHINES.items()}
    rows = []
    for workload in dict.fromkeys(workload for workload, _ in figures):
        lines = {peer: figures[workload, peer] for peer in peers if (workload, peer) in figures}
        best = max if next(iter(lines.values()))["unit"].endswith("/s") else min
        ratios = [figures_there.get((workload, "torch")) for figures_there in elsewhere.values()]
        rows.append([workload, next(iter(lines.values()))["unit"],
                     number(best(line["tide"] for line in lines.values())),
                     *(number(lines[peer]["other"]) if peer in lines else "" for peer in peers),
                     f"{min(line['ratio'] for line in lines.values()):.2f}",
                     *(f"{line['ratio']:.2f}" if line else "" for line in ratios)])
    heads = ["workload", "unit", "tide", *(PEERS[peer] for peer in peers), "least ratio",
             *elsewhere]
    return described(machine, figures.values()) + "\n\n" + table(heads, rows)


def make(name):
    return readme_table() if name == "readme" else peers_table(name)


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit(__doc__)
    stale = False
    for document in DOCUMENTS:
        old = document.read_text()
        new = re.sub(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)",
                     lambda found: f"{found[1]}\n{make(found[2])}\n\n{found[3]}", old,
                     flags=re.DOTALL)
        if new != old:
            stale = True
            if check:
                print(f"{document.relative_to(ROOT)}: run scripts/bench/table.py")
            else:
                document.write_text(new)
    sys.exit(check and stale)


if __name__ == "__main__":
    main()
