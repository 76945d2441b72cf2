-- Ops that cuBLASLt and cuDNN support. The log (TIDE_LOG=1) shows which library ran them.
local F = tide.nn.functional

local rows, images, side, heads, length, features = 4096, 16, 56, 16, 2048, 64
if arg[1] == "small" then rows, images, side, heads, length, features = 64, 2, 9, 8, 576, 8 end

local function draw(...) return tide.randn({...}, {device = "cuda"}):to("bfloat16"):requires_grad_() end

--- Reads a number that depends on fn(...) and on the gradients of its arguments.
local function run(name, fn, ...)
  local y = fn(...)
  local sum = y:detach():float():sum()
  for _, grad in ipairs {tide.grad(y, {...}, {grad_outputs = tide.ones_like(y)})} do sum = sum + grad:float():sum() end
  print(name, sum:item())
end

run("product", tide.matmul, draw(rows, rows), draw(rows, rows))
local function narrow() return tide.randn(rows, rows, {device = "cuda"}):to("float8_e4m3fn") end
print("product of float8", tide.scaled_mm(narrow(), narrow():t(), 1, 1):float():sum():item())
run("convolution", function(x, weight) return F.conv2d(x, weight, nil, {padding = 1}) end,
  draw(images, 64, side, side), draw(64, 64, 3, 3))
run("attention", F.scaled_dot_product_attention, draw(2, heads, length, features),
  draw(2, heads, length, features), draw(2, heads, length, features))
