-- The call being typed: its signature, and the options of its table.
local tokens = require "tide.internal.tokens"

local openers <const> = {["("] = true, ["{"] = true, ["["] = true}
local closers <const> = {[")"] = true, ["}"] = true, ["]"] = true}

local by_key -- entries of the reference by the name that is called; created on first use

local function entry_of(path)
  if not by_key then
    by_key = {}
    for _, entry in ipairs(require "tide.reference") do
      by_key[entry.called_as] = by_key[entry.called_as] or entry
      local method = entry.called_as:match ":(.*)$"
      if method then by_key[":" .. method] = by_key[":" .. method] or entry end
    end
  end
  local method = path:match ":[%w_]+$"
  local functional = path:match "^F%.(.*)$"
  return by_key[path] or by_key[method or "tide." .. path]
    or functional and by_key["tide.nn.functional." .. functional]
end

--- The path of names, "optim.SGD" or "x:sum", that ends with token i; nil if there is none.
local function path_to(list, i)
  local path = ""
  while list[i] and list[i].kind == "name" do
    path = list[i].text .. path
    local before = list[i - 1]
    if not before or before.text ~= "." and before.text ~= ":" then return path end
    path = before.text .. path
    i = i - 2
  end
  return path:match "^:.*" -- a method of an expression, such as f(x):sum
end

local calls = {}

--- The entry of the innermost call that is open at the end of the text, and whether the text ends inside
--- a table that is its argument; nil if there is none.
function calls.open_call(text)
  local list, depth, in_table = tokens(text), 0, false
  local last = list[#list]
  local is_text = last and (last.kind == "string" or last.kind == "comment")
  if is_text and last.to == #text then return nil end
  for i = #list, 1, -1 do
    local word = list[i].kind == "symbol" and list[i].text
    if closers[word] then depth = depth + 1 end
    if openers[word] then
      depth = depth - 1
      if depth < 0 then
        depth = 0
        local path = word ~= "[" and path_to(list, i - 1)
        local entry = path and entry_of(path)
        if entry then return entry, in_table or word == "{" end
        if word == "[" or word == "(" and path then return nil end
        in_table = word == "{"
      end
    end
  end
end

--- The names of options in an entry's signature: those in its braces, else all that it lists.
function calls.options(entry)
  local arguments = entry.signature:match "%b()" or ""
  local names = {}
  for name in (arguments:match "%b{}" or arguments):gmatch "[%a_][%w_]*" do
    names[#names + 1] = name
  end
  return names
end

return calls
