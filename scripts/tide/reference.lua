-- The reference: an entry for each public name. What is written in C++ has its entries from the
-- rows that it is registered from; what is written in Lua, from the families below reference/:
-- rows {name, arguments, what it does, example}.
--
-- An entry: name, signature ("x:mv(vector)"), called_as ("x:mv"), doc, family, example. Those of
-- ops have parameters, a list of {name, kind, optional, rest}, and results ("Tensor, Tensor");
-- those of Lua have composed = true. An op of several signatures has an entry for each.
local native = require "tide.native"

local files = {
  "operators", "layers", "activations_and_losses", "modules", "computed_parameters",
  "functional", "optim", "autograd", "func", "types", "random", "data", "helpers", "advice",
  "signal", "metrics", "loggers", "training", "onnx",
  "vision", "vision_functional", "vision_transforms",
  "vision_datasets", "vision_models", "vision_ops",
}

local entries = native.reference()
for _, entry in ipairs(entries) do entry.called_as = entry.signature:match "^[^(]*" end

for _, file in ipairs(files) do
  for _, family in ipairs(require("tide.reference." .. file)) do
    for _, row in ipairs(family) do
      local name, arguments, doc, example = table.unpack(row)
      entries[#entries + 1] = {
        name = name,
        signature = family.prefix .. name .. arguments,
        called_as = family.prefix .. name,
        doc = doc,
        family = family.title,
        example = example,
        composed = true,
      }
    end
  end
end

return entries
