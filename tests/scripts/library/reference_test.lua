-- Every public name has help.
local tide = require "tide"
local test = require "tide.test"
local value_of = require "tide.reference.value_of"
local describe, it = test.describe, test.it

local function has_help(path) return not tide.help(path):find("there is no help", 1, true) end

--- Fails with the list of names that have no help.
local function all_explained(prefix, names)
  local missing = {}
  for _, name in ipairs(names) do
    if not has_help(prefix .. name) then missing[#missing + 1] = prefix .. name end
  end
  table.sort(missing)
  if #missing > 0 then error("without help: " .. table.concat(missing, ", "), 2) end
end

--- The public names of a table: those that do not begin with an underscore.
local function names_of(table_of_names)
  local names = {}
  for name in pairs(table_of_names) do
    if type(name) == "string" and name:sub(1, 1) ~= "_" then names[#names + 1] = name end
  end
  return names
end

--- Methods of a class, without constructors and metamethods.
local function methods_of(class)
  local names = {}
  for name, value in pairs(class) do
    local public = type(name) == "string" and name:sub(1, 1) ~= "_"
      and name ~= "init" and name ~= "inherited"
    if public and type(value) == "function" then names[#names + 1] = name end
  end
  return names
end

describe("help", function()
  it("explains the functions of tide", function()
    local functions = {}
    for _, name in ipairs(names_of(tide)) do
      if type(tide[name]) == "function" then functions[#functions + 1] = name end
    end
    all_explained("tide.", functions)
  end)
  local libraries = {
    amp = tide.amp, autograd = tide.autograd, data = tide.data, func = tide.func, linalg = tide.linalg,
    loggers = tide.loggers, memory = tide.memory, metrics = tide.metrics,
    ["metrics.functional"] = tide.metrics.functional, nn = tide.nn,
    ["nn.utils"] = tide.nn.utils, ["nn.utils.parametrizations"] = tide.nn.utils.parametrizations,
    ["nn.utils.parametrize"] = tide.nn.utils.parametrize,
    ["nn.utils.prune"] = tide.nn.utils.prune, ["nn.utils.rnn"] = tide.nn.utils.rnn, np = tide.np,
    plot = tide.plot,
    optim = tide.optim, ["optim.lr_scheduler"] = tide.optim.lr_scheduler,
    ["optim.swa_utils"] = tide.optim.swa_utils, random = tide.random,
    special = tide.special, test = tide.test, training = tide.training, vision = tide.vision,
    ["vision.transforms.functional"] = tide.vision.transforms.functional,
    ["vision.transforms"] = tide.vision.transforms,
    ["vision.datasets"] = tide.vision.datasets,
    ["vision.models"] = tide.vision.models, ["vision.ops"] = tide.vision.ops,
  }
  for name, library in pairs(libraries) do
    it("explains tide." .. name, function()
      all_explained("tide." .. name .. ".", names_of(library))
    end)
  end
  it("explains tide.nn.functional and tide.nn.init", function()
    all_explained("tide.nn.functional.", names_of(tide.nn.functional))
    all_explained("tide.nn.init.", names_of(tide.nn.init))
  end)
  it("explains the methods of tensors, modules and optimizers", function()
    all_explained("x:", names_of(require("tide.native").methods))
    all_explained("module:", methods_of(tide.nn.Module))
    all_explained("figure:", {"set", "legend", "show", "text", "save", "svg"})
    all_explained("optimizer:", {"step", "zero_grad", "add_param_group", "state_dict", "load_state_dict"})
  end)
  it("is of names that the tables of tide have", function()
    for _, entry in ipairs(require "tide.reference") do
      local path = entry.called_as
      if path:find "^tide%." and value_of(path) == nil then error("there is no " .. path) end
    end
  end)
  it("lists families in lines of 100 columns at most", function()
    local longest = 0
    for line in tide.help():gmatch "[^\n]+" do longest = math.max(longest, #line) end
    test.is_true(longest <= 100 and longest > 90)
  end)
  it("finds functions by value, and reports unknown names", function()
    test.is_true(tide.help(tide.matmul):find("tide.matmul(x, other, out_dtype?)", 1, true))
    test.is_true(tide.help(tide.nn.Linear):find("tide.nn.Linear(", 1, true))
    local text, found = tide.help "matmull"
    test.is_true(text:find("there is no help on 'matmull'; near it: matmul", 1, true))
    test.equal(found, false)
  end)
end)
