-- Writes a text into HTML and XML.
local kEscapes <const> = {
  ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;", ["'"] = "&apos;",
}

--- A text in which nothing is taken for markup, also between quotes.
local function escape_markup(text) return (text:gsub("[&<>\"']", kEscapes)) end

return escape_markup
