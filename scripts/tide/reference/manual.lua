-- The manual: a page in Markdown for each family of names, made from the reference.
local entries = require "tide.reference"
local example = require "tide.reference.example"
local facts = require "tide.reference.facts"
local native = require "tide.native"

local manual = {}

-- Pages in the order of the index; each lists the families that it holds.
local pages = {
  {name = "creation", title = "New tensors",
    families = {"Tensors of Lua values", "creation", "Windows of signals"},
    about = "The last argument may be a table: `dtype`, `device` and `requires_grad`. Without them "
      .. "a tensor of floats is float32, one of integers int64, on the default device."},
  {name = "tensors", title = "Asking, reading and converting",
    families = {"Fields of a tensor", "Asking a tensor", "Properties", "Reading values", "Printing",
      "Bytes and summaries", "Types", "Other types and devices", "Giving memory back"},
    about = "What a tensor is (shape, type, device) is known at once. Only reading values waits."},
  {name = "indexing", title = "Indexing", families = {"Indexing", "indexing"},
    about = "Positions count from 1, negative ones from the end; ranges include both ends."},
  {name = "elementwise", title = "One element at a time",
    families = {"Operators", "elementwise", "special"},
    about = "Shapes broadcast: dimensions are compared from the last one, and sizes of 1, or "
      .. "missing ones, are repeated. Types promote as PyTorch's do; numbers from Lua are weak. "
      .. "`x:f_(...)` writes the result of `x:f(...)` into x."},
  {name = "reductions", title = "Reductions, scans, orders and statistics",
    families = {"reduction", "scan", "statistics"},
    about = "`dim` names the dimensions to combine, all without it; `keepdim = true` keeps them "
      .. "with size 1. Positions in results count from 1."},
  {name = "shape", title = "Shapes, joining and arranging",
    families = {"shape", "joining", "arrangement"},
    about = "Views share their elements with the tensor they are of: writes show in both."},
  {name = "linalg", title = "Products and linear algebra", families = {"matrix", "linalg"},
    about = "Matrices are the last two dimensions; dimensions before them are a stack. "
      .. "Decompositions take float32 and float64."},
  {name = "random", title = "Random numbers",
    families = {"Random numbers", "Generators", "Random numbers as in NumPy"},
    about = "The same seed gives the same numbers on every device."},
  {name = "functional", title = "Layers as functions",
    families = {"softmax", "normalization", "convolution", "pooling", "loss",
      "Layers as functions, composed in Lua"},
    about = "`F` stands for `tide.nn.functional`. Images are (n, channels, height, width)."},
  {name = "nn", title = "Modules",
    families = {"Layers, losses and containers", "Methods of modules", "Convolutions and pools",
      "Normalization and dropout", "Recurrent layers and transformers", "Activations as modules",
      "Losses as modules", "Layers that move, pad, resample or compare", "Starting values",
      "Gradients and parameters together", "Parameters computed by modules",
      "Parameters of a form", "Pruning", "Sequences of different lengths"},
    about = "Modules are called like functions: `model(x)`."},
  {name = "networks", title = "Networks for images",
    families = {"Images", "Networks for images", "Layers of networks for images", "Boxes",
      "Regions of images"},
    about = "Names, options and weights are torchvision's. A network takes images (n, channels, "
      .. "height, width)."},
  {name = "optim", title = "Optimizers",
    families = {"Optimizers", "Methods of optimizers", "Plans for the learning rate",
      "Means of models"},
    about = "A step is queued like any other work; it runs whole or not at all."},
  {name = "autograd", title = "Gradients",
    families = {"Gradients", "Derivatives", "Functions of functions"},
    about = "A graph is kept for what is computed from tensors that require a gradient."},
  {name = "modes", title = "Modes", families = {"Modes", "Half types"},
    about = "A mode holds in the function given, or until the value returned is closed: "
      .. "`local _ <close> = tide.no_grad()`. It belongs to the coroutine that opened it."},
  {name = "vision", title = "Pictures", families = {"Files of pictures", "Pictures to look at", "Data sets of pictures",
      "Changes to pictures", "Changes to pictures, as objects", "Changes to pictures, as functions"},
    about = "A picture is a tensor (channels, height, width): uint8 from 0 to 255, or floats from 0 "
      .. "to 1."},
  {name = "data", title = "Data and files", families = {"Data", "Samplers", "Methods of loaders", "Methods of samplers", "Files", "NumPy files",
      "Models in files"},
    about = "Files are replaced as a whole: a reader sees the old one or the new one."},
  {name = "metrics", title = "Metrics",
    families = {"Metrics", "Methods of metrics", "Metrics of one batch"},
    about = "Classes count from 1, a target of yes or no is 0 or 1, or a boolean. Figures are tensors "
      .. "on the device of the predictions; only reading them waits."},
  {name = "loggers", title = "Loggers",
    families = {"Loggers", "Methods of loggers", "Methods of loggers for TensorBoard"},
    about = "Tensors that are logged are read when the logger writes: at most once a second, at save, flush "
      .. "and close. So logging waits for no step. A program that is killed leaves whole records, but for the "
      .. "last one perhaps."},
  {name = "training", title = "Training",
    families = {"Trainer", "Methods of trainers", "Modules that are trained", "Methods of trained modules",
      "Callbacks of trainings", "Checkpoints", "Methods of checkpoint managers"},
    about = "A training that goes on from a checkpoint gives the same bits as one that never stopped. Values that are "
      .. "logged stay tensors until a progress bar, a log or the end of an epoch reads them: no step waits."},
  {name = "devices", title = "Devices, memory and streams",
    families = {"Devices", "Memory", "Events and streams", "Events", "Streams", "CUDA",
      "Simulated devices"},
    about = "A device may be named anywhere one is taken: `\"cpu\"`, `\"cuda:0\"`, `\"sim\"`."},
  {name = "threads", title = "Threads, processes and channels", families = {"Threads", "Methods of threads", "Channels"},
    about = "A thread or a process has a Lua state of its own: values are copied on their way. Tensors share "
      .. "their elements with threads until one is written to; a process has its own memory."},
  {name = "time", title = "Time and looking inside",
    families = {"Time", "Benchmarks", "Looking inside"},
    about = "Work is queued: measure it with what waits for it."},
  {name = "profiles", title = "Profiles", families = {"Profiles", "Advice and estimates"},
    about = "`profile` stands for what `tide.profile` returns. There is one profile at a time."},
  {name = "helpers", title = "Tests and helpers", families = {"Tests", "Helpers"},
    about = "What a script needs besides tensors."},
}

