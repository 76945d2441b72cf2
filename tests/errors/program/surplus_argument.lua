local x = tide.ones(2, 3)
assert(x:size(1, nil) == 2) -- a trailing nil does not count
print(x:size(1, 2))
--> tide: surplus_argument.lua:3: size: too many arguments: argument 3 is a number
