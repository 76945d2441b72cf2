-- Lesson 1: tensors. A little Lua, arrays of numbers, positions and ranges, views, a first slope.
--
-- Run it:        tide lesson 1
-- Read it:       tide lesson 1 --show
-- To change it:  tide lesson 1 --show > mine.lua      and then   tide mine.lua
--
-- Text after two dashes is a comment: words for you, not for the program. Every claim
-- below is checked by an `assert`, so what you read here is what this machine did. Change a line
-- and run it again: the assert that fails tells you what you have just learned.
local tide = require "tide"

local options = tide.args {device = "cpu"}
tide.set_default_device(options.device) -- where tensors are made; lesson 3 is about that

local function heading(text) print(("\n%s\n%s"):format(text, ("-"):rep(#text))) end

-- 1. As much Lua as you need ----------------------------------------------------------------------
-- `local` declares a variable. Strings are in quotes; `..` joins them. In a format string `%d` stands
-- for an integer, `%.2f` for a number with two decimal places: `format` fills them in.
heading "1. As much Lua as you need"

local name, year = "Lua", 1993
print("  " .. name .. (" is from %d; half of that is %.2f"):format(year, year / 2))

-- A table in braces is a list, and its first element has the index 1, not 0. `#` is its length.
-- A table may also have names in it.
local list = {10, 20, 30}
local point = {x = 3, y = 4}
assert(list[1] == 10 and #list == 3 and list[4] == nil)
assert(point.x == 3)

-- A loop from 1 to 3 includes both ends. `ipairs` walks a list.
local total = 0
for i = 1, 3 do total = total + list[i] end
for i, value in ipairs(list) do print(("  list[%d] is %d"):format(i, value)) end
assert(total == 60)

-- Functions take values and return values, also several at once. If the only value is a text or a
-- table, the parentheses may be left out: heading "..." calls the function `heading`.
local function smaller_and_larger(a, b)
  if a < b then return a, b end
  return b, a
end
local low, high = smaller_and_larger(7, 5)
assert(low == 5 and high == 7)

-- `/` always gives a float, `//` divides and rounds down. Not equal is written `~=`.
assert(7 / 2 == 3.5 and 7 // 2 == 3 and 7 % 2 == 1 and 7 ~= 8)

-- An error ends a program. `pcall` calls a function and returns false and the message instead,
-- with the line of the script in front.
local ok, message = pcall(function() return list + 1 end)
assert(not ok)
print("  list + 1:  " .. message)

-- 2. A tensor -------------------------------------------------------------------------------------
-- A table of numbers cannot be added to. A tensor can: it is an array of numbers of one type, and
-- operations apply to all of them. This is what networks are made of.
heading "2. A tensor"

local x = tide.tensor {
  {1, 2, 3},
  {4, 5, 6},
}
print(x)

-- After the values come its shape, its type and its device. Here: 2 rows, 3 columns, 64-bit
-- integers, in the memory of this computer's processor.
--
--                 column 1   2   3
--         row 1          1   2   3
--         row 2          4   5   6         shape (2, 3)
--
assert(x.shape[1] == 2 and x.shape[2] == 3)
assert(x:dim() == 2, "it has two dimensions")
assert(x:numel() == 6, "and six elements")
assert(x.dtype == "int64")
assert(tide.tensor({1.5, 2}).dtype == "float32", "numbers with a point: 32 bits each")

-- Arithmetic goes element by element, with a number or with another tensor.
print(x * 10)
print(x + x)
assert((x + x):equal(x * 2), "equal compares all the numbers")

-- Often you create a tensor without typing its values.
print(tide.zeros(2, 2))
print(tide.range(1, 5))          -- from 1 to 5, both ends, as in a loop
print(tide.linspace(0, 1, 5))    -- five numbers from 0 to 1
print(tide.randn(2, 2))          -- random ones around 0: the same in each run, unless you
                                 -- choose others with tide.manual_seed(7)

-- 3. A dot or a colon -----------------------------------------------------------------------------
-- What a tensor *is* comes after a dot: x.shape, x.dtype, x.device. What it can *do* comes after a
-- colon: x:sum(), x:max(). The colon passes x to the function; the dot does not.
heading "3. A dot or a colon"

print("  x.dtype is " .. x.dtype .. ", x:sum() is " .. x:sum():item())
assert(x:sum():equal(tide.sum(x)), "the same function by its other name")

--- Runs something that fails and shows what it says; checks that these words are in it.
local function fails(line, words, fn)
  local succeeded, complaint = pcall(fn)
  assert(not succeeded and complaint:find(words, 1, true), complaint)
  print(("  %-16s %s"):format(line, complaint))
end
-- Remember these two errors: they are the most common mistakes for users of other
-- languages.
fails("x.sum()", "expected tensor, got nothing", function() return x.sum() end)
fails("x:shape()", "attempt to call a table value", function() return x:shape() end)
-- Unknown names are errors, too, and tide suggests what you may have meant.
fails("x:summ()", "did you mean 'sum'?", function() return x:summ() end)

-- `sum` gave a tensor again, with one element and no dimensions. `item` makes a Lua number of it.
local sum = x:sum()
assert(sum:dim() == 0 and sum:item() == 21)
assert(math.type(sum:item()) == "integer")

-- 4. Positions and ranges -------------------------------------------------------------------------
-- x[2] is the second row: positions start at 1, as in all of Lua, and -1 is the last.
heading "4. Positions and ranges"

print(x[2])
assert(x[2]:equal(tide.tensor {4, 5, 6}))
assert(x[-1]:equal(x[2]))
assert(x[2][3]:item() == 6, "row 2, and of that element 3")

-- A table in the brackets has one entry for each dimension: a position, or a range in braces of
-- its own. A range includes both ends; an empty one means all.
--
--         x[{2, 3}]           row 2, column 3             6
--         x[{{}, 2}]          all rows, column 2          2 5
--         x[{1, {2, 3}}]      row 1, columns 2 to 3       2 3
--         x[{{}, {1, 3, 2}}]  all rows, columns 1 to 3    1 3
--                             in steps of 2               4 6
assert(x[{2, 3}]:item() == 6)
assert(x[{{}, 2}]:equal(tide.tensor {2, 5}))
assert(x[{1, {2, 3}}]:equal(tide.tensor {2, 3}), "both ends: two numbers")
print(x[{{}, {1, 3, 2}}])

fails("x[0]", "positions start at 1, got 0", function() return x[0] end)
fails("x[{1, 4}]", "position out of range: 4 of 3", function() return x[{1, 4}] end)
assert(x[#x + 1] == nil, "the element after the end is nil, so that ipairs stops")

-- Or ask for all elements of which something is true. A comparison is a method, since Lua's own
-- `>` gives one answer and not six: gt is "greater than", and there are lt, ge, le, eq and ne.
print(x:gt(3))
print(x[x:gt(3)])
assert(x[x:gt(3)]:equal(tide.tensor {4, 5, 6}))
fails("x > 3", "elementwise ones are methods", function() return x > 3 end)

-- A sum over rows or columns: the dimension that you name is the one that goes away.
assert(x:sum(1):equal(tide.tensor {5, 7, 9}), "the rows are added up: one number for each column")
assert(x:sum(2):equal(tide.tensor {6, 15}), "the columns are: one number for each row")

-- 5. Views ----------------------------------------------------------------------------------------
-- x[2] is not a copy. It is a view: another way to look at the same numbers. Writing to a
-- view writes to x.
heading "5. Views, and writing"

local row = x[2]
row:fill_(7)  -- methods that end in _ change the tensor itself
print(x)
assert(x:sum():item() == 1 + 2 + 3 + 3 * 7)

-- Writing to positions and ranges goes the same way, with a number or with a tensor that fits.
x[{1, 3}] = 100
x[{{}, 1}] = tide.tensor {-1, -2}
print(x)
assert(row:equal(tide.tensor {-2, 7, 7}), "the view sees it")
fails("x[1] = ones(4)", "(4) and (3) differ", function() x[1] = tide.ones(4) end)

-- The same numbers in another shape are views, too. `t` swaps rows and columns.
local flat, turned = x:reshape(6), x:t()
x[{1, 2}] = 50
assert(flat[2]:item() == 50 and turned[{2, 1}]:item() == 50)

-- `clone` makes a copy: from then on they are two. And `y = x` copies nothing at all: it is one
-- more name for the same tensor.
local copy, other_name = x:clone(), x
x:zero_()
assert(copy:sum():item() ~= 0 and other_name:sum():item() == 0)
print("  after x:zero_() the copy still has the sum " .. copy:sum():item())

-- 6. Shapes that differ ---------------------------------------------------------------------------
-- Two tensors need not have the same shape. Where one of them has size 1, or lacks the dimension,
-- it is used again and again. That is called broadcasting.
--
--         100          1 2 3     101 102 103
--         200    +            =  201 202 203
--        (2, 1)         (3)        (2, 3)
heading "6. Shapes that differ"

local column, line = tide.tensor {{100}, {200}}, tide.tensor {1, 2, 3}
print(column + line)
assert((column + line):equal(tide.tensor {{101, 102, 103}, {201, 202, 203}}))
fails("(3) + (2)", "differ in dimension 1 (3 against 2)", function()
  return line + tide.ones(2)
end)

-- The product of matrices is matmul; `*` is element by element. (2, 3) times (3, 2) is (2, 2):
-- each row of the one with each column of the other.
local a = tide.tensor {{1.0, 2, 3}, {4, 5, 6}}
print(a:matmul(a:t()))
assert(a:matmul(a:t())[{1, 2}]:item() == 1 * 4 + 2 * 5 + 3 * 6)
assert((a * a)[{1, 2}]:item() == 2 * 2)

-- 7. A first slope --------------------------------------------------------------------------------
-- The one thing that makes a tensor library more than a calculator: it can tell how a result would
-- change if you changed what went in. That is the slope, or the gradient.
heading "7. A first slope"

-- The area of a square of side 3 is 9. How fast does it grow with the side? Say that you want to
-- know (requires_grad), compute, and ask (backward). The answer is in `grad`.
local side = tide.tensor(3.0):requires_grad_(true)
local area = side * side
area:backward()
print("  area " .. area:item() .. ", slope " .. side.grad:item())
assert(side.grad:item() == 6, "a side of 3 that grows by a little adds 6 times as much")

-- Check it as you would by hand: make the side a little longer and look.
local little = 1e-3
local longer = (3 + little) ^ 2
print(("  by hand: (%.6f - 9) / %g = %.3f"):format(longer, little, (longer - 9) / little))
assert(math.abs((longer - 9) / little - side.grad:item()) < 1e-2)

-- Only floats can change by a little, so only they have gradients.
fails("of integers", "only floating types have gradients", function()
  return tide.tensor({1, 2}):requires_grad_(true)
end)
print("The next lesson lets a program learn with nothing but this.")

print [[

Exercises
---------
1. Make a tensor of the numbers 1 to 12 in 3 rows. Take from it the four numbers in the upper right
   corner (rows 1 and 2, columns 3 and 4), once as a view and once as a copy. Set all four to 0
   in the one of them that changes the tensor.
2. Make the multiplication table of 1 to 9, as a tensor of shape (9, 9), from one range and without
   a loop. Which of its rows has the sum 225?
3. What is the slope of x * x * x at x = 2? Ask backward, and compare with 3 * x * x.

`tide lesson 1 --answers` shows answers.]]