--- Entries of a family whose text and example are the same, in lists, in order.
local function groups_of(family)
  local groups, last = {}, nil
  for _, entry in ipairs(entries) do
    if entry.family == family then
      if last and last.doc == entry.doc and last.example == entry.example then
        table.insert(groups[#groups], entry)
      else
        groups[#groups + 1] = {entry}
      end
      last = entry
    end
  end
  return groups
end

--- "x: tensor, dim: dimension (optional)".
local function parameters_text(entry)
  local parts = {}
  for i, parameter in ipairs(entry.parameters) do
    parts[i] = ("`%s`: %s%s"):format(parameter.name, parameter.kind,
      parameter.optional and " (optional)" or "")
  end
  return table.concat(parts, ", ")
end

--- The longest of a group: that of the function, which names all arguments.
local function fullest(group)
  local best = group[1]
  for _, entry in ipairs(group) do
    if entry.parameters and #entry.parameters > #best.parameters then best = entry end
  end
  return best
end

local function write_group(write, group)
  local entry = fullest(group)
  write("### " .. entry.name:gsub("([*_<>|])", "\\%1") .. "\n\n```lua")
  for _, form in ipairs(group) do
    write(form.signature .. (form.results and " -> " .. form.results or ""))
  end
  write("```\n" .. entry.doc .. ".\n")
  if entry.parameters and #entry.parameters > 0 then write("- " .. parameters_text(entry)) end
  local known = facts.of(entry)
  if known then
    write(("- types of `%s`: %s"):format(known.subject, known.types))
    write("- shapes, as in the example: " .. known.shapes)
    write(("- gradient: %s; waits: %s"):format(known.gradient and "yes" or "no",
      known.waits and "yes" or "no"))
  elseif entry.parameters then
    write("- waits: " .. (facts.waits(entry) and "yes" or "no"))
  end
  write("\n```lua\n" .. table.concat(example.lines(entry.example), "\n") .. "\n```\n")
end

--- "A table of parts" for the title "joining" of a family of ops; other families are their title.
local function page_text(page)
  local lines = {}
  local function write(line) lines[#lines + 1] = line end
  write("# " .. page.title .. "\n\n" .. page.about .. "\n")
  for _, family in ipairs(page.families) do
    write("## " .. family:gsub("^%l", string.upper) .. "\n")
    for _, group in ipairs(groups_of(family)) do write_group(write, group) end
  end
  return table.concat(lines, "\n")
end

local kAbout = [[
# Reference of tide

Made by `tide manual` from the rows that the functions are registered from. `tide help NAME` shows
the same at the prompt.

- An argument with `?` may be left out, or be given by name in a table at the end: `x:sum(1, true)`
  is `x:sum(1, {keepdim = true})`.
- Dimensions and positions count from 1, negative ones from the end.
- Calls do not wait for the device unless their page says so.
- Each example is run as a test. `-->` shows what it gives, numbers with four digits. `nn`, `F`,
  `optim` and `autograd` stand for `tide.nn`, `tide.nn.functional`, `tide.optim`, `tide.autograd`.

]]

local function index_text()
  local lines = {}
  for _, page in ipairs(pages) do
    local names, seen = {}, {}
    for _, family in ipairs(page.families) do
      for _, group in ipairs(groups_of(family)) do
        local name = group[1].name
        if not seen[name] then names[#names + 1] = "`" .. name .. "`" end
        seen[name] = true
      end
    end
    lines[#lines + 1] = ("## [%s](%s.md)\n\n%s\n"):format(page.title, page.name,
      table.concat(names, " "))
  end
  return kAbout .. table.concat(lines, "\n")
end

--- The families that no page holds, which the tests want to be none.
function manual.left_out()
  local held, missing = {}, {}
  for _, page in ipairs(pages) do
    for _, family in ipairs(page.families) do held[family] = true end
  end
  for _, entry in ipairs(entries) do
    if not held[entry.family] then
      held[entry.family] = true
      missing[#missing + 1] = entry.family
    end
  end
  return missing
end

--- Writes the pages and README.md, their index, into a folder that exists; gives a line about them.
function manual.write(folder)
  for _, page in ipairs(pages) do
    native.write_file(folder .. "/" .. page.name .. ".md", page_text(page))
  end
  native.write_file(folder .. "/README.md", index_text())
  return ("%d pages and README.md in %s"):format(#pages, folder)
end

return manual
