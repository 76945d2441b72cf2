print(tide.ones(2).shape())
--> tide: field_called.lua:1: attempt to call a table value (field 'shape'); 'shape' is a field: read it without ()
