-- A table whose rows are of different length.
local x = tide.tensor({{1, 2}, {3}})
--> tide: ragged_table.lua:2: tensor: rows differ in length or depth: a table of 1 where a table of 2 belongs
