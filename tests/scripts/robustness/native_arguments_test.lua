-- Functions for the library's own files that scripts can reach: invalid arguments are errors.
local native = require "tide.native"
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it

--- All functions of a table and of the tables in it, by name.
local function functions_of(place, prefix, found)
  for name, value in pairs(place) do
    local path = prefix .. tostring(name)
    if type(value) == "function" then found[#found + 1] = {path, value} end
    if type(value) == "table" and name ~= "functional" and name ~= "methods" then functions_of(value, path .. ".", found) end
  end
  return found
end

--- Functions that change the state of the program on purpose, or wait for input.
local kLeftOut <const> = {
  begin_state = true, end_state = true, begin_step = true, end_step = true, hold_interrupts = true, watch_scopes = true,
  release_interrupts = true, take_interrupt = true, ask_terminal = true, make_folders = true, write_file = true,
}

local kPath <const> = "missing/f"  -- cannot be written

describe("a function of the library's own", function()
  local list = functions_of(native, "", {})
  table.sort(list, function(a, b) return a[1] < b[1] end)
  for _, entry in ipairs(list) do
    local name, fn = entry[1], entry[2]
    if not kLeftOut[name] and not name:find "^profiler%." then
      it("rejects invalid arguments: " .. name, function()
        local x = tide.ones(2, 2)
        for _, arguments in ipairs {{}, {1}, {kPath}, {kPath, kPath}, {x, kPath}, {{}}, {x}, {true, {}, x}, {kPath, {1}, 2, 3}} do
          pcall(fn, table.unpack(arguments))
        end
        pcall(tide.synchronize)
        test.equal((tide.ones(3) + 1):sum():item(), 6)
      end)
    end
  end
end)
