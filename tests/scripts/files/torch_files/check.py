"""Reads in PyTorch what load_torch_test.lua wrote by tide.save_torch: check.py FILE."""

import copy
import sys

import torch

loaded = torch.load(sys.argv[1], weights_only=True)
mapped = torch.load(sys.argv[1], weights_only=True, mmap=True)
assert torch.equal(mapped["transposed"], loaded["transposed"])

for name, tensor in loaded["types"].items():
    assert tensor.dtype == getattr(torch, name)
    assert torch.equal(tensor, torch.tensor([[0, 1, 2], [3, 4, 5]]).to(tensor.dtype)), name
assert torch.equal(loaded["transposed"], torch.arange(6).reshape(2, 3).t())
assert loaded["empty"].shape == (0, 3) and loaded["scalar"].item() == 7
assert loaded["tied"][0] is loaded["tied"][1]
plain = loaded["plain"]
assert plain == {
    "integer": 3, "large": 2**40, "least": -(2**63), "float": 0.5, "infinite": float("inf"), "text": "h\u00e9",
    "bytes": b"\xff\x00x", "yes": True, "no": False, "list": [1, [2, "x"]], "empty": {}, 5: "five", -1: "negative",
}, plain
assert isinstance(plain["float"], float) and plain["yes"] is True

layer = torch.nn.Linear(3, 2)
layer.load_state_dict(loaded["model"])
for state in loaded["optimizer"], loaded["state"]:
    layer.load_state_dict(loaded["model"])
    optimizer = torch.optim.Adam(layer.parameters())
    optimizer.load_state_dict(copy.deepcopy(state))  # their tensors are shared
    for _ in range(3):
        optimizer.zero_grad()
        layer(loaded["x"]).pow(2).sum().backward()
        optimizer.step()
    assert torch.allclose(layer.weight, loaded["later"], rtol=1e-5, atol=1e-6)
print("as expected")
