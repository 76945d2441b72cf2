-- An empty folder for each test of a group, removed afterwards: call it inside `describe`; the
-- result is a function that returns the path.
local test = require "tide.test"

return function()
  local path
  test.before_each(function()
    path = os.tmpname()
    os.remove(path)
    assert(os.execute(("mkdir -m 700 '%s'"):format(path)))
  end)
  test.after_each(function() os.execute(("rm -r '%s'"):format(path)) end)
  return function() return path end
end
