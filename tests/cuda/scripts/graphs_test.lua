-- Repeated random programs: CUDA graphs compute the same as single kernels.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local run = dofile(here .. "/../../scripts/support/random_program.lua")

describe("repeated random programs", function()
  it("have the same values with graphs and without", function()
    local before = tide.statistics().graphs
    for seed = 1, 12 do
      local expected = run(seed, 40, "cuda")
      for turn = 2, 6 do
        for i, tensor in ipairs(run(seed, 40, "cuda")) do
          local ok, message = pcall(test.identical, tensor, expected[i])
          if not ok then error(("program %d, turn %d, tensor %d: %s"):format(seed, turn, i, message)) end
        end
      end
    end
    test.is_true(os.getenv "TIDE_CUDA_GRAPHS" == "0" or tide.statistics().graphs > before)
  end)
end)
