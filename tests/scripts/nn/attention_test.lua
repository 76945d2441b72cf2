-- Attention with scores computed in parts: the same values and gradients as the formula.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local F = tide.nn.functional

--- softmax(q k' / sqrt(features) + mask) v, with all scores at once.
local function written_out(q, k, v, options)
  local scores = q:matmul(k:transpose(-2, -1)) * (options.scale or q.shape[#q.shape] ^ -0.5)
  local rows, keys = q.shape[#q.shape - 1], k.shape[#k.shape - 1]
  local mask = options.attn_mask
  if options.is_causal then mask = tide.ones(rows, keys):tril():bool():to(q.device) end
  if mask then
    scores = mask.dtype == "bool" and scores:masked_fill(~mask, -math.huge) or scores + mask
  end
  return scores:softmax(-1):matmul(v)
end

describe("attention in parts", function()
  local cases = {
    {"stacks", {3, 4, 300, 5}, {3, 4, 350, 5}, {3, 4, 350, 6}},
    {"long rows", {1100, 4}, {1200, 4}, {1200, 3}},
    {"stacks of long rows", {2, 1100, 4}, {2, 1200, 4}, {2, 1200, 3}},
    {"causal", {2, 1100, 4}, {2, 1200, 4}, {2, 1200, 3}, {is_causal = true}},
    {"causal, few keys", {1300, 4}, {900, 4}, {900, 3}, {is_causal = true}},
    {"keys that stacks share", {3, 1, 1100, 4}, {1, 2, 500, 4}, {500, 3}},
    {"queries that stacks share", {700, 4}, {4, 600, 4}, {4, 600, 3}, {scale = 0.3}},
    {"a mask of all", {2, 1100, 4}, {2, 1000, 4}, {2, 1000, 3}, {attn_mask = {1100, 1000}}},
    {"a mask of stacks", {2, 3, 500, 4}, {2, 3, 600, 4}, {2, 3, 600, 3}, {attn_mask = {2, 1, 1, 600}}},
    {"what may be seen", {3, 700, 4}, {3, 800, 4}, {3, 800, 3}, {attn_mask = {700, 800}, bool = true}},
  }
  for _, case in ipairs(cases) do
    local name, q_shape, k_shape, v_shape, options = table.unpack(case)
    it("agrees with the formula: " .. name, function()
      tide.manual_seed(1)
      options = options or {}
      local given = {scale = options.scale, is_causal = options.is_causal}
      local q, k, v = tide.randn(q_shape), tide.randn(k_shape), tide.randn(v_shape)
      local inputs = {q, k, v}
      if options.attn_mask then
        given.attn_mask = tide.randn(options.attn_mask)
        if options.bool then
          given.attn_mask = given.attn_mask:gt(0)
        else
          inputs[4] = given.attn_mask
        end
      end
      for _, x in ipairs(inputs) do x:requires_grad_() end
      local y, expected = F.scaled_dot_product_attention(q, k, v, given), written_out(q, k, v, given)
      test.close(y, expected, {rtol = 1e-5, atol = 1e-6})
      local weight = tide.randn(y.shape)
      local grads = {tide.grad(y, inputs, weight)}
      local wanted = {tide.grad(expected, inputs, weight)}
      for i = 1, #inputs do test.close(grads[i], wanted[i], {rtol = 1e-4, atol = 1e-5}) end
    end)
  end

  it("returns zeros for a query that attends to no key", function()
    tide.manual_seed(4)
    local may = tide.ones(3, 5):bool()
    may[2] = false
    for _, mask in ipairs {may, tide.zeros(3, 5):masked_fill(~may, -math.huge)} do
      local q, k, v = tide.randn(3, 4):requires_grad_(), tide.randn(5, 4):requires_grad_(), tide.randn(5, 4)
      local y = F.scaled_dot_product_attention(q, k, v, {attn_mask = mask})
      test.same_type(y[2]:tolist(), {0.0, 0.0, 0.0, 0.0})
      local by_query, by_key = tide.grad(y:sum(), {q, k})
      test.same_type(by_query[2]:tolist(), {0.0, 0.0, 0.0, 0.0})
      local seen = tide.tensor {1, 3}
      local rest = F.scaled_dot_product_attention(q[seen], k, v)
      test.close(y[seen], rest)
      test.close(by_key, tide.grad(rest:sum(), {k}))
    end
  end)

  it("of several heads returns zeros for a sequence that is all padding, with and without weights", function()
    tide.manual_seed(5)
    local layer = tide.nn.MultiheadAttention(8, 2, {batch_first = true, dtype = "float64"})
    local x = tide.randn(2, 4, 8, {dtype = "float64"})
    local padding = tide.tensor {{true, true, true, true}, {false, false, true, true}}
    local function run(need_weights)
      layer:zero_grad()
      local y, weights = layer(x, x, x, {key_padding_mask = padding, need_weights = need_weights})
      y:square():sum():backward()
      return y, layer.in_proj_weight.grad:clone(), weights
    end
    local y, grad, weights = run(true)
    local fast_y, fast_grad = run(false)
    test.is_true(y:isfinite():all():item() and grad:isfinite():all():item())
    test.close(y, fast_y, {rtol = 1e-12})
    test.close(grad, fast_grad, {rtol = 1e-10, atol = 1e-14})
    test.same_type(weights[1]:sum():item(), 0.0)
    test.close(weights[2]:sum(-1), tide.ones(4):double())
  end)

  it("has second derivatives", function()
    tide.manual_seed(2)
    local q, k, v = tide.randn(1100, 2), tide.randn(1000, 2), tide.randn(1000, 2)
    local function twice(attention)
      local x = q:double():requires_grad_()
      local y = attention(x, k:double(), v:double(), {})
      local slope = tide.grad((y * y):sum(), {x}, nil, {create_graph = true})
      return (tide.grad((slope * slope):sum(), {x}))
    end
    test.close(twice(F.scaled_dot_product_attention), twice(written_out), {rtol = 1e-9, atol = 1e-12})
  end)

  it("drops the same weights in both passes", function()
    tide.manual_seed(3)
    -- Equal scores: each row of the result is the fraction of the values that are kept, divided by 1 - p.
    local q, k = tide.zeros(1100, 2), tide.zeros(1000, 2)
    local v = tide.ones(1000, 1):requires_grad_()
    local y = F.scaled_dot_product_attention(q, k, v, {dropout_p = 0.25})
    test.close(y:mean(), tide.tensor(1.0), {atol = 0.01, rtol = 0})
    test.is_true(y:std():item() > 0.01)
    local weight = tide.randn(1100, 1)
    local grad = tide.grad((y * weight):sum(), {v})
    -- Both are sums over the same kept weights: w' y = w' (P v) = (P' w)' v.
    test.close((grad * v):sum(), (y * weight):sum(), {rtol = 1e-4, atol = 1e-4})
  end)

  -- Larger scores show rounding more clearly.
  local function check_halves(size, atol)
    tide.manual_seed(4)
    local inputs, wide = {}, {}
    for i, shape in ipairs {{1100, 4}, {1000, 4}, {1000, 3}} do
      inputs[i] = (tide.randn(shape) * (i < 3 and size or 1)):half():requires_grad_()
      wide[i] = inputs[i]:detach():float():requires_grad_()
    end
    local y = F.scaled_dot_product_attention(table.unpack(inputs))
    local expected = written_out(wide[1], wide[2], wide[3], {})
    test.equal(y.dtype, "float16")
    test.close(y, expected:half(), {rtol = 1e-3, atol = atol})
    local weight = tide.randn(y.shape):half()
    local grads, wanted = {tide.grad(y, inputs, weight)}, {tide.grad(expected, wide, weight:float())}
    for i = 1, 3 do
      test.equal(grads[i].dtype, "float16")
      test.close(grads[i], wanted[i]:half(), {rtol = 2e-3, atol = 2e-3 * wanted[i]:abs():max():item()})
    end
  end

  it("computes scores and sums of half types in float32", function()
    check_halves(1, 1e-4)
    check_halves(3, 3e-4)
  end)

  it("needs only the memory of a few parts", function()
    local n = 4096
    local q = tide.randn(n, 8):requires_grad_()
    tide.synchronize()
    tide.reset_peak_memory_stats()
    local before = tide.memory_allocated()
    F.scaled_dot_product_attention(q, q, q):sum():backward()
    tide.synchronize()
    local share = (tide.max_memory_allocated() - before) / (4 * n * n)
    test.is_true(share < 0.7, "memory of " .. share .. " times the scores")
  end)

  it("keeps up to 2^21 scores for the backward pass, otherwise none", function()
    -- {stacks, queries, keys, whether they are kept}
    for _, case in ipairs {{1, 1024, 2048, true}, {1, 1024, 2049, false}, {1, 512, 4096, true},
      {1, 513, 4096, false}, {2, 1024, 1024, true}, {2, 1024, 1025, false}} do
      local n, rows, keys, kept = table.unpack(case)
      tide.manual_seed(6)
      local inputs = {tide.randn(n, rows, 2), tide.randn(n, keys, 2), tide.randn(n, keys, 3)}
      for _, x in ipairs(inputs) do x:requires_grad_() end
      local weight = tide.randn(n, rows, 3)
      collectgarbage()
      tide.synchronize()
      local before = tide.memory_allocated()
      local y = F.scaled_dot_product_attention(table.unpack(inputs))
      y:sum():item()
      collectgarbage()
      tide.synchronize()
      test.equal(tide.memory_allocated() - before >= 4 * n * rows * keys, kept)
      local expected = written_out(inputs[1], inputs[2], inputs[3], {})
      test.close(y, expected, {rtol = 1e-4, atol = 1e-6})
      local grads, wanted = {tide.grad(y, inputs, weight)}, {tide.grad(expected, inputs, weight)}
      for i = 1, 3 do test.close(grads[i], wanted[i], {rtol = 1e-4, atol = 1e-5}) end
    end
  end)

  it("reports a mask with the wrong shape", function()
    local x = tide.ones(5, 4)
    test.raises("a mask of (4, 5) does not fit scores of (5, 5)",
      function() F.scaled_dot_product_attention(x, x, x, tide.ones(4, 5)) end)
    test.raises("the mask must be of bool, float32 or the type of the query",
      function() F.scaled_dot_product_attention(x, x, x, tide.ones(5, 5):long()) end)
  end)
end)

describe("multi_head_attention_forward", function(device)
  --- cos(0), cos(step), cos(2 step), ... in a shape.
  local function waves(step, ...)
    local count = 1
    for _, size in ipairs {...} do count = count * size end
    return (tide.arange(count, {dtype = "float64", device = device}) * step):cos():reshape(...)
  end

  it("agrees with PyTorch's output and weights, with learned and zero keys and padding", function()
    local query, keys = waves(0.7, 2, 1, 4), waves(1.3, 3, 1, 4)
    local output, weights = F.multi_head_attention_forward(query, keys, keys, 4, 2,
      waves(0.9, 12, 4), waves(0.3, 12), waves(0.5, 1, 1, 4), waves(0.6, 1, 1, 4), true, 0.5,
      waves(1.1, 4, 4), waves(0.2, 4), {
        training = false,
        key_padding_mask = tide.tensor({{false, false, true}}, {device = device}),
      })
    test.close(output, {{{1.22058291096, 1.56335339792, 0.341951658175, 0.598007463258}},
      {{-0.226468125306, 1.37918602752, 1.90220406744, -0.17685886801}}}, {rtol = 1e-10})
    test.close(weights, {{
      {0.223513692722, 0.0389010388073, 0, 0.544436500719, 0.193148767752},
      {0.113367754767, 0.389718545161, 0, 0.293865189546, 0.203048510526},
    }}, {rtol = 1e-10})
  end)
  it("agrees with the module whose weights it uses", function()
    tide.manual_seed(1)
    local options = {kdim = 3, vdim = 2, dtype = "float64", device = device}
    local module = tide.nn.MultiheadAttention(4, 2, options)
    local query, key, value = waves(0.7, 5, 2, 4), waves(0.4, 6, 2, 3), waves(1.1, 6, 2, 2)
    local output, weights = F.multi_head_attention_forward(query, key, value, 4, 2, nil,
      module.in_proj_bias, nil, nil, false, 0.0, module.out_proj.weight, module.out_proj.bias, {
        use_separate_proj_weight = true, q_proj_weight = module.q_proj_weight,
        k_proj_weight = module.k_proj_weight, v_proj_weight = module.v_proj_weight,
      })
    local expected, own = module(query, key, value)
    test.close(output, expected)
    test.close(weights, own)
  end)
  it("reports missing arguments", function()
    local x, weight = waves(1, 3, 1, 4), waves(1, 12, 4)
    test.raises("out_proj_weight is missing", F.multi_head_attention_forward, x, x, x, 4, 2, weight)
    test.raises("do not divide into 3 heads", F.multi_head_attention_forward, x, x, x, 4, 3, weight)
    test.raises("expected 5 features, got 4", F.multi_head_attention_forward, x, x, x, 5, 1,
      weight)
  end)
end)
