-- For compute-sanitizer's racecheck: kernels whose threads communicate through shared memory.
local x = tide.randn(33, 1025, {device = "cuda"})
print(x:softmax(-1):sum():item(), x:sum(1):sum():item(), x:argmax(2):sum():item())
print((x:sort(2)):sum():item(), (x:topk(7)):sum():item(), x:cumsum(2):sum():item())
print(x[{{1, 33}, {1, 33}}]:add(tide.eye(33, {device = "cuda"}) * 5):det():item())
