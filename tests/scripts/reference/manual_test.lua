-- `tide manual`: pages with every public name, and annotations for editors.
local annotations = require "tide.manual.annotations"
local entries = require "tide.reference"
local manual = require "tide.manual.manual"
local test = require "tide.test"
local describe, it = test.describe, test.it

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local run = dofile(here .. "/../support/program.lua")

local function text_of(path)
  local file <close> = assert(io.open(path))
  return file:read "a"
end

describe("tide manual", function()
  local folder = os.tmpname()
  os.remove(folder)

  it("writes a page for each family, and every signature on one of them", function()
    local output, succeeded = run("manual " .. folder)
    if not succeeded then error(output) end
    test.equal(manual.left_out(), {})
    local pages = {}
    for name in text_of(folder .. "/README.md"):gmatch "%((%l+%.md)%)" do
      pages[#pages + 1] = text_of(folder .. "/" .. name)
    end
    local all, missing = table.concat(pages), {}
    for _, entry in ipairs(entries) do
      local there = all:find("\n" .. entry.signature, 1, true) and all:find(entry.doc, 1, true)
      if not there then missing[#missing + 1] = entry.signature end
    end
    test.equal(missing, {})
    local sqrt = all:match "### sqrt\n.-\n### "
    for _, line in ipairs {"x:sqrt() -> Tensor", "tide.sqrt(input) -> Tensor",
      "- `input`: tensor: the tensor",
      "- types of `input`: floating, float8; integer, bool -> float32",
      "- shapes, as in the example: (2) -> (2)", "- gradient: yes; waits: no",
      "tide.tensor{1.0, 4}:sqrt() --> {1.0, 2.0}"} do
      if not sqrt:find(line, 1, true) then error(line .. " is missing in " .. sqrt) end
    end
    os.execute(("rm -r '%s'"):format(folder))
  end)
  it("reports invalid arguments", function()
    local output, succeeded = run "manual"
    test.is_false(succeeded)
    test.is_true(output:find("manual: expected a folder, with --html for a site, or --luals", 1, true))
  end)
end)

describe("tide manual --luals", function()
  local path = os.tmpname()
  local output, succeeded = run("manual --luals " .. path)
  local text = text_of(path)
  os.remove(path)

  it("writes Lua that loads and defines all names", function()
    if not succeeded then error(output) end
    test.equal(text, annotations.text())
    local made = {}
    local library = assert(load(text, "=annotations", "t", made))()
    test.equal(library, made.tide)
    local missing = {}
    for _, entry in ipairs(entries) do
      local value = made
      for name in entry.called_as:gmatch "[^.]+" do value = value and value[name] end
      local wanted = entry.called_as:find "^tide%.[%w_.]+$"
      if wanted and value == nil then missing[#missing + 1] = entry.called_as end
    end
    test.equal(missing, {})
  end)
  it("names every method and field", function()
    local missing = {}
    for _, entry in ipairs(entries) do
      local receiver, name = entry.called_as:match "^(%l+)([.:][%w_]+)$"
      if receiver and receiver ~= "tide" then
        local line = name:sub(1, 1) == ":" and ("\nfunction %%u%%l+%s%%("):format(name)
          or ("\n---@field %s "):format(name:sub(2))
        if not text:find(line) then missing[#missing + 1] = entry.called_as end
      end
    end
    test.equal(missing, {})
  end)
  it("has types and overloads", function()
    for _, line in ipairs {
      "---@param keepdim? boolean|tide.options.max # keep the reduced dimensions, with size 1 "
        .. "(default: false)\n---@return tide.Tensor, tide.Tensor\n"
        .. "---@overload fun(self: tide.Tensor): tide.Tensor\n",
      "---@class tide.options.optim.SGD\n"
        .. "---@field lr? tide.Tensor|number # learning rate (default: 0.001)\n",
      "function Tensor:max(dim, keepdim) end", "---@operator add(tide.Tensor|number): tide.Tensor",
    } do
      if not text:find(line, 1, true) then error(line .. " is missing") end
    end
  end)
end)
