-- A type that is not there is not an option left out.
local x = tide.zeros(3, {dtype = tide.flaot16})
--> tide: misspelt_type.lua:2: tide.flaot16: there is no such name; did you mean 'float16'?
