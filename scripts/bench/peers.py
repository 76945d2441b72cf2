#!/usr/bin/env python3
"""Times workloads of `tide bench` in another framework and prints one JSON line for each.

usage: peers.py WORKLOAD[,WORKLOAD...] PEER [--reps N] [--device cpu|cuda]
       peers.py --list

One that fails does not keep the others from being timed; the status is 1 then.

A peer named NAME.out writes into outputs made beforehand: without it, most of a memory-bound
figure is the time the system takes to provide fresh pages. On the CPU all peers compute in
float32 on OMP_NUM_THREADS threads, which `tide bench` sets (default: 2). On a GPU, which torch
alone is timed on, float32 is float32 (no TF32) but for workloads that say so. Every repetition
ends with its results computed.
"""
import argparse
import gc
import json
import os
import statistics
import subprocess
import sys
import time

os.environ.setdefault("OMP_NUM_THREADS", "2")

from peer_units import MI, PRODUCTS, UNITS
from torch_gpu_peer import torch_gpu_workloads
from torch_peer import torch_workloads


def numpy_workloads(into_outputs=False):
    import numpy as np
    generator = np.random.default_rng(0)

    def normal(*shape):
        return generator.standard_normal(shape, dtype=np.float32)

    def op_overhead():
        def run():
            x = np.zeros(1, np.float32)
            for _ in range(100000):
                x = x + 1
            return float(x[0])
        return run

    def matmul(size):
        a, b = normal(size, size), normal(size, size)
        out = np.empty_like(a) if into_outputs else None
        return lambda: [np.matmul(a, b, out=out) for _ in range(PRODUCTS[size])]

    def chain():
        a, b, c = (normal(16 * MI) for _ in range(3))
        if not into_outputs:
            return lambda: np.tanh(a * b + c) / (1 + np.exp(-a)) - 0.5 * np.exp(-b * b)
        out, other = np.empty_like(a), np.empty_like(a)

        def run():
            np.tanh(np.add(np.multiply(a, b, out=out), c, out=out), out=out)
            np.add(np.exp(np.negative(a, out=other), out=other), 1, out=other)
            np.divide(out, other, out=out)
            np.exp(np.negative(np.multiply(b, b, out=other), out=other), out=other)
            return np.subtract(out, np.multiply(other, 0.5, out=other), out=out)
        return run

    def add():
        a, b = normal(16 * MI), normal(16 * MI)
        out = np.empty_like(a) if into_outputs else None
        return lambda: np.add(a, b, out=out)

    def total():
        a = normal(64 * MI)
        return lambda: float(a.sum())

    def softmax():
        a = normal(4096, 4096)
        out = np.empty_like(a) if into_outputs else None

        def run():
            powers = np.subtract(a, a.max(-1, keepdims=True), out=out)
            powers = np.exp(powers, out=out)
            return np.divide(powers, powers.sum(-1, keepdims=True), out=out)
        return run

    def frobenius():
        a, b = normal(100, 100), normal(100, 100)
        return lambda: [float(np.linalg.norm(a @ b)) for _ in range(1000)]

    makers = {f"matmul_{n}": lambda n=n: matmul(n) for n in PRODUCTS}
    makers.update(add_16m=add, chain_16m=chain, softmax_4k=softmax)
    if not into_outputs:
        makers.update(op_overhead=op_overhead, sum_64m=total, frobenius_1000=frobenius)
    return makers


def jax_workloads():
    import jax
    import jax.numpy as jnp
    keys = iter(jax.random.split(jax.random.PRNGKey(0), 16))

    def normal(*shape):
        return jax.random.normal(next(keys), shape)

    def ready(fn, *inputs):
        fn = jax.jit(fn)
        return lambda: fn(*inputs).block_until_ready()

    def op_overhead():
        def run():
            x = jnp.zeros(1)
            for _ in range(100000):
                x = x + 1
            return float(x[0])
        return run

    def matmul(size):
        once = ready(jnp.matmul, normal(size, size), normal(size, size))
        return lambda: [once() for _ in range(PRODUCTS[size])]

    def chain():
        def fn(a, b, c):
            return jnp.tanh(a * b + c) * jax.nn.sigmoid(a) - 0.5 * jnp.exp(-b * b)
        return ready(fn, *(normal(16 * MI) for _ in range(3)))

    makers = {f"matmul_{n}": lambda n=n: matmul(n) for n in PRODUCTS}
    makers.update(
        op_overhead=op_overhead, chain_16m=chain,
        add_16m=lambda: ready(lambda a, b: a + b, normal(16 * MI), normal(16 * MI)),
        sum_64m=lambda: ready(jnp.sum, normal(64 * MI)),
        softmax_4k=lambda: ready(jax.nn.softmax, normal(4096, 4096)))
    return makers


def mlx_workloads():
    import mlx.core as mx
    mx.set_default_device(mx.cpu)

    def ready(fn, *inputs):
        mx.eval(*inputs)
        return lambda: mx.eval(fn(*inputs))

    def op_overhead():
        def run():
            x = mx.zeros(1)
            for i in range(100000):
                x = x + 1
                if i % 1000 == 999:
                    mx.eval(x)
            return x.item()
        return run

    def normal(*shape):
        return mx.random.normal(shape)

    def chain(a, b, c):
        return mx.tanh(a * b + c) * mx.sigmoid(a) - 0.5 * mx.exp(-b * b)

    return {
        "op_overhead": op_overhead,
        "chain_16m": lambda: ready(chain, *(normal(16 * MI) for _ in range(3))),
        "add_16m": lambda: ready(lambda a, b: a + b, normal(16 * MI), normal(16 * MI)),
        "sum_64m": lambda: ready(mx.sum, normal(64 * MI)),
        "softmax_4k": lambda: ready(lambda a: mx.softmax(a, -1), normal(4096, 4096)),
    }


