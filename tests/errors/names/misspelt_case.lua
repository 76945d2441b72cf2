-- Upper and lower case.
local y = tide.nn.softplus(tide.ones(2))
--> tide: misspelt_case.lua:2: tide.nn.softplus: there is no such name; did you mean 'Softplus'?
