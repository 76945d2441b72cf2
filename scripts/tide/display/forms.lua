-- Representations of values, by MIME type.
--
-- Every value has "text/plain". A metamethod `__mimebundle` returns a table of others: strings,
-- which are bytes if the type is not a text type ("image/png"). A value with a method `svg` is an image.
local html_table = require "tide.display.table"
local table_text = require "tide.internal.table_text"
local tide = require "tide"

local kLeastSide <const> = 16 -- pixels: smaller tensors are not shown as images

local forms = {}

--- The text of a value.
function forms.text(value)
  local is_plain = type(value) == "table" and getmetatable(value) == nil
  return is_plain and table_text(value) or tostring(value)
end

--- The alternative text of a PNG image: its width and height are the bytes 17 to 24.
function forms.alternative(png)
  return #png >= 24 and ("image of %d x %d pixels"):format(string.unpack(">I4I4", png, 17)) or "image"
end

--- Whether a tensor is an image, as tide.vision reads and writes them.
local function is_picture(x)
  if x.dtype ~= "uint8" or x:dim() ~= 3 then return false end
  local channels, height, width = table.unpack(x.shape)
  return (channels == 1 or channels == 3) and height >= kLeastSide and width >= kLeastSide
end

--- Whether a value is an object with a method of this name.
local function has_method(value, name)
  if type(value) ~= "table" or getmetatable(value) == nil then return false end
  local known, method = pcall(function() return value[name] end)
  return known and type(method) == "function"
end

--- The representations of a value other than its text; then the reason why an image could not be
--- drawn, if any.
local function rich_forms(value, text)
  local meta = getmetatable(value)
  local own = type(meta) == "table" and rawget(meta, "__mimebundle")
  if own then
    local found = {}
    for kind, form in pairs(own(value)) do found[kind] = form end
    return found
  elseif tide.is_tensor(value) then
    if is_picture(value) then
      return {["image/png"] = tide.vision.encode_png(value:cpu()):bytes()}
    end
    return {["text/html"] = html_table(value, text)}
  elseif has_method(value, "svg") then
    local drawn, picture = pcall(value.svg, value)
    if drawn then return {["image/svg+xml"] = picture} end
    return {}, picture
  end
  return {}
end

--- The representations of one value, or the text of several, with the alternative text of a PNG image as "alt"; then
--- the reason why an image could not be drawn, if any.
function forms.of(...)
  local texts = {}
  for i = 1, select("#", ...) do texts[i] = forms.text((select(i, ...))) end
  local found, problem = {}, nil
  if #texts == 1 then found, problem = rich_forms(..., texts[1]) end
  local svg = found["image/svg+xml"]
  -- Without an XML declaration, because it becomes part of a page.
  if svg then found["image/svg+xml"] = svg:match "<svg.*" or svg end
  found.alt = found["image/png"] and forms.alternative(found["image/png"])
  found["text/plain"] = found["text/plain"] or table.concat(texts, "\t")
  return found, problem
end

return forms
