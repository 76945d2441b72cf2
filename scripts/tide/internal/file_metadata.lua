-- The texts of files that tide.load gives as second results. Readers of arguments leave such a table out at the end, so
-- that `net:load_state_dict(tide.load(path))` can be written.
return setmetatable({}, {__mode = "k"}) -- the tables as keys
