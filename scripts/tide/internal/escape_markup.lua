-- Escapes text for HTML and XML.
local kEscapes <const> = {
  ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;", ["'"] = "&apos;",
}

--- The text with markup characters escaped, also for quoted attributes.
local function escape_markup(text) return (text:gsub("[&<>\"']", kEscapes)) end

return escape_markup
