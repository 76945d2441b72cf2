-- Compiles an input: as an expression first, then as statements, whose last may be an expression.
local tokens = require "tide.internal.tokens"

-- Put before an expression. A to-be-closed variable prevents a tail call, which would drop the
-- input's stack frame: errors could not name it.
local return_text <const> = "local __line <close> = nil return "
local most_tries <const> = 20 -- of places where the last expression may begin

local function set(words)
  local result = {}
  for word in words:gmatch "%S+" do result[word] = true end
  return result
end

local openers, closers = set "do function repeat if ( { [", set "end until ) } ]"
-- Tokens that a statement may end with, besides names and literals.
local enders = set ") ] } end nil true false ... ; :: break"

--- Whether a message of Lua's compiler says that the text ended too early. A colon at the end
--- is Python, and a method without () is a forgotten call: these texts are complete.
local function is_unfinished(message, text)
  if message:sub(-5) ~= "<eof>" then return false end
  local list = tokens(text)
  while list[#list] and list[#list].kind == "comment" do list[#list] = nil end
  local last, before = list[#list], list[#list - 1]
  local is_method = last and last.kind == "name" and before and before.text == ":"
  return not (is_method or last and last.text == ":")
end

--- The tokens of a text without comments; those outside of all blocks and brackets are `outside`.
--- After them, the number of blocks and brackets that are open at the end.
local function structure(text)
  local list, depth = {}, 0
  for _, token in ipairs(tokens(text)) do
    if token.kind ~= "comment" then
      local word = token.kind ~= "string" and token.text
      if closers[word] then depth = depth - 1 end
      token.outside = depth == 0
      if openers[word] then depth = depth + 1 end
      list[#list + 1] = token
    end
  end
  return list, depth
end

local function can_end(token)
  return token.kind == "name" or token.kind == "number" or token.kind == "string"
    or enders[token.text] ~= nil
end

--- Whether the last expression, which is not a statement, may begin with token i.
local function may_begin_expression(text, list, i)
  local before, token = list[i - 1], list[i]
  return before.text == ";" or text:sub(before.to + 1, token.from):find "\n" ~= nil
    or token.kind == "name" and can_end(before)
end

--- Whether the last statement of a text that compiles may be a call that begins with token i.
local function may_begin_call(_, list, i)
  local before, token = list[i - 1], list[i]
  if token.kind == "name" then return token.text ~= "assert" and can_end(before) end
  return token.text == "(" and before.text == ";"
end

--- Whether a text begins with a call of `assert`, whose value is not shown.
local function is_assertion(text) return text:find "^%s*assert%s*[({\"']" ~= nil end

--- The start of the last expression, whose values are returned; nil if there is none.
local function last_expression(text, list, name, may_begin, tries)
  for i = #list, 2, -1 do
    if list[i].outside and may_begin(text, list, i) then
      local from = list[i].from
      local returning = text:sub(1, from - 1) .. return_text .. text:sub(from)
      if load(returning, name, "t") then return from end
      tries = tries - 1
      if tries == 0 then return nil end
    end
  end
end

--- Reads the declaration whose `local` is token i: the names, the last token, and the name that is
--- to be closed, if there is one.
local function read_declaration(list, i)
  local names, closed = {}, nil
  repeat
    i = i + 1
    names[#names + 1] = list[i].text
    if list[i + 1] and list[i + 1].text == "<" then
      if list[i + 2].text == "close" then closed = list[i].text end
      i = i + 3
    end
    i = i + 1
  until not list[i] or list[i].text ~= ","
  return names, i - 1, closed
end

--- Turns the outer locals of a text into variables of the session: replacements {from, to, text},
--- the names, and the names of to-be-closed locals, which are not replaced.
local function keep_locals(text, list)
  local edits, kept, closed = {}, {}, {}
  for i, token in ipairs(list) do
    if token.outside and token.text == "local" and token.kind == "keyword" then
      if list[i + 1].text == "function" then
        kept[#kept + 1] = list[i + 2].text
        edits[#edits + 1] = {from = token.from, to = token.to, text = ""}
      else
        local names, last, to_close = read_declaration(list, i)
        if to_close then
          closed[#closed + 1] = to_close
        else
          table.move(names, 1, #names, #kept + 1, kept)
          local follows = list[last + 1]
          local value = follows and follows.text == "=" and "" or " = nil"
          local lines = text:sub(token.from, list[last].to):gsub("[^\n]", "")
          edits[#edits + 1] = {from = token.from, to = list[last].to,
            text = table.concat(names, ", ") .. value .. lines}
        end
      end
    end
  end
  return edits, kept, closed
end

local function apply(edits, text)
  local pieces, at = {}, 1
  for _, edit in ipairs(edits) do
    pieces[#pieces + 1] = text:sub(at, edit.from - 1) .. edit.text
    at = edit.to + 1
  end
  return table.concat(pieces) .. text:sub(at)
end

--- The text as a script: the final expression, from `from` on, is printed.
local function as_statements(text, from)
  local close = text:find("--", from, true) and "\n)" or ")"
  return text:sub(1, from - 1) .. "print(" .. text:sub(from) .. close
end

--- Compiles statements. `from` is the start of the final expression, if there is one.
local function compile_statements(text, list, from, name, environment, declare)
  local edits, kept, closed = keep_locals(text, list)
  if from then edits[#edits + 1] = {from = from, to = from - 1, text = return_text} end
  local run, message = load(apply(edits, text), name, "t", environment)
  if not run then return "wrong", message end
  for _, variable in ipairs(kept) do declare(variable) end
  return "run", run, {script = text, closed = closed}
end

--- Compiles an input under a chunk name, with `environment` for its globals. Returns "run", the
--- function, and its properties: `script`, the input as a script, and `closed`, the
--- outer locals that end with it; or "unfinished", if more lines may complete it, and how many
--- blocks and brackets are open; or "wrong" and the message. `=x` means `x`. `declare(name)` is
--- called for each local that the session keeps.
local function compile(text, name, environment, declare)
  local marked = text:match "^=(.*)"
  local expression = marked or text
  local run, wrong = load(return_text .. expression, name, "t", environment)
  local statement = run and not marked and load(text, name, "t")
  if run and not (statement and is_assertion(text)) then
    return "run", run, {script = statement and text or as_statements(expression, 1), closed = {}}
  end
  local unfinished = not run and is_unfinished(wrong, text)
  if marked then
    if unfinished then return "unfinished", 0 end
    return "wrong", wrong
  end

  local whole
  whole, wrong = load(text, name, "t")
  local list, depth = structure(text)
  if whole then
    local from = last_expression(text, list, name, may_begin_call, 1)
    return compile_statements(text, list, from, name, environment, declare)
  end
  local from = last_expression(text, list, name, may_begin_expression, most_tries)
  if from then
    local kind, value, known = compile_statements(text, list, from, name, environment, declare)
    if known then known.script = as_statements(text, from) end
    return kind, value, known
  end
  if unfinished or is_unfinished(wrong, text) then
    return "unfinished", wrong:find "unfinished long" and 0 or depth -- a long string keeps its spaces
  end
  return "wrong", wrong
end

return compile
