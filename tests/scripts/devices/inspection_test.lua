-- Inspection by scripts: the graph of a tensor, types, memory figures, settings of devices; and
-- tensors exchanged with a host.
local tide = require "tide"
local test = require "tide.test"
local describe, it, equal, raises = test.describe, test.it, test.same_type, test.raises

describe("grad_fn", function(device)
  it("leads from a result to the leaves, as in PyTorch", function()
    local x = tide.ones(2, {device = device, requires_grad = true})
    local w = tide.ones(2, {device = device, requires_grad = true})
    local y = ((x * w):relu() + 1):sum()
    local names, f = {}, y.grad_fn
    while f.next_functions[1] do
      names[#names + 1] = f:name()
      f = f.next_functions[1][1]
    end
    -- PyTorch: SumBackward0, AddBackward0, ReluBackward0, MulBackward0, AccumulateGrad.
    equal(names, {"SumBackward", "AddBackward", "ReluBackward", "MulBackward"})
    equal(f:name(), "AccumulateGrad")
    equal(rawequal(f.variable, x) or f.variable == x, true)
    equal(y.grad_fn == y.grad_fn, true)
    equal(y.grad_fn == f, false)
    equal(x.grad_fn, nil)
    equal(x.is_leaf, true)
    equal(y:detach().grad_fn, nil)
    equal(tostring(y.grad_fn):match "^SumBackward %(.*inspection_test.lua:11%)$" ~= nil, true)
    raises("grad_fn.nmae: there is no such name; did you mean 'name'?",
      function() return y.grad_fn.nmae end)
  end)
  it("shows inputs without gradients, and the index of a result among several", function()
    local x = tide.tensor({1.0, 3, 2}, {device = device, requires_grad = true})
    local product = tide.ones(3, {device = device}) * x
    local inputs = product.grad_fn.next_functions
    equal(#inputs, 2)
    equal({inputs[1][1], inputs[1][2]}, {nil, 1})
    equal(inputs[2][1]:name(), "AccumulateGrad")
    local values = x:sort()
    local q, r = tide.linalg.qr(tide.eye(3, {device = device}) * x)
    equal((r * 2).grad_fn.next_functions[1][2], 2)
    equal((q * 2).grad_fn.next_functions[1][2], 1)
    equal((values * 2).grad_fn.next_functions[1][2], 1)
    equal(q.grad_fn:name(), "LinalgQrBackward") -- as in PyTorch
    equal(q.grad_fn.next_functions[1][1]:name(), "MulBackward")
  end)
  it("outlives the tensor and the backward pass", function()
    local f
    do
      local x = tide.ones(2, {requires_grad = true})
      local y = (x * 2):sum()
      y:backward()
      f = y.grad_fn
    end
    collectgarbage()
    equal(f.next_functions[1][1].next_functions[1][1].variable.shape, {2})
  end)
  it("shows which tensor accumulates a gradient", function()
    local x = tide.ones(2, {requires_grad = true})
    local y = x * 2
    equal({x.retains_grad, y.retains_grad}, {false, false})
    y:retain_grad()
    equal(y.retains_grad, true)
  end)
end)

describe("names of PyTorch's", function(device)
  it("type returns and converts", function()
    local x = tide.tensor({1.5, -2.5}, {device = device})
    equal(x:type(), "float32")
    equal(x:type("float64").dtype, tide.float64)
    equal(x:type(tide.int):tolist(), {1, -2})
    raises("type: there is no type 'flaot'", x.type, x, "flaot")
  end)
  it("memory_stats has the figures of the other functions", function()
    local x = tide.ones(1000, {device = device})
    tide.synchronize(device)
    local stats = tide.memory_stats(device)
    equal(stats["allocated_bytes.all.current"], tide.memory_allocated(device))
    equal(stats["allocated_bytes.all.peak"], tide.max_memory_allocated(device))
    equal(stats["reserved_bytes.all.current"], tide.memory_reserved(device))
    equal(stats["allocation.all.allocated"] >= stats["segment.all.allocated"], true)
    equal(x:numel(), 1000)
  end)
  it("data and grad can be called, as in Gluon", function()
    local w = tide.ones(2, {device = device, requires_grad = true});
    (w * 3):sum():backward()
    equal(w:data():tolist(), {1.0, 1.0})
    equal(w:data(device).requires_grad, false)
    equal(w:grad():tolist(), {3.0, 3.0})
    raises("a tensor is not callable", function() return w(w * 2) end)
    raises("a tensor is not callable", function() return w(1) end)
    equal(tostring(w:data("sim:1").device), "sim:1")
    equal(w:data("sim:1"):tolist(), {1.0, 1.0})
  end)
end)

describe("settings", function()
  it("include deterministic algorithms", function()
    equal(tide.are_deterministic_algorithms_enabled(), false)
    tide.use_deterministic_algorithms(true, {warn_only = true})
    equal(tide.are_deterministic_algorithms_enabled(), true)
    tide.use_deterministic_algorithms(false)
    equal(tide.are_deterministic_algorithms_enabled(), false)
    tide.deterministic(function() equal(tide.are_deterministic_algorithms_enabled(), true) end)
    raises("use_deterministic_algorithms: argument 1 (on): expected boolean, got nothing", tide.use_deterministic_algorithms)
  end)
  it("of cuda work without a device, or report that it is missing", function()
    tide.cuda.manual_seed(3)
    local a = tide.rand(3)
    tide.cuda.manual_seed_all(3)
    equal(tide.rand(3):tolist(), a:tolist())
    for _, name in ipairs {"utilization", "temperature", "power_draw", "memory_stats"} do
      local ok, answer = pcall(tide.cuda[name])
      equal(ok, tide.cuda.is_available())
      if not ok then
        test.is_true(answer:find("CUDA cannot be used", 1, true))
      elseif name ~= "memory_stats" then
        test.is_true(math.type(answer) == "integer" and answer >= 0)
      end
    end
  end)
end)

describe("DLPack capsules", function(device)
  it("hold every type and shape", function()
    for _, name in ipairs {
      "float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool",
    } do
      local x = tide.tensor({{0, 1, 2}, {3, 4, 5}}, {device = device}):to(name)
      local capsule = tide.to_dlpack(x.T)
      equal(tostring(capsule), "dltensor")
      local y = tide.from_dlpack(capsule, {device = device})
      equal({y.dtype, tostring(y.device)}, {name, tostring(x.device)})
      equal(y:tolist(), x.T:tolist())
    end
    equal(tide.from_dlpack(tide.to_dlpack(tide.zeros(0, 3))).shape, {0, 3})
    equal(tide.from_dlpack(tide.to_dlpack(tide.tensor(7.0))):item(), 7.0)
  end)
  it("can be consumed once, and are copies", function()
    local x = tide.ones(2, {device = device})
    local capsule = tide.to_dlpack(x)
    x:fill_(5)
    local y = tide.from_dlpack(capsule)
    equal(y:tolist(), {1.0, 1.0})
    equal(tostring(capsule), "dltensor, consumed")
    raises("was already consumed", tide.from_dlpack, capsule)
    raises("expected a dltensor capsule, got tide.Tensor", tide.from_dlpack, x)
    raises("expected a dltensor capsule, got FILE*", tide.from_dlpack, io.stdout)
    raises("expected a dltensor capsule", tide.from_dlpack)
    equal(getmetatable(capsule), false)
  end)
end)
