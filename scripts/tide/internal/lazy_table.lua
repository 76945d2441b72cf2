-- Tables whose fields are loaded from files on first use.
local declaration = require "tide.internal.declare.declaration"
local native = require "tide.native"

--- The table `place`, "tide.nn", whose fields are what the files of a package declare: nn.Linear is what the file that
--- declares "nn.Linear" returns, or its field Linear if the file returns a table of several. Other names are an error.
--- Options: the package, if it is not the place; folders of the package whose files belong to it; others, the
--- modules of fields that are declared elsewhere; fields, a table that has the others.
local function lazy_table(place, options)
  options = options or {}
  local folder = (options.package or place):match("^tide%.(.*)$"):gsub("%.", "/") .. "/"
  local prefix, others = place:match "^tide%.(.*)$" .. ".", options.others or {}
  local folders, names = {folder}, nil -- names are listed when they are needed
  for i, inner in ipairs(options.folders or {}) do folders[i + 1] = folder .. inner .. "/" end

  --- The module that declares a field; nil if there is none.
  local function module_of(name)
    if others[name] then return others[name] end
    for _, each in ipairs(folders) do
      local file = declaration.file_of(prefix .. name, each)
      if file then return declaration.module_of(file) end
    end
  end

  local function list_names()
    names = {}
    for name in pairs(others) do names[name] = true end
    for _, each in ipairs(folders) do
      for _, file in ipairs(declaration.files_in(each)) do
        for _, block in ipairs(declaration.blocks(file)) do
          local name = declaration.name_after(prefix, block.name)
          if name then names[name] = true end
        end
      end
    end
    return names
  end

  local function load_field(self, name)
    if type(name) ~= "string" then return nil end
    local module = module_of(name) or native.unknown_name(place, name, self)
    local value = require(module)
    value = type(value) == "table" and rawget(value, name) or value
    rawset(self, name, value)
    return value
  end

  return setmetatable(options.fields or {}, {
    __index = load_field,
    __names = function() return names or list_names() end, -- for completion at the prompt
    __tostring = native.module_text(place),
    -- So that loops and documentation see fields that are not loaded yet.
    __pairs = function(self)
      for name in pairs(names or list_names()) do
        if rawget(self, name) == nil then load_field(self, name) end
      end
      return next, self, nil
    end,
  })
end

return lazy_table
