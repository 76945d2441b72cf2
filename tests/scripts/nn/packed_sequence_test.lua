-- Packed sequences, and recurrent layers over them.
local tide = require "tide"
local test = require "tide.test"
local describe, it, equal, raises = test.describe, test.it, test.same_type, test.raises
local nn = tide.nn
local rnn = nn.utils.rnn

local function wave(n, step, fn, shape)
  return tide[fn](tide.arange(0, n, 1, {dtype = "float64"}) * step):reshape(shape)
end

describe("packed sequences", function(device)
  it("store step after step, the longest sequences first", function()
    local x = wave(32, 0.7, "cos", {4, 4, 2}):to(device)
    local packed = rnn.pack_padded_sequence(x, {2, 4, 1, 2}, {enforce_sorted = false})
    equal(packed.batch_sizes:tolist(), {4, 3, 1, 1})
    equal(packed.sorted_indices:tolist(), {2, 1, 4, 3}) -- PyTorch: 1, 0, 3, 2
    equal(packed.unsorted_indices:tolist(), {2, 1, 4, 3})
    test.close(packed.data[{ {1, 3} }], {{0.16996714290024104, -0.5048461045998571},
      {1.0, 0.7648421872844885}, {-0.4902608213407002, 0.18651236942257488}}, {rtol = 1e-12})
    local sorted = rnn.pack_padded_sequence(x, tide.tensor {4, 2, 2, 1})
    equal(sorted.sorted_indices, nil)
    test.close(sorted.data[{ {1, 3} }], {{1.0, 0.7648421872844885},
      {0.16996714290024104, -0.5048461045998571}, {-0.9422223406686581, -0.9364566872907963}},
      {rtol = 1e-12})
  end)
  it("are unpacked to the original, with gradients", function()
    for _, batch_first in ipairs {false, true} do
      local x = tide.range(1, 24, {device = device, dtype = "float32"}):reshape(3, 4, 2)
      local batch, lengths = batch_first and 3 or 4, batch_first and {1, 4, 2} or {3, 1, 2, 3}
      x:requires_grad_()
      local packed = rnn.pack_padded_sequence(x, lengths, batch_first, false)
      local padded, found = rnn.pad_packed_sequence(packed, batch_first, -1)
      equal(found:tolist(), lengths)
      local rows = batch_first and padded or padded:transpose(1, 2)
      local from = batch_first and x or x:transpose(1, 2)
      for i = 1, batch do
        local n = lengths[i]
        test.equal(rows[i]:narrow(1, 1, n), from[i]:narrow(1, 1, n))
        local rest = rows:size(2) - n
        if rest > 0 then equal(rows[i]:narrow(1, n + 1, rest):max():item(), -1.0) end
      end
      local longer = rnn.pad_packed_sequence(packed, {batch_first = batch_first, total_length = 6})
      equal(longer:size(batch_first and 2 or 1), 6);
      (padded * 2):sum():backward()
      local kept = 0
      for _, n in ipairs(lengths) do kept = kept + n end
      equal(x.grad:sum():item(), 4.0 * kept)
    end
    local list = {tide.tensor {1, 2}, tide.tensor {3}, tide.tensor {4, 5, 6}}
    local packed = rnn.pack_sequence(list, {enforce_sorted = false})
    equal(packed.data:tolist(), {4, 1, 3, 5, 2, 6})
    for i, sequence in ipairs(rnn.unpack_sequence(packed)) do test.equal(sequence, list[i]) end
    equal(packed:to("float64").data.dtype, "float64")
    for name, type in pairs {
      double = "float64", half = "float16", int = "int32", cpu = "int64", long = "int64",
    } do
      local other = packed[name](packed)
      equal(other.data.dtype, type)
      for i, sequence in ipairs(rnn.unpack_sequence(other)) do
        test.equal(sequence, list[i]:to(type))
      end
    end
    equal(packed:is_pinned(), false)
    equal(packed:pin_memory().data:tolist(), {4, 1, 3, 5, 2, 6})
  end)
  it("report mismatches", function()
    local x = tide.ones(3, 2, 1)
    raises("lengths must not increase (3 after 1)", rnn.pack_padded_sequence, x, {1, 3})
    raises("length 1 must be an integer in 1..3, got 0", rnn.pack_padded_sequence, x, {0, 3})
    raises("length 2 must be an integer in 1..3, got 4", rnn.pack_padded_sequence, x, {3, 4})
    raises("1 lengths for 2 sequences", rnn.pack_padded_sequence, x, {3})
    raises("total_length must be at least 3, got 2", rnn.pad_packed_sequence,
      rnn.pack_padded_sequence(x, {3, 1}), {total_length = 2})
    raises("expected a PackedSequence, got tensor", rnn.pad_packed_sequence, x)
    raises("the input has 1 features, the layer expects 2",
      function() nn.GRU(2, 2)(rnn.pack_padded_sequence(x, {3, 1})) end)
  end)
end)

