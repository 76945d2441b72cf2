-- Classes by their declarations.
local class = require "tide.internal.class"
local reader = require "tide.internal.declare.reader"

--- Makes the class that is declared as `name`, "nn.Linear". Returns it, and what reader.lua returns for what makes
--- objects.
return function(name, base) return class(name:match "[%w_]+$", base), reader(name) end
