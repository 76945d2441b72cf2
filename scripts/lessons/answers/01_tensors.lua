-- Answers to the exercises of lesson 1, tensors.
--
-- To try them:   tide lesson 1 --answers > mine.lua      and then   tide mine.lua
local tide = require "tide"

local options = tide.args {device = "cpu"}
tide.set_default_device(options.device)

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

-- 1. Make a tensor of the numbers 1 to 12 in 3 rows. Take from it the four numbers in the upper
--    right corner, once as a view and once as a copy. Set all four to 0 in the one of them that
--    changes the tensor.
heading "1. A corner, as a view and as a copy"

local x = tide.range(1, 12):reshape(3, 4)
local view = x[{{1, 2}, {3, 4}}]
local copy = view:clone()
view:zero_() -- the same as x[{{1, 2}, {3, 4}}] = 0
print(x)
print(copy)
assert(x:sum():item() == 78 - (3 + 4 + 7 + 8))
assert(copy:equal(tide.tensor {{3, 4}, {7, 8}}), "the copy is as it was")

-- 2. Make the multiplication table of 1 to 9 from one range and without a loop. Which of its rows
--    has the sum 225?
heading "2. The multiplication table"

-- The range as a column, (9, 1), times the range as a row, (9): broadcast to (9, 9).
local numbers = tide.range(1, 9)
local products = numbers:reshape(9, 1) * numbers
print(products)
assert(products[{7, 8}]:item() == 56)

-- Row n holds n * 1 to n * 9: n times 45. The sum along dimension 2 adds up the columns.
local is_it = products:sum(2):eq(225)
local row = numbers[is_it]:item()
print("the sum 225 has row " .. row)
assert(row == 5)

-- 3. What is the slope of x * x * x at x = 2?
heading "3. The slope of a cube"

local side = tide.tensor(2.0):requires_grad_(true)
local volume = side * side * side
volume:backward()
print("backward says " .. side.grad:item() .. ", 3 * x * x is " .. 3 * 2 * 2)
assert(side.grad:item() == 3 * 2 * 2)
