-- A script of about 50 ops of every kind that a device runs, for tests that make one of them fail.
local tide = require "tide"
local functional = tide.nn.functional

--- Calls read(value) for each result, in order.
local function run(device, read)
  local options = {device = device}
  tide.manual_seed(3)
  local x = tide.randn({24, 16}, options)
  local weight = tide.randn({16, 10}, options)
  local host = tide.tensor {3, 1, 2, 4}

  -- Chains, matmuls, rows.
  local hidden = (x:matmul(weight) * 0.5 - 1):tanh()
  read(hidden:softmax(2):sum(1))
  read(functional.layer_norm(hidden, {10}):mean(1))
  -- Two steps for one sum: its parts, and their sum.
  local long = tide.arange(200000, options):to("float32")
  read((long % 97):sum())
  read(((long % 13) * 0.5):reshape(2, 100000):sum(2))
  -- Parts of values written in place, and values written while the old ones are still referenced.
  local grid = tide.zeros({6, 8}, options)
  grid[{{2, 4}, {3, 5}}] = 2
  grid[1] = grid[3] + 1
  local before = grid:clone()
  local held = grid:detach():narrow(1, 1, 2):clone()
  grid:add_(held:sum())
  grid:t():mul_(0.5)
  grid[{{}, 2}] = before[{{}, 3}]
  read(grid)
  read(before - held:sum())
  -- Compute ops: sorting, indexing, windows.
  local position = host:to(device)
  read(x:index_select(1, position):cumsum(2))
  local sorted, order = x:sort(1)
  read(sorted[1])
  read(order[24])
  read(x:gather(1, order):sum(1))
  local images = tide.rand({2, 3, 9, 9}, options)
  local kernel = tide.randn({4, 3, 3, 3}, options)
  local maps = functional.max_pool2d(functional.relu(functional.conv2d(images, kernel)), 2)
  read(maps:sum({3, 4}))
  read(tide.cat({maps[1]:flatten(), long[{{1, 5}}]}))
  -- Other types, and copies to another device and back.
  read((x * 100):to("int32") // 7)
  read(x:to("float16"):to("cpu", {non_blocking = true}):to(device):to("float32"):amax(2))
  -- Gradients.
  local leaf = tide.randn({16, 4}, options):requires_grad_()
  local loss = functional.cross_entropy(x:matmul(leaf), tide.randint(1, 4, {24}, options))
  loss:backward()
  read(loss)
  read(leaf.grad)
end

return run
