-- Two GPUs: copies between them, work on both, and their results.
local count = tide.cuda.device_count()
if count < 2 then
  print(("needs two GPUs, found %d"):format(count))
  os.exit(77, true)
end
local test = tide.test
tide.manual_seed(1)
local x = tide.randn(129, 65)
local product = x:t():matmul(x)
for turn = 1, 10 do
  local first, second = x:to("cuda:0"), x:to("cuda:1")
  local there_and_back = (first * turn):to("cuda:1"):to("cuda:0")
  test.equal(there_and_back:cpu(), x * turn)
  local products = {first:t():matmul(first), second:t():matmul(second)}
  test.equal(products[1]:cpu(), products[2]:cpu())
  test.close(products[1]:cpu(), product, {rtol = 1e-4, atol = 1e-3})
  test.close((products[1] + products[2]:to("cuda:0")):cpu(), product * 2, {rtol = 1e-4, atol = 1e-3})
end
print "two GPUs agree"
