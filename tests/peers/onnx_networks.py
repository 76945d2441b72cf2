"""Networks as ONNX files: the rates of ONNX Runtime and tide, in turns, and whether their results agree.

Usage: python onnx_networks.py [--tide PROGRAM] [--batch N] [--turns N] [--threads N] [--folder F] [NETWORK...]
Networks are torchvision's, and those of small_networks.py, with random weights and running statistics, exported once
per folder.
"""
import argparse
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy
import onnxruntime
import small_networks

NETWORKS = """alexnet convnext_tiny densenet121 efficientnet_b0 efficientnet_v2_s googlenet inception_v3 mnasnet1_0
mobilenet_v2 mobilenet_v3_large mobilenet_v3_small regnet_x_400mf regnet_y_400mf resnet18 resnet50 resnext50_32x4d
shufflenet_v2_x1_0 squeezenet1_1 swin_t vgg11 vit_b_16 wide_resnet50_2""".split() + small_networks.NAMES
SIZE = 224  # pixels in height and width
TOLERANCE = 1e-3  # of the largest result

# Times the network in argument 1 on the inputs in argument 2, and writes its first result to argument 3.
SCRIPT = """
local tide = require "tide"
local net = tide.onnx.load(arg[1])
local arrays, inputs = tide.np.load(arg[2]), {}
for i = 1, tonumber(arg[5]) do inputs[i] = arrays["x" .. i] end
local _ <close> = tide.no_grad()
local y, best, start, calls = nil, math.huge, tide.time(), 0
repeat
  local begin = tide.time()
  y = net(table.unpack(inputs))
  tide.synchronize()
  best, calls = math.min(best, tide.time() - begin), calls + 1
until calls >= 4 and tide.time() - start > tonumber(arg[4])
tide.np.save(arg[3], y)
print(best)
"""


def export_small(name, path):
    import torch

    torch.manual_seed(1)
    net, inputs = small_networks.network(name)
    torch.onnx.export(net.eval(), tuple(inputs.values()), path, opset_version=17, dynamo=False,
                      input_names=list(inputs))


def export(name, path):
    """Writes a network with random weights and statistics that are not those of a new one."""
    import torch
    import torchvision

    if name in small_networks.NAMES:
        return export_small(name, path)
    torch.manual_seed(1)
    options = {"weights": None}
    if name in ("googlenet", "inception_v3"):
        options |= {"init_weights": True, "aux_logits": False}
    net = getattr(torchvision.models, name)(**options).eval()
    for layer in net.modules():
        if isinstance(layer, torch.nn.BatchNorm2d):
            torch.nn.init.uniform_(layer.running_mean, -0.1, 0.1)
            torch.nn.init.uniform_(layer.running_var, 0.5, 1.5)
    torch.onnx.export(net, (torch.randn(1, 3, SIZE, SIZE),), path, opset_version=17, dynamo=False, input_names=["x"],
                      output_names=["y"], dynamic_axes={"x": {0: "n"}, "y": {0: "n"}})


def random_inputs(session, batch):
    """Random values for all inputs of a network, whose first size is the batch if it may change."""
    generator = numpy.random.default_rng(1)

    def random(each):
        shape = [size if isinstance(size, int) else batch for size in each.shape]
        if each.type == "tensor(int64)":
            return generator.integers(0, small_networks.VOCABULARY, shape)
        return generator.standard_normal(shape, dtype=numpy.float32)

    return {each.name: random(each) for each in session.get_inputs()}


class OnnxRuntime:
    """The peer: a session with as many threads as tide."""

    def __init__(self, path, inputs_of, threads):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        self.inputs = inputs_of(self.session)

    def run(self, seconds):
        """The best time, and the result."""
        best, start = math.inf, time.perf_counter()
        while True:
            begin = time.perf_counter()
            y = self.session.run(None, self.inputs)[0]
            now = time.perf_counter()
            best = min(best, now - begin)
            if now - start > seconds:
                return best, y


def run_tide(program, folder, path, count, threads, seconds):
    """The best time of tide, and its result."""
    out = folder / "y.npy"
    command = [program, folder / "net.lua", path, folder / "x.npz", out, str(seconds), str(count)]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "TIDE_NUM_THREADS": str(threads)})
    if done.returncode != 0:
        sys.exit(done.stderr)
    return float(done.stdout.split()[-1]), numpy.load(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = pathlib.Path(__file__).resolve().parents[2]
    parser.add_argument("--tide", default=str(root / "build/release/tide"))
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.7, help="of a turn")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--folder", default=os.path.join(tempfile.gettempdir(), "tide_networks"))
    parser.add_argument("networks", nargs="*", default=NETWORKS)
    options = parser.parse_args()
    folder = pathlib.Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "net.lua").write_text(SCRIPT)
    print(f"{'network':22} {'ONNX Runtime':>13} {'tide':>9}   ratio   ms, batch {options.batch}, {options.threads} threads")
    ratios, differ = [], 0
    for name in options.networks:
        path = folder / f"{name}.onnx"
        if not path.exists():
            export(name, str(path))
        peer = OnnxRuntime(str(path), lambda session: random_inputs(session, options.batch), options.threads)
        count = len(peer.inputs)
        numpy.savez(folder / "x.npz", **{f"x{i + 1}": x for i, x in enumerate(peer.inputs.values())})
        theirs, ours = math.inf, math.inf
        for _ in range(options.turns):
            seconds, expected = peer.run(options.seconds)
            theirs = min(theirs, seconds)
            seconds, y = run_tide(options.tide, folder, path, count, options.threads, options.seconds)
            ours = min(ours, seconds)
        error = numpy.abs(y - expected).max() / max(numpy.abs(expected).max(), 1e-30)
        wrong = not error <= TOLERANCE
        differ += wrong
        ratios.append(theirs / ours)
        print(f"{name:22} {theirs * 1e3:13.2f} {ours * 1e3:9.2f} {ratios[-1]:7.2f}" +
              (f"   differs by {error:.1e}" if wrong else ""), flush=True)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"geometric mean {mean:.2f}, least {min(ratios):.2f}, {differ} differ")
    sys.exit(differ > 0)


if __name__ == "__main__":
    main()
