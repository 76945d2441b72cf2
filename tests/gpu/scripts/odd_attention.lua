-- Attention with odd sizes or unaligned rows, keys and masks, and its gradients, compared with the cpu.
local test, F = tide.test, tide.nn.functional
local close = {rtol = 4e-2, atol = 3e-2}

local function draw(rows, features)
  local x = tide.randn(1, 2, rows, features):to("bfloat16")
  return x:clone():requires_grad_(), x:cuda():requires_grad_()
end

--- `shift`: the mask's offset in elements; nil: no mask.
local function check(rows, keys, features, shift)
  tide.manual_seed(rows + keys)
  local here, there = {}, {}
  for i, length in ipairs {rows, keys, keys} do here[i], there[i] = draw(length, features) end
  local mask, mask_there
  if shift then
    local pack = tide.randn(shift + rows * keys):to("bfloat16")
    local part = {{shift + 1, shift + rows * keys}}
    mask, mask_there = pack[part]:view(rows, keys), pack:cuda()[part]:view(rows, keys)
  end
  local function attend(x, m) return F.scaled_dot_product_attention(x[1], x[2], x[3], m, {}) end
  local y, found = attend(here, mask), attend(there, mask_there)
  test.close(found:cpu(), y, close)
  local dy = tide.randn(y.shape):to("bfloat16")
  local wanted, grads = {tide.grad(y, here, dy)}, {tide.grad(found, there, dy:cuda())}
  for i = 1, 3 do test.close(grads[i]:cpu(), wanted[i], close) end
end

local cases = {{1, 1, 8}, {7, 5, 8}, {33, 65, 16}}
if arg[1] ~= "small" then
  table.move({{129, 257, 64}, {1024, 1001, 64}, {1025, 1024, 8}, {1057, 1031, 64}}, 1, 4, #cases + 1, cases)
end
local count = 0
for _, case in ipairs(cases) do
  for _, shift in ipairs {false, 0, 1, 3} do
    check(case[1], case[2], case[3], shift or nil)
    count = count + 1
  end
end
print(count .. " cases")
