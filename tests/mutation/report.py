"""The results as text: counts by folder, then each mutation and the test that noticed it."""
from collections import Counter, defaultdict
from pathlib import Path


def equivalents(root):
    """(file, right text, wrong text) -> why they are equivalent, from equivalent.txt."""
    found, reason = {}, ""
    for line in (root / "tests/mutation/equivalent.txt").read_text().splitlines():
        if line.startswith("# "):
            reason = line[2:]
        elif line.strip():
            file, mistake = line.split(" | ", 1)
            right, wrong = mistake.split("  =>  ")
            found[file, right, wrong] = reason
    return found


def one_line(text):
    return " ".join(text.split())


def reason_of(mistake, equivalent):
    """Why this mutation is equivalent to the original; None if it is not known to be."""
    return equivalent.get((mistake["file"], one_line(mistake["right"]), one_line(mistake["wrong"])))


def text(mistakes, results, equivalent):
    """Mutations known to be equivalent count neither as killed nor as survivors."""
    by_folder, lists, whole = defaultdict(Counter), defaultdict(list), Counter()
    for mistake in mistakes:
        result = results.get(mistake["number"])
        right, wrong = one_line(mistake["right"]), one_line(mistake["wrong"])
        reason = reason_of(mistake, equivalent)
        state = "equivalent" if reason else result["state"] if result else "not tried"
        by_folder[str(Path(mistake["file"]).parent)][state] += 1
        whole[state] += 1
        how = {"equivalent": reason, "not tried": ""}.get(state, "")
        if state == "killed":
            how = f"by {result['by']}" + {"time": " (it did not end)"}.get(result["how"], "")
        lists[state].append(f"{mistake['file']}:{mistake['line']}: {mistake['kind']}: {right}  =>  "
                            f"{wrong or '(nothing)'}\n    {state} {how}".rstrip())
    counted = sum(whole[state] for state in ("killed", "SURVIVED", "NOT REACHED"))
    share = 100 * whole["killed"] / counted if counted else 0
    lines = [f"{counted} mistakes tried: {whole['killed']} killed ({share:.1f} %), {whole['SURVIVED']} survived, "
             f"{whole['NOT REACHED']} reached by no test; {whole['equivalent']} equivalent, "
             f"{whole['not tried']} not tried", ""]
    for folder in sorted(by_folder):
        states = ", ".join(f"{count} {state}" for state, count in sorted(by_folder[folder].items()))
        lines.append(f"{folder}: {states}")
    for state in ("SURVIVED", "NOT REACHED", "equivalent", "killed", "not tried"):
        if lists[state]:
            lines += ["", f"--- {state} ({len(lists[state])})", *sorted(lists[state])]
    return "\n".join(lines) + "\n"
