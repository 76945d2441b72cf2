"""Writes the files that load_torch_test.lua reads, or those named: make.py FOLDER [NAME...]."""

import collections
import os
import sys

import torch

TYPES = "float32 float64 float16 bfloat16 int64 int32 int16 int8 uint8 bool".split()


def values():
    """Tensors of all types and layouts, and plain values of all kinds."""
    base = torch.arange(12.0).reshape(3, 4)
    tied = torch.nn.Parameter(torch.ones(2))
    state = collections.OrderedDict(base=base, transposed=base.t(), row=base[1], scalar=torch.tensor(3))
    state.update(empty=torch.zeros(0, 3), expanded=torch.full((1,), 7.0).expand(2, 3))
    image = torch.arange(16.0).reshape(1, 2, 2, 4)
    state.update(channels_last=image.to(memory_format=torch.channels_last), tied=tied, same=tied)
    state["types"] = {name: torch.tensor([0, 1, 2]).to(getattr(torch, name)) for name in TYPES}
    state["plain"] = {
        "integer": 3, "large": 2**40, "least": -(2**63), "float": 2.5, "text": "h\u00e9", "none": None,
        "yes": True, "no": False, "bytes": b"\x00\xff", "list": [1, None, "x"], "tuple": (1, (2, 3)),
        "set": {1, 2}, "size": base.shape, "dtype": torch.bfloat16, "device": torch.device("cuda:1"),
        "defaults": collections.defaultdict(list, {"x": [1]}), 0: "zero", -5: "negative",
    }
    return state


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 2)


def refused():
    """What tide cannot read, all of it in one file."""
    return {
        "net": Net(), "complex": torch.zeros(2, dtype=torch.complex64), "sparse": torch.eye(3).to_sparse(),
        "unsigned": torch.zeros(2, dtype=torch.uint16), "keys": {(1, 2): 3}, "large": 2**64,
    }


def training(kind, **options):
    """A checkpoint of a layer and an optimizer, and the weight three steps later."""
    layer = torch.nn.Linear(3, 2)
    with torch.no_grad():
        layer.weight.copy_(torch.arange(6.0).reshape(2, 3) / 10)
        layer.bias.copy_(torch.tensor([0.5, -0.5]))
    optimizer = kind(layer.parameters(), **options)
    x = torch.arange(12.0).reshape(4, 3) / 10 - 0.5

    def steps(count):
        for _ in range(count):
            optimizer.zero_grad()
            layer(x).pow(2).sum().backward()
            optimizer.step()

    steps(3)
    clone = {key: value.clone() for key, value in layer.state_dict().items()}
    state = optimizer.state_dict()
    state["state"] = {key: {name: value.clone() for name, value in entry.items()}
                      for key, entry in state["state"].items()}
    checkpoint = {"model": clone, "optimizer": state, "epoch": 3, "x": x}
    steps(3)
    checkpoint["later"] = layer.weight.detach().clone()
    return checkpoint


def main(folder, names):
    def save(name, make, **options):
        if not names or name in names:
            torch.save(make(), os.path.join(folder, name), **options)

    save("values.pt", values)
    save("values_protocol_4.pt", values, pickle_protocol=4)
    save("values_old.pt", values, _use_new_zipfile_serialization=False)
    save("refused.pt", refused)
    save("adam.pt", lambda: training(torch.optim.Adam, lr=0.01, amsgrad=True))
    save("sgd.pt", lambda: training(torch.optim.SGD, lr=0.1, momentum=0.9, nesterov=True))
    if not names:
        torch.jit.save(torch.jit.script(torch.nn.ReLU()), os.path.join(folder, "program.pt"))


main(sys.argv[1], sys.argv[2:])
