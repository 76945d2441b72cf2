#!/usr/bin/env python3
"""Times one workload of `tide bench` in another framework and prints one JSON line.

usage: peers.py WORKLOAD PEER [--reps N] [--device cpu|cuda]
       peers.py --list

A peer named NAME.out writes into outputs made beforehand: without it, most of a memory-bound
figure is the time the system takes to hand over fresh pages. On the CPU all peers compute in
float32 on two threads. On a GPU, which torch alone is timed on, float32 is float32 (no TF32) but
for workloads that say so. Every repetition ends with its results computed.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time

os.environ.setdefault("OMP_NUM_THREADS", "2")

MI = 1 << 20
PRODUCTS = {256: 200, 1024: 20, 4096: 1}

# Workload: unit, and the figure for a repetition of t seconds.
UNITS = {
    "op_overhead": ("ns/op", lambda t: t / 1e5 * 1e9),
    "op_overhead_grad": ("ns/op", lambda t: t / 4e4 * 1e9),
    "mlp_step": ("us/step", lambda t: t / 200 * 1e6),
    "digits_train": ("us/step", lambda t: t / 45 * 1e6),
    "chain_16m": ("GB/s", lambda t: 4 * 16 * MI * 4 / t / 1e9),
    "add_16m": ("GB/s", lambda t: 3 * 16 * MI * 4 / t / 1e9),
    "sum_64m": ("GB/s", lambda t: 64 * MI * 4 / t / 1e9),
    "softmax_4k": ("GB/s", lambda t: 2 * 16 * MI * 4 / t / 1e9),
    "layernorm_4k": ("GB/s", lambda t: 2 * 16 * MI * 4 / t / 1e9),
    "gelu_rows": ("GB/s", lambda t: 16 * MI * 4 / t / 1e9),
    "frobenius_1000": ("us/product", lambda t: t / 1000 * 1e6),
    "lenet_train": ("images/s", lambda t: 64 * 50 / t),
    "resnet18_fwd": ("images/s", lambda t: 16 / t),
    "resnet18_train": ("images/s", lambda t: 16 / t),
    "lstm_train": ("ms/step", lambda t: t / 5 * 1e3),
    "gpt_train": ("ms/step", lambda t: t / 2 * 1e3),
    "startup": ("ms", lambda t: t * 1e3),
}
for name in ("sort_16m", "topk_16m", "unique_16m", "cumsum_16m", "gather_16m", "scatter_add_16m",
             "index_select_16m", "embedding_grad"):
    UNITS[name] = ("ms", lambda t: t * 1e3)
for name, arrays in (("copy", 2), ("chain", 4), ("add", 3)):
    UNITS[f"{name}_256m"] = ("GB/s", lambda t, k=arrays: k * 256 * MI * 4 / t / 1e9)
for name in ("softmax_16k", "layernorm_16k"):
    UNITS[name] = ("GB/s", lambda t: 2 * 256 * MI * 4 / t / 1e9)
for name in ("f32", "tf32", "bf16", "int8"):
    UNITS[f"matmul_8192_{name}"] = ("GFLOP/s", lambda t: 2 * 8192**3 * 10 / t / 1e9)
for size, count in PRODUCTS.items():
    UNITS[f"matmul_{size}"] = (
        "GFLOP/s", lambda t, n=size, k=count: 2 * n**3 * k / t / 1e9)


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


def torch_workloads(compiled=False, into_outputs=False, channels_last=False):
    import torch
    from torch import nn
    import torch.nn.functional as F
    torch.set_num_threads(2)
    torch.manual_seed(0)
    compile_ = torch.compile if compiled else lambda fn: fn

    def op_overhead():
        def run():
            x = torch.zeros(1)
            for _ in range(100000):
                x = x + 1
            return x.item()
        return run

    def op_overhead_grad():
        def run():
            for _ in range(20):
                x = torch.ones(1, requires_grad=True)
                y = x
                for _ in range(1000):
                    y = y * x + 1
                y.backward()
            return x.grad.item()
        return run

    def steps_of(optimizer, steps, loss_of):
        def run():
            for _ in range(steps):
                optimizer.zero_grad()
                loss = loss_of()
                loss.backward()
                optimizer.step()
            return loss.item()
        return run

    def training(network, optimizer, x, classes, steps):
        y = torch.randint(0, classes, (len(x),))
        forward = compile_(network)
        return steps_of(optimizer, steps, lambda: F.cross_entropy(forward(x), y))

    def mlp_step():
        net = nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))
        return training(net, torch.optim.SGD(net.parameters(), lr=0.01), torch.randn(64, 784), 10, 200)

    def lenet_train():
        net = nn.Sequential(
            nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
            nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))
        adam = torch.optim.Adam(net.parameters(), lr=1e-3)
        return training(net, adam, torch.randn(64, 1, 28, 28), 10, 50)

    def digits_train():
        net = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(),
            nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(0.5),
            nn.Linear(512, 64), nn.ReLU(), nn.Linear(64, 10))
        sgd = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9)
        return training(net, sgd, torch.randn(32, 1, 8, 8), 10, 45)

    class Block(nn.Module):
        def __init__(self, inputs, outputs, stride):
            super().__init__()
            self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
            self.bn1 = nn.BatchNorm2d(outputs)
            self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
            self.bn2 = nn.BatchNorm2d(outputs)
            self.relu = nn.ReLU(inplace=True)
            self.downsample = nn.Identity()
            if stride != 1 or inputs != outputs:
                self.downsample = nn.Sequential(
                    nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

        def forward(self, x):
            y = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
            return self.relu(y + self.downsample(x))

    def resnet18():
        layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True),
                  nn.MaxPool2d(3, 2, 1)]
        inputs = 64
        for outputs, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
            layers += [Block(inputs, outputs, stride), Block(outputs, outputs, 1)]
            inputs = outputs
        net = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000))
        x = torch.randn(16, 3, 224, 224)
        if channels_last:
            return tuple(each.to(memory_format=torch.channels_last) for each in (net, x))
        return net, x

    def resnet18_fwd():
        net, x = resnet18()
        forward = compile_(net.eval())

        def run():
            with torch.no_grad():
                return forward(x)
        return run

    def resnet18_train():
        net, x = resnet18()
        return training(net, torch.optim.SGD(net.parameters(), lr=0.001), x, 1000, 1)

    def lstm_train():
        net = nn.LSTM(256, 256, 2)
        adam = torch.optim.Adam(net.parameters(), lr=1e-3)
        x, y = torch.randn(64, 32, 256), torch.randn(64, 32, 256)
        forward = compile_(net)
        return steps_of(adam, 5, lambda: F.mse_loss(forward(x)[0], y))

    class DecoderBlock(nn.Module):
        def __init__(self, size, heads):
            super().__init__()
            self.heads = heads
            self.norm1, self.norm2 = nn.LayerNorm(size), nn.LayerNorm(size)
            self.qkv, self.proj = nn.Linear(size, 3 * size), nn.Linear(size, size)
            self.fc1, self.fc2 = nn.Linear(size, 4 * size), nn.Linear(4 * size, size)

        def forward(self, x):
            n, length, size = x.shape
            qkv = self.qkv(self.norm1(x)).view(n, length, 3, self.heads, size // self.heads)
            q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.proj(y.transpose(1, 2).reshape(n, length, size))
            return x + self.fc2(F.gelu(self.fc1(self.norm2(x))))

    class Gpt(nn.Module):
        def __init__(self, vocabulary, length, size, heads, layers):
            super().__init__()
            self.tokens, self.places = nn.Embedding(vocabulary, size), nn.Embedding(length, size)
            self.blocks = nn.Sequential(*(DecoderBlock(size, heads) for _ in range(layers)))
            self.norm, self.head = nn.LayerNorm(size), nn.Linear(size, vocabulary, bias=False)

        def forward(self, tokens):
            return self.head(self.norm(self.blocks(self.tokens(tokens) + self.places.weight)))

    def gpt_train():
        net = Gpt(1000, 128, 256, 4, 4)
        adamw = torch.optim.AdamW(net.parameters(), lr=1e-3)
        text = torch.randint(0, 1000, (8, 129))
        x, y = text[:, :-1], text[:, 1:].flatten()
        forward = compile_(net)
        return steps_of(adamw, 2, lambda: F.cross_entropy(forward(x).flatten(0, 1), y))

    def matmul(size):
        a, b = torch.randn(size, size), torch.randn(size, size)
        out = torch.empty_like(a) if into_outputs else None
        return lambda: [torch.matmul(a, b, out=out) for _ in range(PRODUCTS[size])]

    def large_matmul(name):
        torch.set_float32_matmul_precision("high" if name == "tf32" else "highest")
        dtype = torch.bfloat16 if name == "bf16" else torch.float32
        a, b = (torch.randn(8192, 8192).to(dtype) for _ in range(2))
        return lambda: [torch.matmul(a, b) for _ in range(10)]

    def large_byte_matmul():
        a, b = (torch.randint(-128, 128, (8192, 8192), dtype=torch.int8) for _ in range(2))
        return lambda: [torch._int_mm(a, b.t()) for _ in range(10)]

    def copy():
        a, b = torch.randn(256 * MI), torch.randn(256 * MI)
        return lambda: b.copy_(a)

    def chain(elements=16 * MI):
        inputs = [torch.randn(elements) for _ in range(3)]
        if into_outputs:
            (a, b, c), out, other = inputs, torch.empty(elements), torch.empty(elements)

            def run():
                torch.mul(a, b, out=out).add_(c).tanh_().mul_(torch.sigmoid(a, out=other))
                return out.sub_(torch.mul(b, b, out=other).neg_().exp_(), alpha=0.5)
            return run
        fn = compile_(lambda a, b, c: torch.tanh(a * b + c) * torch.sigmoid(a) - 0.5 * torch.exp(-b * b))
        return lambda: fn(*inputs)

    def add(elements=16 * MI):
        a, b = torch.randn(elements), torch.randn(elements)
        if into_outputs:
            out = torch.empty_like(a)
            return lambda: torch.add(a, b, out=out)
        fn = compile_(lambda a, b: a + b)
        return lambda: fn(a, b)

    def total():
        a = torch.randn(64 * MI)
        fn = compile_(lambda a: a.sum())
        return lambda: fn(a).item()

    def softmax(side=4096):
        a = torch.randn(side, side)
        if into_outputs:
            out = torch.empty_like(a)
            return lambda: torch.softmax(a, -1, out=out)
        fn = compile_(lambda a: torch.softmax(a, -1))
        return lambda: fn(a)

    def layernorm(side=4096):
        a, weight, bias = torch.randn(side, side), torch.randn(side), torch.randn(side)
        if into_outputs:
            out, mean, scale = torch.empty_like(a), torch.empty(side, 1), torch.empty(side, 1)
            norm = torch.ops.aten.native_layer_norm.out
            return lambda: norm(a, (side,), weight, bias, 1e-5, out0=out, out1=mean, out2=scale)
        fn = compile_(lambda a, w, b: F.layer_norm(a, (side,), w, b, 1e-5))
        return lambda: fn(a, weight, bias)

    def gelu_rows():
        a, bias = torch.randn(4096, 4096), torch.randn(4096)
        if into_outputs:
            total, out = torch.empty_like(a), torch.empty_like(a)
            gelu = torch._C._nn.gelu
            return lambda: gelu(torch.add(a, bias, out=total), approximate="tanh", out=out).mean(-1)
        fn = compile_(lambda a, b: F.gelu(a + b, approximate="tanh").mean(-1))
        return lambda: fn(a, bias)

    def of_numbers(fn):
        def make():
            x = torch.randn(16 * MI)
            return lambda: fn(x)
        return make

    def of_positions(fn):
        def make():
            x, index = torch.randn(16 * MI), torch.randint(0, 16 * MI, (16 * MI,))
            return lambda: fn(x, index)
        return make

    def unique():
        x = torch.randint(0, MI, (16 * MI,))
        return lambda: torch.unique(x)

    def index_select():
        x, index = torch.randn(MI // 4, 64), torch.randint(0, MI // 4, (MI // 4,))
        return lambda: x.index_select(0, index)

    def embedding_grad():
        weight = torch.randn(1 << 15, 64, requires_grad=True)
        index, dy = torch.randint(0, 1 << 15, (MI // 4,)), torch.randn(MI // 4, 64)
        return lambda: torch.autograd.grad(F.embedding(index, weight), weight, dy)

    def frobenius():
        a, b = torch.randn(100, 100), torch.randn(100, 100)
        return lambda: torch.stack([torch.linalg.norm(a @ b) for _ in range(1000)]).tolist()

    networks = dict(resnet18_fwd=resnet18_fwd, resnet18_train=resnet18_train)
    if channels_last:
        return networks
    makers = {f"matmul_{n}": lambda n=n: matmul(n) for n in PRODUCTS}
    makers.update(add_16m=add, chain_16m=chain, softmax_4k=softmax, layernorm_4k=layernorm,
                  gelu_rows=gelu_rows)
    if not into_outputs:
        makers.update({f"matmul_8192_{n}": lambda n=n: large_matmul(n)
                       for n in ("f32", "tf32", "bf16")})
        makers.update(
            matmul_8192_int8=large_byte_matmul,
            copy_256m=copy, chain_256m=lambda: chain(256 * MI), add_256m=lambda: add(256 * MI),
            softmax_16k=lambda: softmax(16384), layernorm_16k=lambda: layernorm(16384),
            op_overhead=op_overhead, op_overhead_grad=op_overhead_grad, mlp_step=mlp_step,
            lenet_train=lenet_train, digits_train=digits_train, lstm_train=lstm_train,
            gpt_train=gpt_train, sum_64m=total,
            frobenius_1000=frobenius, **networks,
            sort_16m=of_numbers(torch.sort), topk_16m=of_numbers(lambda x: torch.topk(x, 100)),
            cumsum_16m=of_numbers(lambda x: torch.cumsum(x, 0)),
            gather_16m=of_positions(lambda x, index: torch.gather(x, 0, index)),
            scatter_add_16m=of_positions(
                lambda x, index: torch.zeros_like(x).scatter_add(0, index, x)),
            unique_16m=unique, index_select_16m=index_select, embedding_grad=embedding_grad)
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

STARTUP = {
    "numpy": "import numpy as np; print(np.ones((2, 2)) + 1)",
    "torch": "import torch; print(torch.ones(2, 2) + 1)",
    "jax": "import jax.numpy as jnp; print(jnp.ones((2, 2)) + 1)",
    "mlx": "import mlx.core as mx; print(mx.ones((2, 2)) + 1)",
}


def make(workload, peer):
    """The function to time, or None if the peer has no such workload."""
    if workload == "startup":
        if peer not in STARTUP:
            return None
        command = [sys.executable, "-c", STARTUP[peer]]
        return lambda: subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    maker = PEERS[peer]().get(workload)
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

    def __init__(self):
        import torch
        if not torch.cuda.is_available():
            sys.exit("peers.py: this PyTorch has no GPU")
        self.cuda = torch.cuda
        torch.set_default_device("cuda")
        torch.set_float32_matmul_precision("highest")
        torch.backends.cudnn.allow_tf32 = False

    def finish(self):
        self.cuda.synchronize()

    def start_counting(self):
        self.cuda.reset_peak_memory_stats()

    def peak(self):
        return {"peak_mb": round(self.cuda.max_memory_allocated() / MI, 1)}


class Cpu:
    """Calls return when their results are there."""

    def finish(self):
        pass

    def start_counting(self):
        pass

    def peak(self):
        return {}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workload", nargs="?", choices=UNITS, metavar="WORKLOAD")
    parser.add_argument("peer", nargs="?", choices=PEERS, metavar="PEER")
    parser.add_argument("--reps", type=int, default=5)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    if options.list or not options.peer:
        print("workloads:", *UNITS)
        print("peers:", *PEERS)
        return
    if options.device == "cuda" and not options.peer.startswith("torch"):
        return
    device = Gpu() if options.device == "cuda" else Cpu()
    device.start_counting()
    fn = make(options.workload, options.peer)
    if fn is None:
        return
    for _ in range(2):
        seconds_of(fn, device.finish)
    times = [seconds_of(fn, device.finish) for _ in range(options.reps)]
    unit, figure = UNITS[options.workload]
    print(json.dumps({
        "workload": options.workload, "peer": options.peer,
        "best": round(figure(min(times)), 3), "median": round(figure(statistics.median(times)), 3),
        "unit": unit, **device.peak()}))


if __name__ == "__main__":
    main()
