#!/usr/bin/env python3
"""Times the ops of sweep.txt in tide and in PyTorch, in turns, and prints the ratios.

usage: sweep.py TIDE [--rounds N] [--only PATTERN] [--threads N] [--slow RATIO]

TIDE is the program. Each round runs tide and PyTorch once, each in a process of its own; of an op
the best time counts: of five batches that take at least 20 ms each, after one warm call. Results
are forced after each call. A ratio above 1 says that tide is faster.
"""
import argparse
import math
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BATCHES, BATCH_SECONDS = 5, 0.02

# name: PyTorch's form, tide's form.
INPUTS = """
s | torch.randn(1000, 1000) | tide.randn(1000, 1000)
x | torch.rand(1000, 1000) + 0.1 | tide.rand(1000, 1000) + 0.1
y | torch.rand(1000, 1000) + 0.1 | tide.rand(1000, 1000) + 0.1
t | torch.rand(1000, 1000) * 1.8 - 0.9 | tide.rand(1000, 1000) * 1.8 - 0.9
p | torch.rand(1000, 1000) * 0.98 + 0.01 | tide.rand(1000, 1000) * 0.98 + 0.01
p2 | torch.rand(1000, 1000) * 0.98 + 0.01 | tide.rand(1000, 1000) * 0.98 + 0.01
z | torch.zeros(1000, 1000) | tide.zeros(1000, 1000)
f | torch.randn(1000000) | tide.randn(1000000)
d | torch.randn(1000, 1000, dtype=torch.float64) | tide.randn(1000, 1000, {dtype = "float64"})
h | torch.randn(1000, 1000).bfloat16() | tide.randn(1000, 1000):bfloat16()
v | torch.randn(1000) | tide.randn(1000)
v1 | torch.randn(1000).sign() | tide.randn(1000):sign()
u | torch.randn(1000, 1) | tide.randn(1000, 1)
w1 | torch.full((1,), 0.25) | tide.full({1}, 0.25)
o | torch.randn(1000).sort()[0] | (tide.randn(1000):sort())
i | torch.randint(0, 1000, (1000, 1000)) | tide.randint(0, 999, {1000, 1000})
j | torch.randint(1, 50, (1000, 1000)) | tide.randint(1, 49, {1000, 1000})
k | torch.randint(0, 1000, (1000, 1000)) | tide.randint(1, 1000, {1000, 1000})
k1 | torch.randint(0, 1000, (1000,)) | tide.randint(1, 1000, {1000})
b | torch.randn(1000, 1000) > 0 | tide.randn(1000, 1000):gt(0)
m | torch.randn(256, 256) | tide.randn(256, 256)
spd | (lambda a: a @ a.t() + 256 * torch.eye(256))(torch.randn(256, 256)) | (function(a) return a:matmul(a:t()) + 256 * tide.eye(256) end)(tide.randn(256, 256))
bm | torch.randn(64, 64, 64) | tide.randn(64, 64, 64)
e | torch.randn(1000, 64) | tide.randn(1000, 64)
e2 | torch.randn(1000, 64) | tide.randn(1000, 64)
v16 | torch.randn(1000, 16) | tide.randn(1000, 16)
v16p | torch.rand(1000, 1000) | tide.rand(1000, 1000)
im | torch.randn(16, 16, 64, 64) | tide.randn(16, 16, 64, 64)
g | torch.rand(16, 64, 64, 2) * 2 - 1 | tide.rand(16, 64, 64, 2) * 2 - 1
sig | torch.randn(32, 16, 2048) | tide.randn(32, 16, 2048)
w33 | torch.randn(16, 16, 3, 3) | tide.randn(16, 16, 3, 3)
wd | torch.randn(16, 1, 3, 3) | tide.randn(16, 1, 3, 3)
w3 | torch.randn(16, 16, 3) | tide.randn(16, 16, 3)
q | torch.randn(4, 8, 256, 64) | tide.randn(4, 8, 256, 64)
"""

LUA = """
local F = tide.nn.functional
tide.manual_seed(0)
tide.set_num_threads(THREADS)
local inputs, results = {}, {}
local function floating(x) return x.dtype:find "float" ~= nil end
local function best(fn)
  fn() tide.synchronize()
  local least = math.huge
  for _ = 1, BATCHES do
    collectgarbage()
    local count, start = 0, tide.time()
    repeat
      fn() tide.synchronize()
      count = count + 1
    until tide.time() - start > BATCH_SECONDS
    least = math.min(least, (tide.time() - start) / count)
  end
  return least
end
local function row(name, used, make)
  local ok, seconds = pcall(function()
    local fn = make(table.unpack(used))
    if not name:find "^grad " then
      return tide.no_grad(function() return best(fn) end)
    end
    local needed = {}
    for at, x in ipairs(used) do
      if floating(x) then used[at] = x:detach():requires_grad_() needed[#needed + 1] = used[at] end
    end
    fn = make(table.unpack(used))
    local dy = tide.ones_like(fn())
    return best(function() return tide.grad(fn(), needed, {grad_outputs = dy}) end)
  end)
  print(name .. "\\t" .. (ok and ("%.9f"):format(seconds) or "failed: " .. tostring(seconds):gsub("\\n.*", "")))
  io.stdout:flush()
end
"""

