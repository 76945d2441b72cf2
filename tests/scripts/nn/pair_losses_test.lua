-- Losses of pairs and classes: broadcasting, integers, single scores. Expected numbers are
-- PyTorch's.
local tide = require "tide"
local test = require "tide.test"

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local check_gradient = dofile(here .. "/../support/gradient.lua")
local describe, it = test.describe, test.it
local close, equal, raises = test.close, test.same_type, test.raises
local F = tide.nn.functional

describe("losses of pairs", function(device)
  local function tensor(values, dtype)
    return tide.tensor(values, {dtype = dtype or "float64", device = device})
  end

  it("hinge_embedding_loss broadcasts", function()
    local x, target = tensor {{1, 2}, {3, -1}}, tensor({1, -1}, "int64")
    close(F.hinge_embedding_loss(x, target, {margin = 2.5, reduction = "none"}),
      {{1, 0.5}, {3, 3.5}})
    check_gradient(function(x) return F.hinge_embedding_loss(x, target, {margin = 2.5}) end, x)
    raises("hinge_embedding_loss", F.hinge_embedding_loss, x, tensor {1, -1, 1})
  end)
  it("margin_ranking_loss broadcasts over the same number of dimensions", function()
    local a, b, target = tensor {{1, 2}, {3, 4}}, tensor {{1}, {5}}, tensor {{1, -1}}
    local options = {margin = 0.5, reduction = "none"}
    close(F.margin_ranking_loss(a, b, target, options), {{0.5, 1.5}, {2.5, 0}})
    check_gradient(function(a, b) return F.margin_ranking_loss(a, b, target, options) end, a, b)
    raises("the numbers of dimensions differ: (2, 2) and (2)", F.margin_ranking_loss, a, b,
      target[1])
  end)
  it("triplet_margin_loss broadcasts over the same number of dimensions", function()
    local a, p, n = tensor {{1, 2}}, tensor {{1, 3}, {2, 2.5}}, tensor {{0.5}, {1}}
    local function loss(a, p, n) return F.triplet_margin_loss(a, p, n, {reduction = "none"}) end
    close(loss(a, p, n), {0.418858905005, 1.118031647109}, {rtol = 1e-11})
    check_gradient(loss, a, p, n)
    raises("triplet_margin_loss: the numbers of dimensions differ: (1, 2) and (2)",
      F.triplet_margin_loss, a, p, tensor {1, 2})
    raises("triplet_margin_loss", F.triplet_margin_loss, a, p, tensor {{1, 2, 3}})
  end)
  it("cosine_embedding_loss accepts rows or one vector, also of integers", function()
    local a = tensor {{1, 2, 3}, {0, 0, 0}, {2, -1, 0.5}}
    local b = tensor {{3, 1, 0}, {1, 1, 1}, {2, 2, -1}}
    local target = tensor({1, -1, -1}, "int64")
    local options = {margin = -0.5, reduction = "none"}
    close(F.cosine_embedding_loss(a, b, target, options),
      {0.577422872636, 0.5, 0.718217890236}, {rtol = 1e-11})
    close(F.cosine_embedding_loss(a[1], b[1], target[1], options), 0.577422872636, {rtol = 1e-11})
    close(F.cosine_embedding_loss(tensor({{1, 2}, {3, -4}}, "int64"),
      tensor({{2, 1}, {4, 3}}, "int64"), target[{{1, 2}}], {reduction = "none"}), {0.2, 0})
    check_gradient(function(a, b)
      return F.cosine_embedding_loss(a, b, target[{{1, 2}}], {margin = -0.5})
    end, a[{{1, 3, 2}}], b[{{1, 1}}])
  end)
  it("cosine_embedding_loss is 0 for other targets and rejects other shapes", function()
    local a = tensor {{1, 2, 3}, {4, 0, 0}}
    close(F.cosine_embedding_loss(a, a + 1, tensor {0, 3}, {reduction = "none"}), {0, 0})
    raises("vectors with one target", F.cosine_embedding_loss, a, a, tensor(1))
    raises("vectors with one target", F.cosine_embedding_loss, a[1], a[1], tensor {1})
    raises("vectors with one target", F.cosine_embedding_loss, a, a, tensor {{1, 1}})
  end)
  it("cosine_embedding_loss of half types is defined for zeros", function()
    local zeros = tide.zeros({1, 3}, {dtype = "float16", device = device})
    close(F.cosine_embedding_loss(zeros, zeros + 1, tensor {1}), 1)
  end)
end)

describe("margin losses of a single score", function(device)
  local function tensor(values) return tide.tensor(values, {device = device}) end
  local none = {reduction = "none"}

  it("have the shape of the target", function()
    for _, loss in ipairs {F.multi_margin_loss, F.multilabel_margin_loss} do
      close(loss(tensor(0.3), tensor(1)), 0)
      equal(loss(tensor(0.3), tensor(1), none).shape, {})
    end
    equal(F.multi_margin_loss(tensor(0.3), tensor {1}, none).shape, {1})
    equal(F.multi_margin_loss(tensor {0.1, 0.2, 0.4, 0.8}, tensor(4), none).shape, {})
    close(F.multi_margin_loss(tensor {0.1, 0.2, 0.4, 0.8}, tensor {4}, none), {0.325})
    equal(F.multilabel_margin_loss(tensor {0.3}, tensor(1), none).shape, {})
  end)
  it("reject a second target", function()
    raises("got () and (2)", F.multi_margin_loss, tensor(0.3), tensor {1, 1})
    raises("() and (2)", F.multilabel_margin_loss, tensor(0.3), tensor {1, 1})
  end)
end)
