"""The workloads of `tide bench` in PyTorch, on its default device."""
from peer_units import MI, PRODUCTS
from torch_files_peer import torch_file_workloads


def torch_workloads(compiled=False, into_outputs=False, channels_last=False):
    import torch
    from torch import nn
    import torch.nn.functional as F
    import torch_networks
    from torch_networks import steps_of
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

    def pictures_for(net):
        x = torch.randn(16, 3, 224, 224)
        if channels_last:
            return tuple(each.to(memory_format=torch.channels_last) for each in (net, x))
        return net, x

    def resnet18_fwd():
        net, x = pictures_for(torch_networks.resnet18())
        forward = compile_(net.eval())

        def run():
            with torch.no_grad():
                return forward(x)
        return run

    def resnet18_train():
        net, x = pictures_for(torch_networks.resnet18())
        return training(net, torch.optim.SGD(net.parameters(), lr=0.001), x, 1000, 1)

    def resnet50_train():
        net, x = pictures_for(torch_networks.resnet50())
        return training(net, torch.optim.SGD(net.parameters(), lr=0.001), x, 1000, 1)

    def lstm_train():
        net = nn.LSTM(256, 256, 2)
        adam = torch.optim.Adam(net.parameters(), lr=1e-3)
        x, y = torch.randn(64, 32, 256), torch.randn(64, 32, 256)
        forward = compile_(net)
        return steps_of(adam, 5, lambda: F.mse_loss(forward(x)[0], y))

    def gpt_train(heads=4, batch=8):
        net = torch_networks.Gpt(1000, 128, 256, heads, 4)
        adamw = torch.optim.AdamW(net.parameters(), lr=1e-3)
        text = torch.randint(0, 1000, (batch, 129))
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

    def large_float8_matmul():
        a, b = (torch.randn(8192, 8192).to(torch.float8_e4m3fn) for _ in range(2))
        one = torch.ones(())
        return lambda: [torch._scaled_mm(a, b.t(), one, one, out_dtype=torch.bfloat16) for _ in range(10)]

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

    networks = dict(resnet18_fwd=resnet18_fwd, resnet18_train=resnet18_train,
                    resnet50_train=resnet50_train)
    if channels_last:
        return networks
    makers = {f"matmul_{n}": lambda n=n: matmul(n) for n in PRODUCTS}
    makers.update(add_16m=add, chain_16m=chain, softmax_4k=softmax, layernorm_4k=layernorm,
                  gelu_rows=gelu_rows)
    if not into_outputs:
        makers.update({f"matmul_8192_{n}": lambda n=n: large_matmul(n)
                       for n in ("f32", "tf32", "bf16")})
        makers.update(
            matmul_8192_int8=large_byte_matmul, matmul_8192_float8=large_float8_matmul,
            copy_256m=copy, chain_256m=lambda: chain(256 * MI), add_256m=lambda: add(256 * MI),
            softmax_16k=lambda: softmax(16384), layernorm_16k=lambda: layernorm(16384),
            op_overhead=op_overhead, op_overhead_grad=op_overhead_grad, mlp_step=mlp_step,
            lenet_train=lenet_train, digits_train=digits_train, lstm_train=lstm_train,
            gpt_train=gpt_train, decoder_train=lambda: gpt_train(8, 16), sum_64m=total,
            frobenius_1000=frobenius, **networks, **torch_file_workloads(),
            sort_16m=of_numbers(torch.sort), topk_16m=of_numbers(lambda x: torch.topk(x, 100)),
            cumsum_16m=of_numbers(lambda x: torch.cumsum(x, 0)),
            gather_16m=of_positions(lambda x, index: torch.gather(x, 0, index)),
            scatter_add_16m=of_positions(
                lambda x, index: torch.zeros_like(x).scatter_add(0, index, x)),
            unique_16m=unique, index_select_16m=index_select, embedding_grad=embedding_grad)
    return makers
