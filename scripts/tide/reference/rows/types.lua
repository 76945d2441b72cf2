-- The reference of the names of types.
local words = {
  float = "float32", double = "float64", half = "float16", long = "int64", int = "int32",
  short = "int16",
}

local family = {title = "Types", prefix = "tide."}

local function add(name, type, doc)
  family[#family + 1] = {name, "", doc, ("tide.%s --> %q"):format(name, type)}
end

for _, name in ipairs {
  "float32", "float64", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "int64", "int32",
  "int16", "int8", "uint8", "bool",
} do
  add(name, name, "The type's name: x.dtype == tide." .. name)
end
for _, name in ipairs {"float", "double", "half", "long", "int", "short"} do
  add(name, words[name], "PyTorch's alias of " .. words[name])
end

return {family}
