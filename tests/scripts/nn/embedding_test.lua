-- Rows of a table by index, singly and in bags: values and gradients of PyTorch.
local tide = require "tide"
local test = require "tide.test"

local describe, it = test.describe, test.it
local close, equal, raises = test.close, test.same_type, test.raises
local F, nn = tide.nn.functional, tide.nn

describe("embedding", function(device)
  local function table_of_rows()
    return (tide.arange(12.0, {device = device}):reshape(4, 3) / 4):requires_grad_()
  end
  local function positions(values) return tide.tensor(values, {device = device}) end
  local limited = {{0, 0.25, 0.5}, {0.75, 1, 1.25}, {0.5714286, 0.6666667, 0.7619048},
    {0.6, 0.6666666, 0.7333333}}

  it("limits the norm of used rows, and scales gradients by frequency", function()
    local weight = table_of_rows()
    local y = F.embedding(positions {{1, 3}, {3, 4}}, weight, {
      padding_idx = 4, max_norm = 2, norm_type = 1, scale_grad_by_freq = true,
    })
    close(weight:detach(), limited)
    close(y, {{limited[1], limited[3]}, {limited[3], limited[4]}})
    y:backward(tide.arange(12.0, {device = device}):reshape(2, 2, 3))
    close(weight.grad, {{0, 1, 2}, {0, 0, 0}, {4.5, 5.5, 6.5}, {0, 0, 0}})
  end)

  it("does so as a layer", function()
    local layer = nn.Embedding.from_pretrained(table_of_rows():detach(), {
      freeze = false, max_norm = 2, norm_type = 1, scale_grad_by_freq = true,
    })
    layer(positions {1, 3, 3, 4}):sum():backward()
    close(layer.weight:detach(), limited)
    close(layer.weight.grad, {{1, 1, 1}, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}})
    local other = nn.Embedding(4, 3, {scale_grad_by_freq = true, device = device})
    other(positions {2, 2}):sum():backward()
    close(other.weight.grad, {{0, 0, 0}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}})
  end)

  --- The bags {1, 3, 3}, {} and {4, 2, 3}.
  local function check_bags(options, expected, gradient)
    local weight = table_of_rows()
    options.offsets = positions {1, 4, 4}
    local y = F.embedding_bag(positions {1, 3, 3, 4, 2, 3}, weight, options)
    close(y, expected, {atol = 1e-6})
    y:backward(tide.arange(1.0, 10, {device = device}):reshape(3, 3))
    close(weight.grad, gradient, {atol = 1e-6})
  end
  local none = {0, 0, 0}

  it("combines rows bag by bag", function()
    check_bags({mode = "sum"}, {{3, 3.75, 4.5}, none, {4.5, 5.25, 6}},
      {{1, 2, 3}, {7, 8, 9}, {9, 12, 15}, {7, 8, 9}})
    check_bags({mode = "mean", padding_idx = 3}, {{0, 0.25, 0.5}, none, {1.5, 1.75, 2}},
      {{1, 2, 3}, {3.5, 4, 4.5}, none, {3.5, 4, 4.5}})
    check_bags({mode = "max"}, {{1.5, 1.75, 2}, none, {2.25, 2.5, 2.75}},
      {none, none, {1, 2, 3}, {7, 8, 9}})
    check_bags({mode = "max", padding_idx = -2}, {{0, 0.25, 0.5}, none, {2.25, 2.5, 2.75}},
      {{1, 2, 3}, none, none, {7, 8, 9}})
    check_bags({scale_grad_by_freq = true}, {{1, 1.25, 1.5}, none, {1.5, 1.75, 2}},
      {{1 / 3, 2 / 3, 1}, {7 / 3, 8 / 3, 3}, {1, 4 / 3, 5 / 3}, {7 / 3, 8 / 3, 3}})
    check_bags({mode = "sum", per_sample_weights = tide.range(1.0, 6, {device = device})},
      {{7.5, 9, 10.5}, none, {21.75, 25.5, 29.25}},
      {{1, 2, 3}, {35, 40, 45}, {47, 58, 69}, {28, 32, 36}})
    check_bags({mode = "sum", max_norm = 1.5}, {{1.4746175, 1.970387, 2.4661565}, none,
      {2.1505425, 2.5718746, 2.9932067}}, {{1, 2, 3}, {7, 8, 9}, {9, 12, 15}, {7, 8, 9}})
  end)

  it("has gradients with per-sample weights, also second ones", function()
    local shares = tide.tensor({0.5, 2, -1, 1, 3, 0.25}, {dtype = "float64", device = device})
    local weight = table_of_rows():detach():to("float64"):requires_grad_()
    local function sums(w, s)
      return F.embedding_bag(positions {1, 3, 3, 4, 2, 3}, w, {offsets = positions {1, 4, 4},
        mode = "sum", per_sample_weights = s, padding_idx = 2})
    end
    test.is_true(tide.autograd.gradcheck(sums, {weight, shares:requires_grad_()}))
    test.is_true(tide.autograd.gradgradcheck(sums, {weight, shares}))
  end)

  it("ends the last bag at the last offset, or uses rows as bags", function()
    local weight, x = table_of_rows(), positions {1, 3, 3, 4, 2, 3}
    close(F.embedding_bag(x, weight, {offsets = positions {1, 4, 4}, include_last_offset = true}),
      {{1, 1.25, 1.5}, none})
    close(F.embedding_bag(x:reshape(2, 3), weight), {{1, 1.25, 1.5}, {1.5, 1.75, 2}})
    local rows = x:reshape(2, 3)
    for _, options in ipairs {
      {mode = "sum"}, {mode = "mean"}, {mode = "max"},
      {mode = "sum", per_sample_weights = tide.range(1.0, 6, {device = device})},
    } do
      options.offsets = positions {1, 4}
      local one_by_one = F.embedding_bag(x, weight, options)
      options.offsets = nil
      local weights = options.per_sample_weights
      options.per_sample_weights = weights and weights:reshape(2, 3)
      local as_rows = F.embedding_bag(rows, weight, options)
      close(as_rows, one_by_one)
      close(tide.grad(as_rows:square():sum(), weight), tide.grad(one_by_one:square():sum(), weight))
    end
    -- A nan is the largest value, and an infinity next to padding does no harm.
    local odd = tide.tensor({{1, 0 / 0}, {2, 3}, {math.huge, -math.huge}}, {device = device})
    local best = F.embedding_bag(positions {{2, 1}, {2, 3}}, odd, {mode = "max", padding_idx = 3})
    equal(best:isnan():tolist(), {{false, true}, {false, false}})
    equal({best[{1, 1}]:item(), best[2]:tolist()}, {2.0, {2.0, 3.0}})
    equal(F.embedding_bag(positions {{2, 3}}, odd, {mode = "sum", padding_idx = 3}):tolist(),
      {{2.0, 3.0}})
    equal(F.embedding_bag(positions {1}:narrow(1, 1, 0), odd, {offsets = positions {1, 1}}):tolist(),
      {{0.0, 0.0}, {0.0, 0.0}})
    raises("positions start at 1", function()
      return F.embedding_bag(x, weight, {offsets = positions {0, 3}}):sum():item()
    end)
    raises("expected per_sample_weights of shape (2, 3), got (3)", F.embedding_bag,
      rows, weight, {mode = "sum", per_sample_weights = tide.ones(3, {device = device})})
    local layer = nn.EmbeddingBag(4, 3, {mode = "sum", max_norm = 0.5, device = device})
    layer(positions {{1, 2}})
    equal(layer.weight:detach():norm(2, 2)[{{1, 2}}]:le(0.5001):all():item(), true)
  end)
end)
