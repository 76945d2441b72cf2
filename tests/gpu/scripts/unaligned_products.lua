-- Products of unaligned matrices, biases and batches: the alignments passed to a library must be true.
local test, F = tide.test, tide.nn.functional
local kTurns <const> = tonumber(arg[1] or 3)

--- A view of `shape` that begins `shift` elements into memory, on the cpu and on the device.
local function view(dtype, shift, ...)
  local shape, count = {...}, 1
  for _, size in ipairs(shape) do count = count * size end
  local whole = tide.randn(count + shift):to(dtype)
  local part = {{shift + 1, count + shift}}
  return whole[part]:view(shape), whole:cuda()[part]:view(shape)
end

local tolerance = {
  float32 = {rtol = 1e-4, atol = 1e-4}, float16 = {rtol = 4e-3, atol = 2e-2}, bfloat16 = {rtol = 3e-2, atol = 2e-1},
}
local products = 0
for turn = 1, kTurns do
  tide.manual_seed(turn)
  for dtype, close in pairs(tolerance) do
    for shift = 0, 9 do
      for _, inner in ipairs {16, 15} do
        local x, x_there = view(dtype, shift, 4, inner)
        local w, w_there = view(dtype, (shift * 3) % 8, 8, inner)
        local b, b_there = view(dtype, shift, 8)
        test.close(F.linear(x_there, w_there, b_there):cpu(), F.linear(x, w, b), close)
        -- Batches with odd strides.
        local s, s_there = view(dtype, shift, 3, 5 * inner + 1)
        local part = {{}, {1, 5 * inner}}
        local stack, stack_there = s[part]:view(3, 5, inner), s_there[part]:view(3, 5, inner)
        test.close(stack_there:matmul(w_there:t()):cpu(), stack:matmul(w:t()), close)
        products = products + 2
      end
    end
  end
end
print(products .. " products")
