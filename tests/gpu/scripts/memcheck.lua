-- For compute-sanitizer's memcheck: gathers, views and odd sizes.
local x = tide.randn(37, 53, {device = "cuda"})
local rows = tide.randint(1, 37, {101}, {device = "cuda"})
local total = tide.zeros(37, 53, {device = "cuda"}):index_add(1, rows, x:index_select(1, rows)) + x:flip(1)
local sorted, places = x[{{}, {2, 52}}]:sort(2)
print(total:sum():item(), sorted:gather(2, places):cumsum(1):sum():item())
print(x:t():matmul(x):to("bfloat16"):softmax(-1):sum():item())
