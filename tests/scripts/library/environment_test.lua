-- Environment variables: one table contains those that are read, their help and their documentation.
local native = require "tide.native"
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."

describe("environment variables", function()
  it("are in help and on the page, as in the table", function()
    local help = tide.help "environment"
    local file = assert(io.open(here .. "/../../../docs/environment.md"))
    local page = file:read "a"
    file:close()
    for _, row in ipairs(native.environment()) do
      local line = row.values == "" and ("| `%s` | %s |\n"):format(row.name, row.about)
        or ("| `%s` | %s | %s | %s |\n"):format(row.name, row.values, row.otherwise, row.about)
      test.is_true(page:find(line, 1, true) ~= nil)
      test.is_true(help:find("\n" .. row.name, 1, true) ~= nil)
    end
  end)
  it("of the page are all in the table", function()
    local known = {}
    for _, row in ipairs(native.environment()) do known[row.name] = true end
    for line in io.lines(here .. "/../../../docs/environment.md") do
      local name = line:match "^| `([%u%d_]+)` |"
      test.is_true(not name or known[name])
    end
  end)
end)
