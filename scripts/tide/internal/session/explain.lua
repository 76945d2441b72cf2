-- `?text`: help on the value that the text stands for, else on the name that it is.
return function(session, text)
  text = text:match "^[%s?]*(.-)%s*$"
  if text == "" then return (require("tide").help()) end
  session:provide(text)
  return require "tide.reference.asked"(text, session.environment)
end
