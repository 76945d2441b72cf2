local optimizer = tide.optim.Adam({tide.ones(1)}, 0.1)
--> tide: rate_by_position.lua:1: Adam: expected a table of options, got number: write {lr = 0.1}
