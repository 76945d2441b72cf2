-- For compute-sanitizer's synccheck: barriers and shuffles with idle threads.
local x = tide.randn(7, 45, {device = "cuda"})
print(x:logsumexp(2):sum():item(), x:var(2):sum():item(), x:max():item(), x:argsort(2):sum():item())
local a = tide.randn(3, 19, 19, {device = "cuda"})
print(a:matmul(a:transpose(2, 3)):add(tide.eye(19, {device = "cuda"})):cholesky():sum():item())
