-- For compute-sanitizer's initcheck: results assembled from parts, and workspaces.
local x = tide.randn(31, 17, {device = "cuda"})
local wide = tide.cat({x, x * 2, x[{{}, {1, 3}}]}, 2)
print(wide:sum():item(), tide.nn.functional.pad(x, {1, 2, 3, 4}):sum():item(), x:unique():numel())
local y = tide.randn(2, 3, 19, 21, {device = "cuda"})
local weight = tide.randn(5, 3, 3, 3, {device = "cuda"})
print(tide.nn.functional.conv2d(y, weight, nil, {padding = 1}):sum():item(), x:matmul(x:t()):sum():item())
