-- Whether a value can be called.
return function(value)
  if type(value) == "function" then return true end
  local metatable = getmetatable(value)
  return type(metatable) == "table" and metatable.__call ~= nil
end
