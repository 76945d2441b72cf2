"""The workloads of `tide bench` that only a GPU is timed on, in PyTorch."""
from peer_units import MI, SMALL_KERNELS, SMALL_TURNS


def torch_gpu_workloads():
    import torch
    import torch.nn.functional as F

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

    def small_kernels():
        return [torch.ones(i + 1, 3) for i in range(SMALL_KERNELS)]

    def launches():
        inputs = small_kernels()

        def turn():
            return [x + 1 for x in inputs]
        for _ in range(3):
            turn()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            turn()
        return lambda: [graph.replay() for _ in range(SMALL_TURNS)]

    def launches_without_graphs():
        inputs = small_kernels()
        return lambda: [[x + 1 for x in inputs] for _ in range(SMALL_TURNS)]

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

    def attention_inputs():
        return [torch.randn(4, 16, 4096, 64).to(torch.bfloat16).requires_grad_() for _ in range(3)]

    def attention_fwd():
        q, k, v = attention_inputs()

        def run():
            with torch.no_grad():
                return F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return run

    def attention_train():
        inputs = attention_inputs()
        dy = torch.randn(4, 16, 4096, 64).to(torch.bfloat16)
        return lambda: torch.autograd.grad(
            F.scaled_dot_product_attention(*inputs, is_causal=True), inputs, dy)

    return dict(softmax_16k_bf16=softmax_bf16, column_sums_16k=column_sums,
                item_latency=item_latency, launches=launches,
                launches_without_graphs=launches_without_graphs, copy_up=copy_up,
                copy_down=copy_down, copies_both_ways=copies_both_ways,
                attention_fwd=attention_fwd, attention_train=attention_train)