describe("recurrent layers over packed sequences", function(device)
  --- PyTorch's loss and weighted gradients of the parameters, the input, h and c, of two bidirectional
  --- layers: printed with 12 digits after the point.
  local expected = {
    RNN = {
      [true] = {-3.928412922048, 44.797095094028, -1.983741608186, -2.526980467400},
      [false] = {-0.184760056282, 30.189756863071, -2.989586606282, -1.332859752120},
    },
    LSTM = {
      [true] = {-6.076096754403, -20.777727849578, 4.420582068373, -2.049920965898, 9.217744833543},
      [false] = {0.800267749571, -22.332644775138, 3.753163694821, -1.077612004078, 8.159063006098},
    },
    GRU = {
      [true] = {-0.137818570793, 0.993457492020, -0.787186962592, -3.484330745390},
      [false] = {-3.226389108032, 1.811803839481, -0.539302198038, -2.120118230424},
    },
  }
  for kind, answers in pairs(expected) do
    it(("%s has PyTorch's outputs, states and gradients"):format(kind), function()
      for enforce, answer in pairs(answers) do
        local layer = nn[kind](2, 3, 2, {bidirectional = true, dtype = "float64"})
        local k = 0
        for _, p in ipairs(layer:parameters()) do
          local n = p:numel()
          p.data = ((tide.arange(0, n, 1, {dtype = "float64"}) + k):sin() * 0.5):reshape(p.shape)
          k = k + n
        end
        layer:to(device)
        local lengths = enforce and {4, 2, 2, 1} or {2, 4, 1, 2}
        local x = wave(32, 0.7, "cos", {4, 4, 2}):to(device):requires_grad_()
        local h = wave(48, 0.3, "sin", {4, 4, 3}):to(device):requires_grad_()
        local c = wave(48, 0.2, "cos", {4, 4, 3}):to(device):requires_grad_()
        local packed = rnn.pack_padded_sequence(x, lengths, {enforce_sorted = enforce})
        local y, state = layer(packed, kind == "LSTM" and {h, c} or h)
        local out, found = rnn.pad_packed_sequence(y)
        equal(out.shape, {4, 4, 6})
        equal(found:tolist(), lengths)
        local loss = (out * wave(96, 0.11, "sin", {4, 4, 6}):to(device)):sum()
        for i, s in ipairs(kind == "LSTM" and state or {state}) do
          loss = loss + (s * wave(48, 0.13, "cos", {4, 4, 3}):to(device)):sum() * (i + 0.5)
        end
        loss:backward()
        local sum = 0
        for _, p in ipairs(layer:parameters()) do
          sum = sum + (p.grad * wave(p:numel(), 0.17, "cos", p.shape):to(device)):sum():item()
        end
        local function weighted(t, step)
          return (t.grad * wave(t:numel(), step, "sin", t.shape):to(device)):sum():item()
        end
        local got = {loss:item(), sum, weighted(x, 0.19), weighted(h, 0.23)}
        if kind == "LSTM" then got[5] = weighted(c, 0.29) end
        test.close(tide.tensor(got, {dtype = "float64"}), answer, {atol = 2e-12, rtol = 1e-12})
      end
    end)
  end
  it("compute each sequence as if it were alone", function()
    tide.manual_seed(5)
    local list = {}
    for i, n in ipairs {2, 5, 1, 3} do list[i] = tide.randn(n, 3, {device = device}) end
    for _, kind in ipairs {"RNN", "LSTM", "GRU"} do
      local options = {bidirectional = true, batch_first = true}
      if kind == "LSTM" then options.proj_size = 2 end
      local layer = nn[kind](3, 4, 2, options):to(device)
      local y, state = layer(rnn.pack_sequence(list, {enforce_sorted = false}))
      for i, out in ipairs(rnn.unpack_sequence(y)) do
        local alone, last = layer(list[i])
        test.close(out, alone, {atol = 1e-6})
        if kind == "LSTM" then
          for k = 1, 2 do test.close(state[k]:select(2, i), last[k], {atol = 1e-6}) end
        else
          test.close(state:select(2, i), last, {atol = 1e-6})
        end
      end
    end
  end)
end)
