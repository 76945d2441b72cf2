"""ResNet-18 on images of several sizes: the rates of PyTorch and tide, in turns.

Usage: python resnet18.py [--tide PROGRAM] [--turns N] [--threads N] [--sizes 28,32,...] [--batches 1,8,64]
Times of a call in evaluation mode without gradients, and of a training step with SGD.
"""
import argparse
import math
import os
import pathlib
import subprocess
import time

import torch
import torchvision

SCRIPT = """
local tide = require "tide"
local size, batch = tonumber(arg[1]), tonumber(arg[2])
local net = tide.vision.models.resnet18()
local x, y = tide.randn(batch, 3, size, size), tide.randint(1, 1000, {batch})
local optimizer = tide.optim.SGD(net:parameters(), {lr = 1e-3})

local function forward()
  local _ <close> = tide.no_grad()
  return net(x)
end

local function step()
  optimizer:zero_grad()
  tide.nn.functional.cross_entropy(net(x), y):backward()
  optimizer:step()
end

local function best(fn)
  local start, calls, least = tide.time(), 0, math.huge
  while calls < 4 or (calls < 200 and tide.time() - start < 1) do
    local before = tide.time()
    fn()
    tide.synchronize()
    calls = calls + 1
    if calls > 2 then least = math.min(least, tide.time() - before) end
  end
  return least
end

net:eval()
print(best(forward))
if batch > 1 or size > 32 then -- else there is one value per channel
  net:train()
  print(best(step))
end
"""


def best(function):
    start, calls, least = time.perf_counter(), 0, math.inf
    while calls < 4 or (calls < 200 and time.perf_counter() - start < 1):
        before = time.perf_counter()
        function()
        calls += 1
        if calls > 2:
            least = min(least, time.perf_counter() - before)
    return least


def times_of_torch(size, batch):
    torch.manual_seed(1)
    net = torchvision.models.resnet18()
    x, y = torch.randn(batch, 3, size, size), torch.randint(0, 1000, (batch,))
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)

    def forward():
        with torch.no_grad():
            net(x)

    def step():
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()

    net.eval()
    times = [best(forward)]
    if batch > 1 or size > 32:
        net.train()
        times.append(best(step))
    return times


def times_of_tide(program, threads, size, batch):
    environment = {**os.environ, "TIDE_NUM_THREADS": str(threads)}
    output = subprocess.run([program, "-", str(size), str(batch)], input=SCRIPT, capture_output=True, text=True,
                            check=True, env=environment).stdout
    return tuple(float(word) for word in output.split())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = pathlib.Path(__file__).resolve().parents[2]
    parser.add_argument("--tide", default=str(root / "build/release/tide"))
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--sizes", default="28,32,64,112,224")
    parser.add_argument("--batches", default="1,8,64")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    ratios = []
    print(f"{'':11}  forward, ms: PyTorch   tide  ratio  training: PyTorch    tide  ratio")
    for size in map(int, options.sizes.split(",")):
        for batch in map(int, options.batches.split(",")):
            torchs, tides = [], []
            for _ in range(options.turns):
                torchs.append(times_of_torch(size, batch))
                tides.append(times_of_tide(options.tide, options.threads, size, batch))
            pairs = list(zip(*(map(min, zip(*times)) for times in (torchs, tides))))
            ratios += [theirs / ours for theirs, ours in pairs]
            print(f"{size:3} px, {batch:3}" + "".join(f"  {1e3 * theirs:19.2f} {1e3 * ours:8.2f} {theirs / ours:6.2f}"
                                                    for theirs, ours in pairs), flush=True)
    print(f"geometric mean {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}, least {min(ratios):.2f}")


if __name__ == "__main__":
    main()
