-- tide.data's readers of CSV and JSON Lines files. Expected values are written by hand.
local json = require "tide.internal.json"
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, raises = test.same_type, test.raises
local data = tide.data

local path = os.tmpname()

--- Writes a file with this text.
local function write(text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
  return path
end

--- The columns of a text, with tensors as lists.
local function read(text, options)
  local columns, names = data.read_csv(write(text), options)
  for key, column in pairs(columns) do
    if tide.is_tensor(column) then columns[key] = column:tolist() end
  end
  return columns, names
end

local function refused(message, text, options)
  raises(message, data.read_csv, write(text), options)
end

describe("read_csv", function()
  test.teardown(function() os.remove(path) end)

  it("makes tensors of numbers, and lists of text", function()
    local text = "id,x,name,known\n1,0.5,ann,true\n2,-1e3,bob,False\n"
    local columns, names = data.read_csv(write(text))
    equal(names, {"id", "x", "name", "known"})
    equal({columns.id.dtype, columns.x.dtype, columns.known.dtype}, {"int64", "float32", "bool"})
    equal(columns.id:tolist(), {1, 2})
    equal(columns.x:tolist(), {0.5, -1000.0})
    equal(columns.name, {"ann", "bob"})
    equal(columns.known:tolist(), {true, false})
  end)
  it("reads lines with any line ending", function()
    for _, text in ipairs {"a,b\n1,2\n3,4\n", "a,b\r\n1,2\r\n3,4\r\n", "a,b\r1,2\r3,4", "\xEF\xBB\xBFa,b\n1,2\n3,4",
      "\n\na,b\n\n1,2\n\n\n3,4\n\n"} do
      equal(read(text), {a = {1, 3}, b = {2, 4}})
    end
  end)
  it("reads quoted fields", function()
    local columns = read 'a,"b ""c"""\n"x, y","line\none"\n"","say ""hi"""\n'
    equal(columns, {a = {"x, y", ""}, ['b "c"'] = {"line\none", 'say "hi"'}})
    equal(read 'a,b\n"1","2.5"\n', {a = {1}, b = {2.5}})
  end)
  it("makes nan of missing numbers", function()
    for _, word in ipairs {"", "NA", "NaN", "nan", "null", '""'} do
      local x = read("a,b\n1,5\n" .. word .. ",6\n").a
      equal(x[1], 1.0)
      test.is_true(x[2] ~= x[2])
    end
    local columns = read("a,b\n-999,x\n2,-999\n", {missing = {"-999"}})
    test.is_true(columns.a[1] ~= columns.a[1])
    equal(columns.b, {"x", "-999"})
    equal(read("a,b\nNA,1\ntrue,2\n").a, {"NA", "true"})
    equal(read("a,b\ntrue,1\n,2\n").a, {"true", ""})
  end)
  it("keeps the text of columns in which a later value is not a number", function()
    local columns = read "a,b,c\n1,1.0,true\n2,x,0\n0x10,2,true\n"
    equal(columns, {a = {"1", "2", "0x10"}, b = {"1.0", "x", "2"}, c = {"true", "0", "true"}})
    equal(read("a\ninf\n-Infinity\n").a, {1 / 0, -1 / 0})
    equal(read("a\n9223372036854775807\n").a, {math.maxinteger})
  end)
  it("takes names from the first line or a list, or uses column numbers", function()
    local columns, names = read("1,2\n3,4\n", {header = false})
    equal({columns, names}, {{{1, 3}, {2, 4}}, {1, 2}})
    columns, names = read("1,2\n3,4\n", {header = {"u", "v"}})
    equal({columns, names}, {{u = {1, 3}, v = {2, 4}}, {"u", "v"}})
    equal(read("", {header = {"u"}}), {u = {}})
    equal(read "u,v\n", {u = {}, v = {}})
  end)
  it("distinguishes columns with equal names", function()
    equal(read "a,b,a,a.1\n1,2,3,4\n", {a = {1}, b = {2}, ["a.1"] = {4}, ["a.2"] = {3}})
  end)
  it("reads row names", function()
    equal(read "a,b\nx,1,2\ny,3,4\n", {row_names = {"x", "y"}, a = {1, 3}, b = {2, 4}})
  end)
  it("skips comments and the first lines", function()
    equal(read("title\nsecond\n# note\na,b # names\n1,2\n#3,4\n5,6#7\n", {skip = 2, comment = "#"}),
      {a = {1, 5}, ["b "] = {2, 6}})
  end)
  it("reads only the requested columns", function()
    local columns, names = read("a,b,c\n1,x,3\n4,y,6\n", {columns = {"c", 1}})
    equal({columns, names}, {{c = {3, 6}, a = {1, 4}}, {"c", "a"}})
    equal(read("1,2,3\n", {header = false, columns = {3}}), {[3] = {3}})
  end)
  it("converts columns to the requested types", function()
    local function types(options)
      local columns = data.read_csv(write "a,b\n1,2\n3,4\n", options)
      return {columns.a.dtype or columns.a, columns.b.dtype or columns.b}
    end
    equal(types {dtype = "float64"}, {"float64", "float64"})
    equal(types {dtype = {a = "u8"}}, {"uint8", "int64"})
    equal(read("a,b\n1,2\n", {dtype = {b = "string"}}), {a = {1}, b = {"2"}})
    equal(data.read_csv(write "a\n0.1\n", {dtype = "float64"}).a:item(), 0.1)
    equal(read("a\ntrue\n", {dtype = "bool"}), {a = {true}})
  end)
  it("makes one tensor with a row for each record", function()
    local x, names = data.read_csv(write "a,b,c\n1,x,2.5\n3,y,\n", {columns = {"c", "a"}, as_tensor = true})
    equal({x.shape[1], x.shape[2], x.dtype}, {2, 2, "float32"})
    equal(names, {"c", "a"})
    equal({x[{1, 1}]:item(), x[{1, 2}]:item(), x[{2, 2}]:item()}, {2.5, 1.0, 3.0})
    test.is_true(x[{2, 1}]:isnan():item())
    equal(data.read_csv(write "1;2\n3;4\n", {delimiter = ";", header = false, as_tensor = true}):tolist(),
      {{1, 2}, {3, 4}})
  end)
  it("reads other delimiters", function()
    for _, delimiter in ipairs {"\t", ";", "|", " ", "^", "%", "]", "-", "x"} do
      equal(read("a" .. delimiter .. "b\n1" .. delimiter .. "2\n", {delimiter = delimiter}), {a = {1}, b = {2}})
    end
  end)
  it("reads any number of columns", function()
    for _, count in ipairs {1, 31, 32, 100} do
      local rows = {}
      for r = 1, 3 do
        local fields = {}
        for c = 1, count do fields[c] = r * 1000 + c end
        rows[r] = table.concat(fields, ",")
      end
      local x = data.read_csv(write(table.concat(rows, "\n") .. "\n"), {header = false, as_tensor = true})
      equal(x.shape, {3, count})
      equal(x:tolist(), (tide.range(1, 3):unsqueeze(2) * 1000 + tide.range(1, count)):tolist())
    end
  end)
  it("reports where the file is malformed", function()
    refused(path .. ":3:1: 1 fields, expected 2", "a,b\n1,2\n3\n")
    refused(path .. ":2:1: 4 fields, expected 2", "a,b\n1,2,3,4\n")
    refused(path .. ":2:1: 3 fields, expected 2", "a,b\n1,2,")
    refused(path .. ":2:3: a quote is opened and never closed", 'a,b\n1,"2\n3,4\n')
    refused(path .. ":2:2: a quote inside an unquoted field", 'a,b\n1"2",3\n')
    refused(path .. ":3:2: text after a closing quote", 'a,b\n"1\n"2,3\n')
    refused(path .. ":1:1: the file is empty", "\n\n")
    refused(path .. ":1:1: the file is empty", "", {header = false})
  end)
  it("reports which field does not have the requested type", function()
    refused(path .. [[:3:3: "x" in column 'b', which holds int64]], "a,b\n1,2\n3,x\n", {dtype = "int64"})
    refused(path .. ":2:1: a missing value in column 'a', which holds int32", "a,b\n,2\n", {dtype = "int32"})
    refused([["1.5" in column 'a', which holds int64]], "a\n1.5\n", {dtype = "int64"})
    refused([["300" in column 'a', which holds uint8]], "a\n300\n", {dtype = "uint8"})
    refused([["1" in column 'a', which holds bool]], "a\n1\n", {dtype = "bool"})
    refused(path .. [[:3:1: "y" in column 'a', which holds numbers]], "a\n1\ny\n", {as_tensor = true})
    refused([["0x1" in column 'a', which holds float32]], "a\n0x1\n", {dtype = "float32"})
  end)
  it("rejects invalid options", function()
    refused("delimiter must be one character", "a\n", {delimiter = ", "})
    refused("delimiter must be one character", "a\n", {delimiter = '"'})
    refused("there is no column z: there are a, b", "a,b\n", {columns = {"z"}})
    refused("there is no column 3: there are 2 columns", "1,2\n", {columns = {3}, header = false})
    refused("read_csv: option 'columns': expected table, got string", "a\n", {columns = "a"})
    refused("read_csv: option 'header': expected boolean or table of strings, got number", "a\n", {header = 1})
    refused("the column 'a' occurs twice", "1,2\n", {header = {"a", "a"}})
    refused("dtype: the column z is not read", "a\n", {dtype = {z = "int64"}})
    refused("float3", "a\n", {dtype = "float3"})
    refused("cannot hold the text of column 'a'", "a\n", {dtype = "string", as_tensor = true})
    refused("read_csv: option 'missing': expected table of strings, got string", "a\n", {missing = ""})
    refused("read_csv: option 'as_tensor': expected boolean, got number", "a\n", {as_tensor = 1})
    raises("No such file", data.read_csv, path .. ".none")
    raises("read_csv: argument 1 (path): expected string, got table", data.read_csv, {})
    raises("read_csv: ", data.read_csv, "/")
  end)
  it("reads back written files, or reports the position of an error", function()
    tide.manual_seed(1)
    local pieces = {"1", "-2.5", "abc", ",", ",", "\n", "\r\n", '"', '""', '"a,b"', "", " ", "nan", "true", "\0", "é"}
    local picks = tide.randint(1, #pieces, {600, 12}):tolist()
    local read_well = 0
    for _, row in ipairs(picks) do
      local text = {}
      for k, pick in ipairs(row) do text[k] = pieces[pick] end
      local succeeded, found = pcall(data.read_csv, write(table.concat(text)), {header = false})
      if succeeded then
        read_well = read_well + 1
      elseif not found:find("read_csv: " .. path .. ":%d+:%d+: ") then
        error(("%q: %s"):format(table.concat(text), found))
      end
    end
    test.is_true(read_well > 20 and read_well < 580)
  end)
  it("reads numbers of any length, and nothing else as a number", function()
    tide.manual_seed(3)
    local letters = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "9", ".", "", ""}
    local numbers, values = {}, {}
    for _, picks in ipairs(tide.randint(1, #letters, {3000, 22}):tolist()) do
      local text = {#numbers % 3 == 0 and "-" or ""}
      for k = 1, #numbers % 22 + 1 do text[k + 1] = letters[picks[k]] end
      text = table.concat(text)
      -- Expected numbers come from the C library's strtod.
      if text:find "%d" and not text:find "%..*%." then
        numbers[#numbers + 1], values[#values + 1] = text, tonumber(text) + 0.0
      else
        numbers[#numbers + 1], values[#values + 1] = "0.5", 0.5
      end
    end
    local read = data.read_csv(write("x\n" .. table.concat(numbers, "\n")), {dtype = "float64"}).x:tolist()
    for i, value in ipairs(values) do
      if read[i] ~= value then error(("%s is %.17g, not %.17g"):format(numbers[i], value, read[i])) end
    end
    for _, word in ipairs {"-", ".", "-.", "1.2.3", "..", "1-2", "12345678-", "--1", "1:5", "12/4", "1\176", "\0001",
      "1234567890.1234:5", "123456789012.3456.7", "1,"} do
      equal(data.read_csv(write("x;y\n" .. word .. ";1\n"), {delimiter = ";"}).x, {word})
    end
  end)
  it("reads large files in parts with the same result", function()
    -- 200,000 rows in 5 MB. Each column changes its kind in the second half.
    local kRows <const>, kTurn <const> = 200000, 150000
    local lines, sum = {"whole,turns,words,late,first\n"}, 0.0
    for i = 1, kRows do
      local is_late = i > kTurn
      lines[#lines + 1] = ("%d,%s,%s,%s,%s\n"):format(i, is_late and i + 0.5 or i, is_late and "true" or i,
        is_late and "NA" or "false", is_late and 7 or "")
      sum = sum + (is_late and i + 0.5 or i)
    end
    local text = table.concat(lines)
    local columns = data.read_csv(write(text))
    equal({columns.whole.dtype, columns.turns.dtype, columns.first.dtype}, {"int64", "float32", "float32"})
    equal(columns.whole:tolist(), tide.arange(1, kRows + 1):tolist())
    equal(data.read_csv(path, {dtype = {turns = "float64"}}).turns:sum():item(), sum)
    equal({columns.words[1], columns.words[kTurn], columns.words[kTurn + 1], #columns.words},
      {"1", tostring(kTurn), "true", kRows})
    equal({columns.late[1], columns.late[kRows], #columns.late}, {"false", "NA", kRows})
    equal({columns.first:isnan():sum():item(), columns.first:nansum():item()}, {kTurn, 7.0 * (kRows - kTurn)})
    -- The first of two errors is reported, and an error at the end has its line.
    refused(":200002:1: 1 fields, expected 5", text .. "1\n2\n")
    refused((":%d:"):format(kTurn + 2), text, {dtype = {turns = "int64"}})
    refused("never closed", text .. '1,2,3,4,"5\n')
    equal(#data.read_csv(write(("\r\n"):rep(3 << 20) .. "a\r\ntrue\r\n")).a, 1)
    equal(data.read_csv(write("a\n" .. ("\n"):rep(3 << 20) .. "true\n")).a:tolist(), {true})
  end)
  it("returns fields with arbitrary bytes", function()
    tide.manual_seed(2)
    local alphabet = {"a", ",", '"', "\n", "\r", " ", "7", "\255"}
    for _, row in ipairs(tide.randint(1, #alphabet, {200, 3, 4}):tolist()) do
      local fields, quoted = {}, {}
      for c, picks in ipairs(row) do
        local letters = {}
        for k, pick in ipairs(picks) do letters[k] = alphabet[pick] end
        fields[c] = table.concat(letters)
        quoted[c] = '"' .. fields[c]:gsub('"', '""') .. '"'
      end
      local columns = data.read_csv(write("x,y,z\n" .. table.concat(quoted, ",")), {dtype = "string"})
      equal({columns.x[1], columns.y[1], columns.z[1]}, fields)
    end
  end)
end)

describe("read_jsonl", function()
  test.teardown(function() os.remove(path) end)

  it("returns the values of the lines", function()
    local text = '{"x": [1, 2.5], "name": "a", "none": null}\r\n\n  \n[true, false]\n"text"\n-7'
    local values = data.read_jsonl(write(text))
    equal(values, {{x = {1, 2.5}, name = "a"}, {true, false}, "text", -7})
    equal(data.read_jsonl(write ""), {})
    equal(data.read_jsonl(write "\xEF\xBB\xBF1\n"), {1})
  end)
  it("makes tensors of arrays of numbers with the option tensors", function()
    local text = '{"x": [[1, 2], [3, 4]], "y": [true, false], "z": [[1], [2, 3]], "w": ["a"], "m": [1, true], "e": []}'
    local value = data.read_jsonl(write(text), {tensors = true})[1]
    equal({value.x:tolist(), value.y:tolist()}, {{{1, 2}, {3, 4}}, {true, false}})
    equal({value.z[1]:tolist(), value.z[2]:tolist()}, {{1}, {2, 3}})
    equal({value.w, value.m, value.e}, {{"a"}, {1, true}, {}})
    equal(data.read_jsonl(write "[0.5, 1]", {tensors = true})[1].dtype, "float32")
  end)
  it("replaces null with the option null", function()
    equal(data.read_jsonl(write '[1, null]\nnull\n{"a": null}', {null = "none"}), {{1, "none"}, "none", {a = "none"}})
    local x = data.read_jsonl(write "[1, null]", {null = 0 / 0, tensors = true})[1]
    equal(x:isnan():tolist(), {false, true})
    raises(path .. ":1:5: null in an array", data.read_jsonl, write "[1, null]")
    raises(path .. ":2:1: unexpected null", data.read_jsonl, write "1\nnull")
  end)
  it("can be used as a data set of a loader", function()
    local values = data.read_jsonl(write '{"x": [1, 2], "y": 0}\n{"x": [3, 4], "y": 1}\n', {tensors = true})
    for batch in data.DataLoader(values, {batch_size = 2}) do
      equal({batch.x:tolist(), batch.y:tolist()}, {{{1, 2}, {3, 4}}, {0, 1}})
    end
  end)
  it("reports where the file is malformed", function()
    raises(path .. ":2:9: expected ',' or '}', got '\"'", data.read_jsonl, write '{"a": 1}\n{"a": 1 "b": 2}\n')
    raises(path .. ":3:5: expected the end, got '2'", data.read_jsonl, write "1\r\n2\r\n  1 2\r\n")
    raises("No such file", data.read_jsonl, path .. ".none")
    raises("read_jsonl: option 'tensors': expected boolean, got number", data.read_jsonl, write "", {tensors = 1})
  end)
end)

describe("the JSON reader", function()
  it("reads everything that the standard allows", function()
    equal(json.decode ' { "a" : [ ] , "b" : { } , "c" : [ 1 , [ 2 ] ] } ', {a = {}, b = {}, c = {1, {2}}})
    equal(json.decode '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\ud83d\\ude00\\u0000"', '"\\/\b\f\n\r\tAé😀\0')
    equal(json.decode '"é😀\127"', "é😀\127")
    for text, value in pairs {["0"] = 0, ["-0"] = 0, ["12"] = 12, ["-1.50"] = -1.5, ["1e3"] = 1000.0, ["1E-2"] = 0.01,
      ["0.5e+1"] = 5.0, ["9223372036854775807"] = math.maxinteger, ["9223372036854775808"] = 2.0 ^ 63,
      ["Infinity"] = 1 / 0, ["-Infinity"] = -1 / 0} do
      equal(json.decode(text), value)
    end
    local nan = json.decode "NaN"
    test.is_true(nan ~= nan)
    equal(json.decode("null", 5), 5)
    equal(json.decode "false", false)
    test.is_true(json.decode(("["):rep(512) .. ("]"):rep(512)))
  end)
  it("rejects everything else, with its position", function()
    for text, expected in pairs {
      [""] = "1: expected a value, got the end", ["nul"] = "1: expected a value, got 'n'",
      ["[1,]"] = "4: expected a value, got ']'", ["[1 2]"] = "4: expected ',' or ']', got '2'",
      ["[1"] = "3: expected ',' or ']', got the end", ['{"a" 1}'] = "6: expected ':', got '1'",
      ["{a: 1}"] = "2: expected a key in quotes, got 'a'", ['{"a": 1,}'] = "9: expected a key in quotes, got '}'",
      ['{"a": 1, "a": 2}'] = '10: the key "a" is given twice', ["01"] = "2: expected the end, got '1'",
      ["1."] = "2: expected the end, got '.'", [".5"] = "1: expected a value, got '.'",
      ["+1"] = "1: expected a value, got '+'", ["1e"] = "2: expected the end, got 'e'",
      ["-"] = "1: expected a value, got '-'", ["0x10"] = "2: expected the end, got 'x'",
      ['"a'] = "1: a string is opened and never closed", ['"a\nb"'] = "3: byte 10 in a string: it must be escaped",
      ['"\\x"'] = "2: unknown escape: 'x' after a backslash",
      ['"\\u12g4"'] = "4: expected four hexadecimal digits after \\u, got '1'",
      ['"\\ud800"'] = "2: half of a surrogate pair", ['"\\udc00"'] = "2: half of a surrogate pair",
      ['"\\ud800\\u0041"'] = "2: half of a surrogate pair", ['"\255"'] = "2: byte 255 is not valid UTF-8 here",
      ["'a'"] = "1: expected a value, got '''", ["// x"] = "1: expected a value, got '/'",
      ["1 2"] = "3: expected the end, got '2'", ["\1"] = "1: expected a value, got byte 1",
      [("["):rep(600)] = "513: more than 512 arrays and objects inside of each other",
    } do
      local value, message, at = json.decode(text)
      equal(value, nil)
      equal(("%d: %s"):format(at, message), expected)
    end
  end)
  it("always reports a position for nearly valid texts", function()
    tide.manual_seed(3)
    local start = '{"a": [1, -2.5e3, {"b": "x\\u00e9\\n"}], "c": null, "d": [true, [], {}], "e": NaN}'
    local pieces = {"{", "}", "[", "]", ",", ":", '"', "1", "-", ".", "e", "true", "\\", " ", "\0", "\255", ""}
    local right = 0
    for _, row in ipairs(tide.randint(1, #start, {3000, 3}):tolist()) do
      local from, to, piece = row[1], row[1] + row[2] % 3 - 1, pieces[row[3] % #pieces + 1]
      local text = start:sub(1, from - 1) .. piece .. start:sub(to + 1)
      local value, message, at = json.decode(text, 0)
      if value ~= nil then
        right = right + 1
      elseif type(message) ~= "string" or at < 1 or at > #text + 1 then
        error(("%q: %s"):format(text, message))
      end
    end
    test.is_true(right > 100 and right < 2900)
  end)
end)
