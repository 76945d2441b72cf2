-- Each parameter of each public name has a type and an explanation; options are named, not hidden;
-- and the defaults that notes state are those that ops have.
local entries = require "tide.reference"
local example = require "tide.reference.example"
local native = require "tide.native"
local notes = require "tide.reference.notes"
local lookup = require "tide.reference.lookup"
local row_notes = require "tide.reference.row_notes"
local tide = require "tide"
local value_of = require "tide.reference.value_of"
local test = require "tide.test"
local describe, it = test.describe, test.it

--- Fails with all problems found, one per line.
local function report(problems)
  if #problems > 0 then error(#problems .. " wrong:\n" .. table.concat(problems, "\n"), 2) end
end

--- The parameters of an entry, and those of calls of its objects.
local function all_parameters(entry)
  local list = table.move(entry.parameters, 1, #entry.parameters, 1, {})
  local call = entry.call or {}
  return table.move(call, 1, #call, #list + 1, list)
end

describe("every parameter", function()
  it("has a type and an explanation", function()
    local problems = {}
    for _, entry in ipairs(entries) do
      for _, parameter in ipairs(all_parameters(entry)) do
        if not parameter.type or not parameter.about then
          problems[#problems + 1] = entry.signature .. ": " .. parameter.name
        end
      end
    end
    report(problems)
  end)
  it("has a default if it is a declared option", function()
    for _, name in ipairs {"tide.optim.SGD", "tide.nn.Conv2d", "tide.data.DataLoader"} do
      for _, parameter in ipairs(lookup.exact(name)[1].parameters) do
        if parameter.named and not parameter.default then error(name .. ": " .. parameter.name) end
      end
    end
  end)
  it("is named: no option is hidden by dots", function()
    local problems = {}
    for _, entry in ipairs(entries) do
      local options = entry.signature:match "{.*}" or ""
      -- In {name = default, ...} the names are the caller's.
      local hidden = options:gsub("%b{}", function(all)
        return all:find "^{[%w_]+ = [%w_]+, %.%.%.}$" and "" or all
      end):find("...", 1, true)
      -- Options may be followed by the arguments of a function.
      if hidden and options:find "%.%.%.}" then problems[#problems + 1] = entry.signature end
      if entry.doc:find "%.%.%.}" then problems[#problems + 1] = entry.doc end
    end
    report(problems)
  end)
  it("is accepted by the function", function()
    -- C++ functions that parse their options themselves are called with an unknown one.
    local calls = {
      ["tide.zeros"] = {2}, ["tide.benchmark"] = {function() end}, ["tide.Event"] = {},
      ["tide.autocast"] = {}, ["tide.set_printoptions"] = {}, ["tide.sim.configure"] = {},
      ["tide.grad"] = {tide.ones(1), tide.ones(1)}, ["x:to"] = {tide.ones(1)},
      ["x:sum"] = {tide.ones(1)},
      ["module:to"] = {tide.nn.Linear(1, 1)},
    }
    for name, arguments in pairs(calls) do
      local method = name:match ":(.*)$"
      local fn = method and arguments[1][method] or value_of(name)
      arguments[#arguments + 1] = {no_such_option = 1}
      local _, message = pcall(fn, table.unpack(arguments))
      local known, stated = {}, {}
      for option in message:match "known are ([^\n]*)":gmatch "[%w_]+" do
        known[#known + 1] = option
      end
      for _, parameter in ipairs(lookup.exact(name)[1].parameters) do
        local by_name = parameter.named or parameter.by_name
        if by_name or parameter.optional and lookup.exact(name)[1].row then
          stated[#stated + 1] = parameter.name
        end
      end
      table.sort(known)
      table.sort(stated)
      test.equal({name, table.concat(stated, " ")}, {name, table.concat(known, " ")})
    end
  end)
  it("is declared by the function", function()
    local function names(path)
      local list = {}
      for i, parameter in ipairs(lookup.exact(path)[1].parameters) do list[i] = parameter.name end
      return table.concat(list, " ")
    end
    test.equal(names "tide.nn.Linear", "in_features out_features bias device dtype")
    test.equal(names "tide.optim.SGD",
      "params lr momentum dampening weight_decay nesterov maximize")
    test.equal(names "tide.metrics.functional.f1",
      "predictions targets task num_classes average threshold ignore_index zero_division")
    test.equal(names "tide.zeros", "shape dtype device requires_grad")
    test.equal(#lookup.exact("nn.MultiheadAttention")[1].call, 8)
    test.is_false(lookup.exact("nn.Linear")[1].call)
  end)
end)

--- The value of a default that is written in Lua; nil for words and for nil.
local function literal(text)
  local read = load("return " .. text, "=default", "t", {})
  return read and read()
end

--- The stated defaults of an op's entry, by name.
local function stated_defaults(entry)
  local defaults = {}
  for _, parameter in ipairs(entry.parameters) do
    if parameter.default and parameter.name ~= "requires_grad" then
      defaults[parameter.name] = literal(parameter.default)
    end
  end
  return defaults
end

--- Whether a value is a table of named options.
local function is_options(value)
  return type(value) == "table" and getmetatable(value) == nil and type(next(value)) == "string"
end

--- Calls `fn` with all stated defaults of omitted parameters, by name.
local function with_defaults(fn, entry, defaults, receivers)
  return function(...)
    local given, options = table.pack(...), {}
    if is_options(given[given.n]) then
      for name, value in pairs(given[given.n]) do options[name] = value end
      given.n = given.n - 1
    end
    for i, parameter in ipairs(entry.parameters) do
      if given.n < i + receivers and options[parameter.name] == nil then
        options[parameter.name] = defaults[parameter.name]
      end
    end
    if next(options) then
      given.n = given.n + 1
      given[given.n] = options
    end
    return fn(table.unpack(given, 1, given.n))
  end
end

--- The table and the key of an op with this call, and whether its receiver comes first.
local function place_of(called_as)
  local method = called_as:match "^x:(.*)$"
  if method then return native.methods, method, true end
  local path, name = called_as:match "^(.*)%.([^.]*)$"
  return path == "tide" and tide or value_of(path), name, false
end

--- Whether all calls of that name have one signature without variable arguments.
local function has_one_form(entry, count)
  if not entry.row or count[entry.called_as] > 1 or entry.name:find "_$" then return false end
  for _, parameter in ipairs(entry.parameters) do
    if parameter.rest then return false end
  end
  return true
end

describe("stated defaults", function()
  it("are those of the ops", function()
    local count, problems, tried = {}, {}, 0
    for _, entry in ipairs(entries) do
      count[entry.called_as] = (count[entry.called_as] or 0) + 1
    end
    for _, entry in ipairs(entries) do
      local defaults = has_one_form(entry, count) and stated_defaults(entry) or {}
      local op, holder, name, is_method
      if next(defaults) then
        holder, name, is_method = place_of(entry.called_as)
        op = rawget(holder, name)
      end
      if op then
        tried = tried + 1
        holder[name] = with_defaults(op, entry, defaults, is_method and 1 or 0)
        local ran, got, promised = pcall(example.run, entry.example)
        holder[name] = op
        if not ran or promised and got ~= promised then
          problems[#problems + 1] = ("%s gives %s with its defaults"):format(entry.signature, got)
        end
      end
    end
    report(problems)
    test.is_true(tried > 150)
  end)
end)

describe("notes of rows", function()
  it("have nothing that no name needs", function()
    local used, problems = {}, {}
    for _, entry in ipairs(entries) do
      if not entry.declared then
        for _, parameter in ipairs(entry.parameters) do
          local _, block = row_notes.parameter(entry, parameter.name)
          used[block] = used[block] or {}
          used[block][parameter.name] = true
        end
      end
    end
    for _, block in ipairs(row_notes.blocks()) do
      for name in pairs(block.by_name) do
        if not (used[block] and used[block][name]) then
          problems[#problems + 1] = table.concat(block.words, " ") .. ": " .. name
        end
      end
    end
    table.sort(problems)
    report(problems)
  end)
  it("are of existing names and families", function()
    local problems, families = {}, {["*"] = true}
    for _, entry in ipairs(entries) do families[entry.family .. ":"] = not entry.declared end
    for _, block in ipairs(row_notes.blocks()) do
      for _, word in ipairs(block.words) do
        local is_known = families[word] or lookup.exact(word) or lookup.exact(word .. "_")
        if not is_known then problems[#problems + 1] = word end
      end
    end
    report(problems)
  end)
end)

describe("notes", function()
  it("refer to existing names", function()
    local problems = {}
    for _, entry in ipairs(entries) do
      for word in (notes.of(entry, "see") or ""):gmatch "%S+" do
        if not word:find "^x%[" and not lookup.exact(word) then
          problems[#problems + 1] = entry.signature .. ": see " .. word
        end
      end
    end
    report(problems)
  end)
  it("give losses, optimizers and schedulers formulas, and layers formulas or shapes", function()
    local problems = {}
    local wanted = {
      ["Losses as modules"] = {"formula"}, Optimizers = {"formula"}, loss = {"formula"},
      ["Learning rate schedulers"] = {"formula"}, ["Convolutions and pools"] = {"shapes"},
      ["Normalization and dropout"] = {"formula"}, ["Activations as modules"] = {"formula"},
      ["Recurrent layers and transformers"] = {"shapes"},
    }
    local without = {
      Optimizer = true, AdaptiveLogSoftmaxWithLoss = true, LRScheduler = true, SequentialLR = true,
      ChainedScheduler = true,
    }
    for _, entry in ipairs(entries) do
      local is_table = not entry.signature:find("(", 1, true)
      local fields = not is_table and not without[entry.name] and wanted[entry.family] or {}
      for _, field in ipairs(fields) do
        if not notes.of(entry, field) then
          problems[#problems + 1] = entry.signature .. ": " .. field
        end
      end
    end
    report(problems)
  end)
end)
