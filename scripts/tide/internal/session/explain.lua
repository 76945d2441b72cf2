-- `?text`: help on the value that the text stands for, else on the name that it is.
return function(session, text)
  local help = require("tide").help
  text = text:match "^[%s?]*(.-)%s*$"
  if text == "" then return (help()) end
  session:provide(text)
  local expression = load("return " .. text, "=?", "t", session.environment)
  local known, value = pcall(expression or error)
  if known and value ~= nil then return (help(value)) end
  return (help(text))
end
