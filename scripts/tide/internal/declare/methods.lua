-- Methods whose arguments are parsed and checked before they are called.
local declaration = require "tide.internal.declare.declaration"
local reader = require "tide.internal.declare.reader"

-- What makes and calls objects has readers of its own, or none.
local kOthers <const> = {init = true, forward = true, inherited = true}

local function pass(...) return ... end

--- The method `fn` that reads its arguments first. It does not tail call `fn`, so that the traceback shows the caller.
local function checked(class, receiver, name, fn)
  local declared, read_values = receiver .. ":" .. name, nil
  return function(self, ...)
    if not read_values then
      local file = debug.getinfo(fn, "S").source:match "^=%[tide%] (.*)$"
      if not declaration.of(declared, file) then
        class[name] = fn -- from now on, as nothing is declared
        return pass(fn(self, ...))
      end
      read_values = select(4, reader(declared, file))
    end
    return pass(fn(self, read_values(...)))
  end
end

--- Makes the declared methods of a class read their arguments: what is declared as "module:apply" above
--- `function Module:apply(fn)` gets its values in order. To be called when all of them are there. The methods whose
--- names are in `own` read theirs themselves.
return function(class, receiver, own)
  for name, fn in pairs(class) do
    if type(fn) == "function" and not name:find "^_" and not kOthers[name] and not (own and own[name]) then
      class[name] = checked(class, receiver, name, fn)
    end
  end
end
