-- Hooks of an object: functions that are called at certain points until they are removed.

--- Adds `fn` to the list of hooks `key` of an object, as {fn}; returns a function that removes
--- it.
local function add_hook(object, key, fn)
  local hooks = rawget(object, key)
  if not hooks then
    hooks = {}
    rawset(object, key, hooks)
  end
  local entry = {fn}
  hooks[#hooks + 1] = entry
  return function()
    for i, other in ipairs(hooks) do
      if other == entry then table.remove(hooks, i) end
    end
    -- Without hooks there is no list.
    if #hooks == 0 and rawget(object, key) == hooks then rawset(object, key, nil) end
  end
end

return add_hook
