-- Pages of names: for each page of the reference its families, and for each name its parameters,
-- results and description, with links between names.
local example = require "tide.reference.example"
local facts = require "tide.reference.facts"
local Figure = require "tide.plot.figure"
local html = require "tide.manual.site.html"
local lookup = require "tide.reference.lookup"
local notes = require "tide.reference.notes"
local output_html = require "tide.manual.site.output_html"
local pages = require "tide.reference.pages"
local parameters = require "tide.reference.parameters"
local sections = require "tide.reference.sections"
local topics = require "tide.reference.topics"

local name_pages = {}

local place_of -- by entry: {file, id}; created on first use

--- The location of each entry. Forms of one section have one location, that of the first.
local function places()
  if place_of then return place_of end
  place_of = {}
  local taken = {}
  for _, page in ipairs(pages) do
    for _, family in ipairs(page.families) do
      for _, group in ipairs(sections.of(family)) do
        local id, count = html.id(group[1].called_as), 1
        while taken[page.name .. id] do
          count = count + 1
          id = html.id(group[1].called_as) .. "-" .. count -- another signature of the same name
        end
        taken[page.name .. id] = true
        local place = {file = page.name .. ".html", id = id}
        for _, entry in ipairs(group) do place_of[entry] = place end
      end
    end
  end
  return place_of
end

--- The address of a name such as "nn.Linear" or "x:sum"; nil if there is none.
local function address_of(name)
  local found = lookup.exact(name)
  local place = found and places()[found[1]]
  return place and place.file .. "#" .. place.id
end

--- HTML in which `code` is marked as code.
local function with_code(text) return (text:gsub("`([^`]+)`", "<code>%1</code>")) end

--- A text in which names, except that of `entry`, are links.
local function linked(text, entry)
  local parts, place = {}, 1
  for first, name, last in text:gmatch "()([%a_][%w_]*[.:][%w_.:]*[%w_])()" do
    local address = address_of(name)
    local is_own = address == places()[entry].file .. "#" .. places()[entry].id
    if address and not is_own and first >= place then
      parts[#parts + 1] = html.escape(text:sub(place, first - 1))
      parts[#parts + 1] = ('<a href="%s">%s</a>'):format(html.escape(address), html.escape(name))
      place = last
    end
  end
  parts[#parts + 1] = html.escape(text:sub(place))
  return with_code(table.concat(parts))
end

local function add_parameters(out, entry, given)
  if not given[1] then return end
  out[#out + 1] = '<dl class="parameters">'
  for _, parameter in ipairs(given) do
    local default = parameter.default
      and (' = <span class="n">%s</span>'):format(html.escape(parameter.default)) or ""
    out[#out + 1] = ('<div><dt><code>%s</code> <span class="type">%s%s</span></dt>'):format(
      html.escape(parameter.name), html.escape(parameter.type), default)
    out[#out + 1] = "<dd>" .. linked(parameter.about, entry) .. "</dd></div>"
  end
  out[#out + 1] = "</dl>"
end

local function add_notes(out, entry)
  local rows = {}
  for _, note in ipairs(notes.list(entry)) do
    local text = linked(note.text, entry)
    local is_code = note.field == "formula" or note.field == "shapes"
    rows[#rows + 1] = {note.title, is_code and "<code>" .. text .. "</code>" or text}
  end
  local known = facts.of(entry)
  if known then
    rows[#rows + 1] = {"types of " .. known.subject, html.escape(known.types)}
    rows[#rows + 1] = {"gradient", known.gradient and "yes" or "no"}
    rows[#rows + 1] = {"waits", known.waits and "yes" or "no"}
  end
  if not rows[1] then return end
  out[#out + 1] = '<dl class="notes">'
  for _, row in ipairs(rows) do
    out[#out + 1] = ("<div><dt>%s</dt><dd>%s</dd></div>"):format(html.escape(row[1]), row[2])
  end
  out[#out + 1] = "</dl>"
end

--- The figure that an example draws, if any.
local function figure_html(out, entry)
  local code = example.split(entry.example)
  if not code:find "tostring%(tide%.plot%." and not code:find "tostring%(fig%)" then return nil end
  local environment = example.environment {tostring = function(value) return value end}
  local figure = example.load(code, environment)()
  if getmetatable(figure) ~= Figure then return nil end
  local kind, data = next(figure:__mimebundle())
  return output_html[kind](data, out)
end

local function add_section(out, group)
  local entry, place = sections.fullest(group), places()[group[1]]
  out[#out + 1] = ('<section id="%s">\n<h3><a href="#%s">%s</a></h3>'):format(place.id, place.id,
    html.escape(entry.name))
  local forms = {}
  for i, form in ipairs(group) do
    local results = form.results and " &rarr; " .. html.escape(form.results) or ""
    forms[i] = html.lua(form.signature) .. results
  end
  out[#out + 1] = '<pre class="forms"><code>' .. table.concat(forms, "\n") .. "</code></pre>"
  out[#out + 1] = "<p>" .. linked(entry.doc, entry) .. ".</p>"
  add_parameters(out, entry, entry.parameters)
  if entry.call then
    out[#out + 1] = "<p>Called with <code>" .. html.lua(parameters.text(entry.call)) .. "</code></p>"
    add_parameters(out, entry, entry.call)
  end
  add_notes(out, entry)
  out[#out + 1] = html.block(table.concat(example.lines(entry.example), "\n"))
  out[#out + 1] = figure_html(out, entry)
  out[#out + 1] = "</section>"
end

--- Links to all sections of a family; in-place forms and further signatures have none.
local function add_names(out, groups)
  local links, seen = {}, {}
  for _, group in ipairs(groups) do
    local name = group[1].name
    if not seen[name] then
      links[#links + 1] = ('<a href="#%s">%s</a>'):format(places()[group[1]].id, html.escape(name))
    end
    seen[name] = true
  end
  out[#out + 1] = '<p class="names">' .. table.concat(links, " ") .. "</p>"
end

--- The body of a page of the reference.
function name_pages.body(page)
  local about = "<p>" .. with_code(html.escape(page.about)) .. "</p>"
  local out = {pictures = 0, "<h1>" .. html.escape(page.title) .. "</h1>", about}
  for _, family in ipairs(page.families) do
    local groups, title = sections.of(family), html.escape(topics.title(family))
    out[#out + 1] = ('<h2 id="%s">%s</h2>'):format(html.id(family), title)
    add_names(out, groups)
    for _, group in ipairs(groups) do add_section(out, group) end
  end
  return table.concat(out, "\n")
end

--- The entries of a page in the search index: {name, address, text} for each section.
function name_pages.index(page)
  local rows = {}
  for _, family in ipairs(page.families) do
    for _, group in ipairs(sections.of(family)) do
      local entry, place = sections.fullest(group), places()[group[1]]
      local text = {entry.doc, family}
      for _, parameter in ipairs(entry.parameters) do
        text[#text + 1] = parameter.name .. " " .. parameter.about
      end
      for _, note in ipairs(notes.list(entry)) do
        if note.field ~= "see" then text[#text + 1] = note.text end
      end
      local address = place.file .. "#" .. place.id
      rows[#rows + 1] = {group[1].called_as, address, table.concat(text, ". ")}
    end
  end
  return rows
end

return name_pages
