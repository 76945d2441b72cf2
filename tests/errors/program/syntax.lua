local x = = 1
--> tide: syntax.lua:1: unexpected symbol near '='
