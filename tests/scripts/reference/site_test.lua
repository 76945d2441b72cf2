-- `tide manual FOLDER --html`: pages that are well-formed, whose links are valid, and that
-- need no other files or servers.
local entries = require "tide.reference"
local html = require "tide.manual.site.html"
local markdown = require "tide.manual.site.markdown"
local test = require "tide.test"
local describe, it = test.describe, test.it

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local run = dofile(here .. "/../support/program.lua")

local function text_of(path)
  local file <close> = assert(io.open(path))
  return file:read "a"
end

--- Fails with all problems found, one per line.
local function report(problems)
  if #problems > 0 then error(#problems .. " wrong:\n" .. table.concat(problems, "\n"), 2) end
end

local folder = os.tmpname()

--- The pages by the names of their files.
local function pages()
  local texts, list = {}, io.popen(("cd '%s' && ls *.html"):format(folder))
  for file in list:lines() do texts[file] = text_of(folder .. "/" .. file) end
  list:close()
  return texts
end

local kEmpty <const> = {meta = true, link = true, input = true, img = true, ["!doctype"] = true}

--- The problems of a page's tags: nil if all are closed in order.
local function tag_problem(text)
  local open = {}
  for slash, name, rest in text:gmatch "<(/?)([%a!][%w]*)([^<>]*)>" do
    if rest:sub(-1) == "/" then -- of an image: it closes itself
    elseif slash == "/" then
      local last = table.remove(open)
      if last ~= name then return ("</%s> closes <%s>"):format(name, last or "nothing") end
    elseif not kEmpty[name] then
      open[#open + 1] = name
    end
  end
  return open[1] and "<" .. table.concat(open, "> <") .. "> stays open"
end

describe("tide manual --html", function()
  local texts
  test.setup(function()
    os.remove(folder)
    local output, succeeded = run("manual " .. folder .. " --html")
    if not succeeded then error(output) end
    texts = pages()
  end)
  test.teardown(function() os.execute(("rm -r '%s'"):format(folder)) end)

  it("writes pages with balanced tags", function()
    local problems = {}
    for file, text in pairs(texts) do
      local problem = tag_problem(text)
      if problem then problems[#problems + 1] = file .. ": " .. problem end
    end
    report(problems)
  end)
  it("has valid links, and uses nothing from the network", function()
    local ids, problems = {}, {}
    for file, text in pairs(texts) do
      ids[file] = {}
      for id in text:gmatch ' id="([^"]*)"' do
        if ids[file][id] then problems[#problems + 1] = file .. " has two #" .. id end
        ids[file][id] = true
      end
    end
    for file, text in pairs(texts) do
      for attribute, address in text:gmatch ' (%l+)="([^"]*)"' do
        if attribute == "href" or attribute == "src" then
          local target, anchor = address:match "^([^#]*)#?(.*)$"
          target = target == "" and file or target
          local is_there = texts[target] or io.open(folder .. "/" .. target)
          if not is_there or anchor ~= "" and not ids[target][anchor] then
            problems[#problems + 1] = file .. ": " .. address
          end
        end
      end
    end
    report(problems)
  end)
  it("has a section and a row of the index for every name", function()
    local all, index, problems = {}, text_of(folder .. "/index.js"), {}
    for _, text in pairs(texts) do all[#all + 1] = text end
    all = table.concat(all)
    for _, entry in ipairs(entries) do
      local section = ' id="' .. html.id(entry.called_as)
      local doc = html.escape(entry.doc):gsub("`([^`]+)`", "<code>%1</code>")
      local shown = all:find(doc, 1, true) or all:find(section, 1, true)
      if not shown then problems[#problems + 1] = entry.called_as end
    end
    report(problems)
    for _, name in ipairs {"tide.optim.SGD", "x:sum", "Lesson 4: the queue", "Autograd"} do
      test.is_true(index:find('["' .. name, 1, true))
    end
    test.is_nil(index:find("<", 1, true))
  end)
  it("shows parameters, lessons and documents", function()
    test.is_true(texts["optim.html"]:find('<code>weight_decay</code>', 1, true))
    test.is_true(texts["lesson-01_tensors.html"]:find("<h2", 1, true))
    test.is_true(texts["doc-profiling.html"]:find('<img src="timeline.png"', 1, true))
    test.is_true(texts["doc-autograd.html"]:find("<h1", 1, true))
    test.is_true(texts["nn.html"]:find('<a href="functional.html#tide.nn.functional.', 1, true))
  end)
  it("shows the output of lessons on the cpu", function()
    local problems = {}
    for file, text in pairs(texts) do
      if file:find "^lesson" then
        local has_output = text:find('<pre class="output">', 1, true)
        local failed = text:find('<p class="problem">', 1, true)
        local is_open = text:find('<details class="folded"><summary>Answer', 1, true)
        if not has_output or failed or not is_open then problems[#problems + 1] = file end
      end
    end
    report(problems)
    local lesson = texts["lesson-07_is_my_gpu_visible.html"]
    test.is_true(lesson:find("All of this was true on cpu.", 1, true))
  end)
end)

describe("markdown", function()
  local files = {["a.md"] = "doc-a.html", ["p.svg"] = "p.svg"}
  local function shown(text) return (markdown(text, files)) end

  it("supports the constructs that documents use", function()
    test.equal(shown "# A `b`", '<h1 id="a-b">A <code>b</code></h1>')
    test.equal(shown "one\ntwo\n\nthree", "<p>one\ntwo</p>\n<p>three</p>")
    test.equal(shown "- one\n  more\n- **two**",
      "<ul>\n<li>one more</li>\n<li><strong>two</strong></li>\n</ul>")
    test.equal(shown "- a\n  - b\n- c",
      "<ul>\n<li>a\n<ul>\n<li>b</li>\n</ul></li>\n<li>c</li>\n</ul>")
    test.equal(shown "1. one\n2. two", "<ol>\n<li>one</li>\n<li>two</li>\n</ol>")
    test.equal(shown "```\na < b\n```", "<pre><code>a &lt; b</code></pre>")
    test.equal(shown "|a|b|\n|---|---:|\n|`x\\|y`|2|",
      '<div class="wide"><table>\n<tr><th>a</th><th class="right">b</th></tr>\n'
        .. '<tr><td><code>x|y</code></td><td class="right">2</td></tr>\n</table></div>')
    test.equal(shown "see [a](a.md#b), [far](../README.md)",
      '<p>see <a href="doc-a.html#b">a</a>, far</p>')
    test.equal(shown "![p](docs/p.svg)", '<p><img src="p.svg" alt="p"></p>')
  end)
  it("escapes text and code", function()
    test.equal(shown "a < b & `<c>` \"d\"",
      "<p>a &lt; b &amp; <code>&lt;c&gt;</code> &quot;d&quot;</p>")
  end)
  it("omits comments", function() test.equal(shown "<!-- table -->\na", "<p>a</p>") end)
end)

describe("code", function()
  it("is highlighted and escaped", function()
    test.equal(html.lua 'local x = "<" -- a & b', '<span class="k">local</span> x = '
      .. '<span class="s">&quot;&lt;&quot;</span> <span class="c">-- a &amp; b</span>')
    test.equal(html.lua "a < 1.5", 'a &lt; <span class="n">1.5</span>')
    test.equal(html.lua "x[[[y]]]", 'x<span class="s">[[[y]]</span>]')
  end)
end)
