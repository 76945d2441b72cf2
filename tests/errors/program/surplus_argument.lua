local x = tide.ones(2, 3)
assert(x:size(1, nil) == 2) -- nil is no argument
print(x:size(1, 2))
--> tide: surplus_argument.lua:3: size: too many arguments: argument 3 is a number
