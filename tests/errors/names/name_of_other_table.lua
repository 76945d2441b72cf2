-- A name that another table has.
local layer = tide.Linear(3, 2)
--> tide: name_of_other_table.lua:2: tide.Linear: there is no such name; did you mean 'tide.nn.Linear'?
