-- Answers to the exercises of lesson 7, is my gpu visible.
--
-- To try them:   tide lesson 7 --answers > mine.lua      and then   tide mine.lua
local tide = require "tide"

local options = tide.args {device = tide.cuda.is_available() and "cuda" or "sim"}
local device = tide.device(options.device)
tide.manual_seed(1)

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

-- 1. In one line: what will a script run on?
heading "1. In one line"

local function what_runs_here()
  if tide.cuda.is_available() then return tide.cuda.get_device_name(0) end
  local reason = tide.info():match("cuda: cannot be used: ([^\n]*)")
  return "cpu: " .. reason
end
print(what_runs_here())
assert(#what_runs_here() > 0)

-- 2. How many numbers of float32 fit into 5.5 GB, and how large a square matrix?
heading "2. What fits"

local numbers = math.floor(5.5 * 2 ^ 30 / 4) -- 4 bytes each; what is in use counts for nothing here
local side = math.floor(numbers ^ 0.5)
print(("%d numbers, so a matrix of %d x %d"):format(numbers, side, side))
assert(numbers == 1476395008 and side == 38423)
-- A product of two such matrices would not fit: it needs three.
local third = math.floor((numbers / 3) ^ 0.5)
print(("three matrices of %d x %d"):format(third, third))

assert(tide.ones(2, {device = device}):sum():item() == 2)
