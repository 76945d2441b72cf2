-- Functions written in C++ read the same arguments in the same way by position, which is a fast path, and otherwise.
local test = require "tide.test"
local describe, it, equal, raises = test.describe, test.it, test.equal, test.raises

describe("arguments of functions in C++", function()
  local x = tide.ones(2, 3)

  it("may be floats without a fraction", function()
    equal({x:size(1), x:size(1.0), x:size(-1), x:size(-1.0), x:size {dim = 1}}, {2, 2, 3, 3, 2})
  end)
  it("may be left out, nil, or empty options", function()
    equal({x:size(), x:size(nil), x:size {}, x:size(nil, nil)}, {{2, 3}, {2, 3}, {2, 3}, {2, 3}})
    equal(x:size(1, nil), 2)
  end)
  it("have the same errors", function()
    raises("size: dimensions start at 1, got 0", function() x:size(0) end)
    raises("size: dim: expected an integer, got 1.5", function() x:size(1.5) end)
    raises("size: argument 2 (dim): expected dimension, got string", function() x:size "1" end)
    raises("size: too many arguments: argument 3 is a number", function() x:size(1, 2) end)
    raises("size: unknown option 'dims'", function() x:size {dims = 1} end)
    raises("size: argument 1 (x): expected tensor, got number", function() x.size(1) end)
    raises("dim: argument 1 (x): expected tensor, got nothing", function() x.dim() end)
    raises("dim: too many arguments", function() x:dim(1) end)
  end)
  it("may be any value", function()
    equal({tide.is_tensor(x), tide.is_tensor(nil), tide.is_tensor()}, {true, false, false})
    equal(tide.is_tensor {dim = 1}, false)
  end)
end)
