-- Tables whose fields are loaded from files on first use.
local native = require "tide.native"

--- A table whose field `name` is what `package .. "." .. files[name]` returns. A file that returns
--- several of the fields is a family: `families[file]` lists their names, and it returns a table of
--- them. Reading any other name is an error, which calls the table `place` (by default `package`).
local function lazy_table(package, files, families, place)
  local file_of, in_family = {}, {}
  for name, file in pairs(files) do file_of[name] = file end
  for file, names in pairs(families or {}) do
    for _, name in ipairs(names) do file_of[name], in_family[name] = file, true end
  end

  local function load_field(self, name)
    local file = file_of[name]
    if not file then
      if type(name) ~= "string" then return nil end
      native.unknown_name(place or package, name, self)
    end
    local value = require(package .. "." .. file)
    if in_family[name] then value = value[name] end
    rawset(self, name, value)
    return value
  end

  return setmetatable({}, {
    __index = load_field,
    __names = file_of, -- for completion at the prompt
    __tostring = native.module_text(place or package),
    -- So that loops and documentation see fields that are not loaded yet.
    __pairs = function(self)
      for name in pairs(file_of) do load_field(self, name) end
      return next, self, nil
    end,
  })
end

return lazy_table
