-- Fills the memory of the process with one kind of object after another, up to a number of each, and
-- computes something in between. Prints the number of successes.
local tide = require "tide"
local nn = tide.nn
local most = tonumber(arg[1])

local x = tide.arange(1, 6)
local function compute() return (x * 2):sum():item() end
local right = compute()

local computed = 0
local fillers = {
  function(i, kept) kept[i] = {i} end,
  function(i, kept) kept[i] = ("x"):rep(1000) .. i end,
  function(i, kept) kept[i] = x[i % 6 + 1] end,
  function(i, kept) kept[i] = nn.Linear(100, 100) end,
  function(i, kept) kept[i] = tide.ones(1000):tolist() end,
  function(i, kept) kept[i] = tide.zeros(i % 5000 + 1) + 1 end,
  function(i, kept)
    local y = tide.ones({1000}, {requires_grad = true});
    (y * y):sum():backward()
    kept[i] = y.grad
  end,
  function(i, kept)
    kept[i] = (kept[i - 1] or tide.ones({10000}, {requires_grad = true})):sin() * 2
  end,
}
for _ = 1, 2 do
  for _, fill in ipairs(fillers) do
    local ok, message = pcall(function()
      local kept = {}
      for i = 1, most do fill(i, kept) end
    end)
    assert(ok or tostring(message):find "memory", message)
    for _ = 1, 3 do collectgarbage() end
    for _ = 1, 3 do
      local found, result = pcall(compute)
      assert(found and result == right or not found and result:find "memory", result)
      if found then
        computed = computed + 1
        break
      end
    end
  end
end
print(computed)
