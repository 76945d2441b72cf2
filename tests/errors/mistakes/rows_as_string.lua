-- Two brackets are a string.
print(tide.tensor([[1, 2], [3, 4]]))
--> tide: rows_as_string.lua:2: tensor: expected numbers or booleans, got string; [[ ]] is a string; in Lua: {{1, 2}, {3, 4}}