PEERS = {
    "numpy": numpy_workloads,
    "numpy.out": lambda: numpy_workloads(into_outputs=True),
    "torch": torch_workloads,
    "torch.out": lambda: torch_workloads(into_outputs=True),
    "torch.compile": lambda: torch_workloads(compiled=True),
    "torch.channels_last": lambda: torch_workloads(channels_last=True),
    "jax": jax_workloads,
    "mlx": mlx_workloads,
}

TORCH_FIRST_STEP = f"""
import sys
sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r})
import torch, torch_networks
if sys.argv[1:] == ["cuda"]: torch.set_default_device("cuda")
net = torch_networks.resnet18()
optimizer = torch.optim.SGD(net.parameters(), lr=0.001)
x, y = torch.randn(16, 3, 224, 224), torch.randint(0, 1000, (16,))
loss = torch.nn.functional.cross_entropy(net(x), y)
loss.backward()
optimizer.step()
print(loss.item(), list(net.parameters())[-2].sum().item())
"""

# Programs that processes of their own run, by workload and peer.
PROCESSES = {
    "startup": {
        "numpy": "import numpy as np; print(np.ones((2, 2)) + 1)",
        "torch": "import torch; print(torch.ones(2, 2) + 1)",
        "jax": "import jax.numpy as jnp; print(jnp.ones((2, 2)) + 1)",
        "mlx": "import mlx.core as mx; print(mx.ones((2, 2)) + 1)",
    },
    "first_step": {"torch": TORCH_FIRST_STEP},
    "first_step_cold": {"torch": TORCH_FIRST_STEP},
}

COLD = {"first_step_cold"}  # not warmed


def make(workload, peer, on_gpu):
    """The function to time, or None if the peer has no such workload."""
    if workload in PROCESSES:
        if peer not in PROCESSES[workload]:
            return None
        command = [sys.executable, "-c", PROCESSES[workload][peer], *(["cuda"] if on_gpu else [])]
        return lambda: subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    makers = PEERS[peer]()
    if on_gpu and peer == "torch":
        makers.update(torch_gpu_workloads())
    maker = makers.get(workload)
    return maker and maker()


def seconds_of(fn, finish):
    start = time.perf_counter()
    result = fn()  # kept until it is computed
    finish()
    seconds = time.perf_counter() - start
    del result
    return seconds


class Gpu:
    """Puts what torch makes on the GPU, and waits for it."""

    is_gpu = True

    def __init__(self):
        import torch
        if not torch.cuda.is_available():
            sys.exit("peers.py: this PyTorch has no GPU")
        self.torch = torch
        torch.set_default_device("cuda")
        torch.backends.cudnn.allow_tf32 = False

    def finish(self):
        self.torch.cuda.synchronize()

    def begin(self):
        """What an earlier workload held and set is gone."""
        gc.collect()
        self.torch.cuda.empty_cache()
        self.torch.cuda.reset_peak_memory_stats()
        self.torch.set_float32_matmul_precision("highest")

    def peak(self):
        return {"peak_mb": round(self.torch.cuda.max_memory_allocated() / MI, 1)}


class Cpu:
    """Calls return when their results are there."""

    is_gpu = False

    def finish(self):
        pass

    def begin(self):
        gc.collect()

    def peak(self):
        return {}


def measure(workload, peer, device, reps):
    """The figures of a workload, or None if the peer has no such one."""
    device.begin()
    fn = make(workload, peer, device.is_gpu)
    if fn is None:
        return None
    for _ in range(0 if workload in COLD else 2):
        seconds_of(fn, device.finish)
    times = [seconds_of(fn, device.finish) for _ in range(reps)]
    unit, figure = UNITS[workload]
    return {"best": round(figure(min(times)), 3),
            "median": round(figure(statistics.median(times)), 3), "unit": unit, **device.peak()}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workloads", nargs="?", metavar="WORKLOAD[,WORKLOAD...]")
    parser.add_argument("peer", nargs="?", choices=PEERS, metavar="PEER")
    parser.add_argument("--reps", type=int, default=5)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    if options.list or not options.peer:
        print("workloads:", *UNITS)
        print("peers:", *PEERS)
        return
    workloads = options.workloads.split(",")
    for workload in workloads:
        if workload not in UNITS:
            parser.error(f"unknown workload {workload}: known are {', '.join(UNITS)}")
    if options.device == "cuda" and not options.peer.startswith("torch"):
        return
    device = Gpu() if options.device == "cuda" else Cpu()
    failed = False
    for workload in workloads:
        try:
            figures = measure(workload, options.peer, device, options.reps)
        except Exception as error:  # whatever a framework raises: the next workload may do
            failed = True
            figures = {"error": f"{type(error).__name__}: {error}"}
        if figures:
            print(json.dumps({"workload": workload, "peer": options.peer, **figures}), flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
