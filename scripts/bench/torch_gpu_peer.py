"""The workloads of `tide bench` that only a GPU is timed on, in PyTorch."""
from peer_units import ATTENTIONS, MI, REPEATS, SMALL_KERNELS, SMALL_TURNS


def torch_gpu_workloads():
    import torch
    import torch.nn.functional as F
    import torch_networks
    from torch_networks import steps_of

    def softmax_bf16():
        a = torch.randn(16384, 16384).to(torch.bfloat16)
        return lambda: torch.softmax(a, -1)

    def column_sums():
        a = torch.randn(16384, 16384)
        return lambda: a.sum(0)

    def item_latency():
        x = torch.ones(1)

        def run():
            for _ in range(1000):
                (x + 1).item()
        return run

    small_ops = [torch.abs, torch.ceil, torch.cos, torch.erf, torch.exp, torch.floor, torch.log, torch.neg,
                 torch.relu, torch.rsqrt, torch.sigmoid, torch.sign, torch.sin, torch.sqrt, torch.square,
                 torch.tanh]

    def small_kernels():
        return [torch.ones(i + 1, 3) for i in range(SMALL_KERNELS)]

    def launches():
        inputs = small_kernels()

        def turn():
            return [op(x) for op, x in zip(small_ops, inputs)]
        for _ in range(3):
            turn()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            turn()
        return lambda: [graph.replay() for _ in range(SMALL_TURNS)]

    def launches_without_graphs():
        inputs = small_kernels()
        return lambda: [[op(x) for op, x in zip(small_ops, inputs)] for _ in range(SMALL_TURNS)]

    def host_and_device():  # the way to copy fast both ways: pinned memory that is there already
        host = torch.empty(64 * MI, device="cpu", pin_memory=True).fill_(1)
        return host, torch.ones(64 * MI)

    def copy_up():
        host, there = host_and_device()
        return lambda: there.copy_(host, non_blocking=True)

    def copy_down():
        host, there = host_and_device()
        return lambda: host.copy_(there, non_blocking=True)

    def copies_both_ways():
        (up, there), (down, other) = host_and_device(), host_and_device()
        streams = torch.cuda.Stream(), torch.cuda.Stream()

        def run():
            with torch.cuda.stream(streams[0]):
                there.copy_(up, non_blocking=True)
            with torch.cuda.stream(streams[1]):
                down.copy_(other, non_blocking=True)
        return run

    def attention_fwd(stacks, length):
        q, k, v = (torch.randn(stacks, 16, length, 64).to(torch.bfloat16) for _ in range(3))

        def run():
            with torch.no_grad():
                return F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return run

    def attention_train(stacks, length):
        inputs = [torch.randn(stacks, 16, length, 64).to(torch.bfloat16).requires_grad_() for _ in range(3)]
        dy = torch.randn(stacks, 16, length, 64).to(torch.bfloat16)
        return lambda: torch.autograd.grad(
            F.scaled_dot_product_attention(*inputs, is_causal=True), inputs, dy)

    def resnet50_bf16():
        net, x, y = torch_networks.resnet50(), torch.randn(64, 3, 224, 224), torch.randint(0, 1000, (64,))
        sgd = torch.optim.SGD(net.parameters(), lr=0.001, momentum=0.9)
        return steps_of(sgd, 1, in_half(lambda: F.cross_entropy(net(x), y)))

    def gpt2():
        return torch_networks.Gpt(50304, 1024, 768, 12, 12, tied=True)

    def gpt2_train():
        net = gpt2()
        adamw = torch.optim.AdamW(net.parameters(), lr=1e-4, fused=True)
        text = torch.randint(0, 50304, (8, 1025))
        x, y = text[:, :-1], text[:, 1:].flatten()
        return steps_of(adamw, 1, in_half(lambda: F.cross_entropy(net(x).flatten(0, 1), y)))

    def adamw_124m():
        parameters = list(gpt2().parameters())
        for parameter in parameters:
            parameter.grad = torch.randn_like(parameter)
        return torch.optim.AdamW(parameters, lr=1e-4, fused=True).step

    def in_half(fn):
        def run():
            with torch.autocast("cuda", dtype=torch.bfloat16):
                return fn()
        return run

    def with_gradients(repeats, shapes, fn):
        inputs = [torch.randn(shape).to(torch.bfloat16).requires_grad_() for shape in shapes]
        dy = torch.randn_like(fn(*inputs).detach())

        def run():
            for _ in range(repeats):
                results = torch.autograd.grad(fn(*inputs), inputs, dy)
            return results
        return run

    def cross_entropy_50k():
        y = torch.randint(0, 50304, (8192,))
        return with_gradients(1, [(8192, 50304)], lambda x: F.cross_entropy(x, y))

    def layernorm_768():
        return with_gradients(REPEATS, [(8192, 768), (768,), (768,)],
                              lambda x, weight, bias: F.layer_norm(x, (768,), weight, bias))

    def batchnorm_relu():
        norm = torch.nn.BatchNorm2d(256)
        return with_gradients(1, [(64, 256, 56, 56)], lambda x: F.relu(norm(x)))

    makers = {}
    for name, stacks, length in ATTENTIONS:
        makers[f"{name}_fwd"] = lambda s=stacks, n=length: attention_fwd(s, n)
        makers[f"{name}_train"] = lambda s=stacks, n=length: attention_train(s, n)
    return dict(makers, softmax_16k_bf16=softmax_bf16, column_sums_16k=column_sums,
                item_latency=item_latency, launches=launches,
                launches_without_graphs=launches_without_graphs, copy_up=copy_up,
                copy_down=copy_down, copies_both_ways=copies_both_ways,
                copy_down_pinned=copy_down, resnet50_bf16=resnet50_bf16, gpt2_train=gpt2_train,
                adamw_124m=adamw_124m, cross_entropy_50k=cross_entropy_50k, layernorm_768=layernorm_768,
                batchnorm_relu=batchnorm_relu)