PYTHON = """
import time, torch
import torch.nn.functional as F
torch.manual_seed(0)
torch.set_num_threads(THREADS)
def best(fn):
    fn()
    least = float("inf")
    for _ in range(BATCHES):
        count, start = 0, time.perf_counter()
        while True:
            fn()
            count += 1
            if time.perf_counter() - start > BATCH_SECONDS: break
        least = min(least, (time.perf_counter() - start) / count)
    return least
def row(name, used, make):
    try:
        if not name.startswith("grad "):
            with torch.no_grad():
                seconds = best(lambda: make(*used))
        else:
            used = [a.detach().requires_grad_() if a.is_floating_point() else a for a in used]
            needed = [a for a in used if a.requires_grad]
            dy = torch.ones_like(make(*used))
            seconds = best(lambda: torch.autograd.grad(make(*used), needed, dy))
        print(f"{name}\\t{seconds:.9f}", flush=True)
    except Exception as e:
        print(f"{name}\\tfailed: {e}".splitlines()[0], flush=True)
"""


def rows_of(text):
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            name, python, *lua = (part.strip() for part in line.split(" | "))
            yield name, python, lua[0] if lua else lua_form(python)


def lua_form(python):
    """Methods by a colon; modules keep their point."""
    return re.sub(r"\b(?!(?:F|torch|tide|special|linalg)\b)([a-z]\w*)\.(\w+)\(", r"\1:\2(", python)


def scripts(rows, threads):
    """The two programs that time the rows."""
    inputs = {name: (python, lua) for name, python, lua in rows_of(INPUTS)}
    lua, python = [LUA], [PYTHON]
    for name, (for_python, for_lua) in inputs.items():
        python.append(f"in_{name} = {for_python}")
        lua.append(f"inputs.{name} = {for_lua}")
    # A second of work first, as in a program that has run for a while.
    lua.append("local start = tide.time()\n"
               "repeat best(function() return inputs.s * inputs.x end) until tide.time() - start > 1")
    python.append("start = time.perf_counter()\nwhile time.perf_counter() - start < 1: best(lambda: in_s * in_x)")
    for name, for_python, for_lua in rows:
        used = [n for n in inputs if re.search(rf"(?<![\w.:]){n}\b(?!\s*=[^=])", for_python)]
        python.append(f"row({name!r}, [{', '.join('in_' + n for n in used)}], "
                      f"lambda {', '.join(used)}: {for_python})")
        lua.append(f'row("{name}", {{{", ".join("inputs." + n for n in used)}}}, '
                   f"function({', '.join(used)}) return function() return {for_lua} end end)")
    constants = {"THREADS": threads, "BATCHES": BATCHES, "BATCH_SECONDS": BATCH_SECONDS}

    def filled(lines):
        text = "\n".join(lines) + "\n"
        for key in sorted(constants, key=len, reverse=True):
            text = re.sub(rf"\b{key}\b", str(constants[key]), text)
        return text
    return filled(lua), filled(python)


def timed(command, results):
    """Keeps the best time of each row that the command prints."""
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    for line in output.splitlines():
        name, _, value = line.partition("\t")
        if value.startswith("failed"):
            results[name] = value
        else:
            results[name] = min(float(value), results.get(name, math.inf))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tide")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--only", default="", help="ops whose names match")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--slow", type=float, default=1.0, help="list ops below this ratio")
    options = parser.parse_args()
    table = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    rows = [row for row in rows_of(table) if re.search(options.only, row[0])]
    ours, theirs = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        lua, python = Path(folder) / "sweep.lua", Path(folder) / "sweep_torch.py"
        texts = scripts(rows, options.threads)
        lua.write_text(texts[0], encoding="utf-8")
        python.write_text(texts[1], encoding="utf-8")
        for _ in range(options.rounds):
            timed([options.tide, str(lua)], ours)
            timed([sys.executable, str(python)], theirs)
    ratios = {}
    for name, _, _ in rows:
        a, b = ours.get(name, "failed"), theirs.get(name, "failed")
        if isinstance(a, str) or isinstance(b, str):
            print(f"{name}: tide {a}, PyTorch {b}")
        else:
            ratios[name] = b / a
    for name, ratio in sorted(ratios.items(), key=lambda item: item[1]):
        if ratio < options.slow or options.only:
            times = f"tide {ours[name] * 1e6:10.1f} us, PyTorch {theirs[name] * 1e6:10.1f} us"
            print(f"{name:24} {times}, {ratio:.2f}")
    faster = sum(ratio >= 1 for ratio in ratios.values())
    mean = math.exp(sum(map(math.log, ratios.values())) / max(1, len(ratios)))
    print(f"{len(ratios)} ops, {options.threads} threads, {time.strftime('%Y-%m-%d')}: {faster} at least as fast as "
          f"PyTorch's; geometric mean of the ratios {mean:.2f}")


if __name__ == "__main__":
    main()
