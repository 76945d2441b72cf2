-- The code in the pages of the packages: the Lua blocks of a page, in order, form a script that runs.
local test = require "tide.test"
local describe, it = test.describe, test.it

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local run = dofile(here .. "/../support/program.lua")
local own_folder = dofile(here .. "/../support/own_folder.lua")

--- The lines of a document, empty outside of its Lua code, so that errors show the document's line numbers.
local function code_of(path)
  local lines, is_code = {}, false
  for line in io.lines(path) do
    if line:find "^```" then
      is_code = line == "```lua"
      line = ""
    end
    lines[#lines + 1] = is_code and line or ""
  end
  return table.concat(lines, "\n")
end

describe("the page", function()
  local folder = own_folder()
  for _, name in ipairs {"data", "nn", "tools", "training", "vision"} do
    it(name .. ".md has code that runs", function()
      local path = ("%s/%s.lua"):format(folder(), name)
      local file <close> = assert(io.open(path, "w"))
      file:write(code_of(("%s/../../../docs/%s.md"):format(here, name)))
      file:close()
      local output, succeeded = run(path)
      assert(succeeded, output)
    end)
  end
end)
