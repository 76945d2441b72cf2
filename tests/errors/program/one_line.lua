-- A traceback of the one line that the message names already is left out.
error("stopped here")
--> tide: one_line.lua:2: stopped here
