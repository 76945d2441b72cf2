"""What the workloads that peers are timed on count: units and figures, by name."""
MI = 1 << 20
PICTURES = 256  # files of the workload `pictures`
PRODUCTS = {256: 200, 1024: 20, 4096: 1}
SMALL_KERNELS, SMALL_TURNS = 16, 500  # of the workloads `launches...`: kernels a turn, and turns

REPEATS = 20  # of the workload `layernorm_768`
ATTENTIONS = (("attention", 4, 4096), ("attention_12k", 1, 12288), ("attention_16k", 1, 16384))  # name, stacks, length

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
    "decoder_train": ("ms/step", lambda t: t / 2 * 1e3),
    "resnet50_train": ("images/s", lambda t: 16 / t),
    "pictures": ("images/s", lambda t: PICTURES / t),
    "load_1g": ("GB/s", lambda t: 256 * MI * 4 / t / 1e9),
    "startup": ("ms", lambda t: t * 1e3),
    "first_step": ("ms", lambda t: t * 1e3),
    "first_step_cold": ("ms", lambda t: t * 1e3),
}
for name in ("sort_16m", "topk_16m", "unique_16m", "cumsum_16m", "gather_16m", "scatter_add_16m",
             "index_select_16m", "embedding_grad"):
    UNITS[name] = ("ms", lambda t: t * 1e3)
for name, arrays in (("copy", 2), ("chain", 4), ("add", 3)):
    UNITS[f"{name}_256m"] = ("GB/s", lambda t, k=arrays: k * 256 * MI * 4 / t / 1e9)
for name in ("softmax_16k", "layernorm_16k"):
    UNITS[name] = ("GB/s", lambda t: 2 * 256 * MI * 4 / t / 1e9)
for name in ("f32", "tf32", "bf16", "int8", "float8"):
    UNITS[f"matmul_8192_{name}"] = ("GFLOP/s", lambda t: 2 * 8192**3 * 10 / t / 1e9)
for size, count in PRODUCTS.items():
    UNITS[f"matmul_{size}"] = (
        "GFLOP/s", lambda t, n=size, k=count: 2 * n**3 * k / t / 1e9)
UNITS["softmax_16k_bf16"] = ("GB/s", lambda t: 2 * 256 * MI * 2 / t / 1e9)
UNITS["column_sums_16k"] = ("GB/s", lambda t: 256 * MI * 4 / t / 1e9)
UNITS["item_latency"] = ("us/item", lambda t: t / 1000 * 1e6)
for name in ("launches", "launches_without_graphs"):
    UNITS[name] = ("launches/s", lambda t: SMALL_KERNELS * SMALL_TURNS / t)
for name, arrays in (("copy_up", 1), ("copy_down", 1), ("copies_both_ways", 2)):
    UNITS[name] = ("GB/s", lambda t, k=arrays: k * 64 * MI * 4 / t / 1e9)
UNITS["copy_down_pinned"] = UNITS["copy_down"]
# Products that a causal mask leaves: half of them; backward makes two and a half times as many.
for name, stacks, length in ATTENTIONS:
    for way, passes in (("fwd", 1), ("train", 3.5)):
        UNITS[f"{name}_{way}"] = (
            "GFLOP/s", lambda t, k=passes * stacks * 16, n=length: k * 2 * n**2 * 64 / t / 1e9)
UNITS["resnet50_bf16"] = ("images/s", lambda t: 64 / t)
UNITS["gpt2_train"] = ("tokens/s", lambda t: 8 * 1024 / t)
UNITS["layernorm_768"] = ("us", lambda t: t / REPEATS * 1e6)
for name in ("adamw_124m", "cross_entropy_50k", "batchnorm_relu"):
    UNITS[name] = ("ms", lambda t: t * 1e3)
