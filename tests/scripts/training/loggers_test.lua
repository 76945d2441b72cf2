-- Loggers: the bytes that TensorBoard reads, rows of CSV files, versions, and errors.
local tide = require "tide"
local test = require "tide.test"
local crc32c = require "tide.training.loggers.crc32c"
local EventFile = require "tide.training.loggers.event_file"
local summary = require "tide.training.loggers.summary"
local describe, it = test.describe, test.it
local equal, raises = test.same_type, test.raises
local loggers = tide.loggers

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local run = dofile(here .. "/../support/program.lua")
local own_folder = dofile(here .. "/../support/own_folder.lua")

local function contents(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read "a"
end

local function write(path, text)
  local file <close> = assert(io.open(path, "wb"))
  file:write(text)
end

local function hex(text) return (text:gsub(".", function(c) return ("%02x"):format(c:byte()) end)) end

-- Expected values come from the package tensorboard: crc32c and masked_crc32c, RecordWriter and the messages
-- of tensorboard.compat.proto.
describe("records of events", function()
  it("have the checksums of TensorBoard", function()
    local long = {}
    for i = 0, 255 do long[i + 1] = string.char(i) end
    local known = {[""] = {0, 0xa282ead8}, ["123456789"] = {0xe3069283, 0xc78ab0e5},
      [table.concat(long):rep(20)] = {0x0cbca9c8, 0xf6130451}}
    for text, sums in pairs(known) do equal({crc32c.of(text), crc32c.masked(text)}, sums) end
  end)
  it("have the bytes of TensorBoard", function()
    local function record(step, value) return hex(EventFile.record(summary.event(1.5, step, value))) end
    equal(hex(EventFile.record(summary.first_event(1.5))),
      "1800000000000000a37f4b2209000000000000f83f1a0d627261696e2e4576656e743a322a28646c")
    equal(record(300, summary.scalar("loss", 0.25)),
      "1b000000000000001a0d9e1309000000000000f83f10ac022a0d0a0b0a046c6f7373150000803e9908deed")
    equal(record(-1, summary.scalar("loss", 1 / 0)), "2300000000000000b09f774309000000000000f83f10ffffffffff" ..
      "ffffffff012a0d0a0b0a046c6f7373150000807f6a9b1181")
    equal(record(2, summary.text("note", "hi")), "2d000000000000003c418afb09000000000000f83f10022a200a1e0a04" ..
      "6e6f7465420c0807120412020801420268694a080a060a047465787433a9b0b0")
    equal(record(2, summary.image("i", 3, 200, 1, "png")), "200000000000000029eda95009000000000000f83f10022a13" ..
      "0a110a0169220c080310c80118012203706e67f4624c18")
    local figures = {min = -1, max = 2, num = 3, sum = 1.5, sum_squares = 6}
    equal(record(2, summary.histogram("h", figures, {-1, 2}, {0, 3})), "6500000000000000ebd05a690900000000" ..
      "0000f83f10022a580a560a01682a5109000000000000f0bf110000000000000040190000000000000840210000000000" ..
      "00f83f2900000000000018403210000000000000f0bf00000000000000403a1000000000000000000000000000000840a6330960")
    local experiment, session = summary.hyperparams({lr = 0.5}, 1.5)
    equal(hex(experiment), "0a145f68706172616d735f2f6578706572696d656e744a170a150a0768706172616d73120a12082206" ..
      "0a026c722003")
    equal(hex(session), "0a1c5f68706172616d735f2f73657373696f6e5f73746172745f696e666f4a290a270a07687061726" ..
      "16d73121c1a1a0a0f0a026c72120911000000000000e03f29000000000000f83f")
  end)
end)

describe("SummaryWriter", function(device)
  local folder = own_folder()

  it("writes values that read_events reads", function()
    local writer <close> = loggers.SummaryWriter(folder())
    local before = os.time() - 2
    writer:log_metrics({loss = tide.tensor(0.5, {device = device})}, 3)
    writer:add_scalar("whole", 2)
    writer:add_text("note", "as *before*", 4)
    writer:add_histogram("weights", tide.tensor({1.0, 2, 2, 5, 0 / 0}, {device = device}), 5, 4)
    writer:add_histogram("wide", tide.tensor({-1.5, 0, 0.5, 2, 2}, {device = device}), 5)
    writer:add_image("digit", tide.tensor({{{0.0, 0.5, 2}}}, {device = device}), 6)
    writer:add_image("bytes", tide.tensor({{7, 9}}, {device = device}):to("uint8"), 6, "HW")
    writer:add_image("last", tide.ones({2, 5, 3}, {device = device}), 6, "HWC")
    writer:flush()
    local events, by_tag = loggers.read_events(writer.path), {}
    for _, event in ipairs(events) do
      by_tag[event.tag] = event
      test.is_true(event.wall_time >= before and event.wall_time <= os.time() + 2)
    end
    equal(#events, 8)
    equal({by_tag.loss.step, by_tag.loss.value}, {3, 0.5})
    equal({by_tag.whole.step, by_tag.whole.value}, {0, 2.0})
    equal(by_tag["note/text_summary"].value, "as *before*")
    -- torch.utils.tensorboard.summary.make_histogram
    equal(by_tag.weights.value, {min = 1.0, max = 5.0, num = 4.0, sum = 10.0, sum_squares = 34.0,
      bucket_limit = {1.0, 2.0, 3.0, 4.0, 5.0}, bucket = {0.0, 1.0, 2.0, 0.0, 1.0}})
    local filled, wide = {}, by_tag.wide.value
    for i, count in ipairs(wide.bucket) do
      if count > 0 then table.move({wide.bucket_limit[i], count}, 1, 2, #filled + 1, filled) end
    end
    equal({#wide.bucket, wide.bucket_limit[1]}, {596, -1.624957930213695})
    equal(filled, {-1.47723448201245, 1.0, 1e-12, 1.0, 0.5177616740489182, 1.0, 2.1628190051144287, 2.0})
    local function pixels(tag) return tide.vision.decode_png(by_tag[tag].value.png):tolist() end
    equal(pixels "digit", {{{0, 127, 255}}})
    equal(pixels "bytes", {{{7, 9}}})
    local last = by_tag.last.value
    equal({last.height, last.width, last.channels}, {2, 5, 3})
  end)
  it("does not wait in any step, and writes at most once a second", function()
    local writer <close> = loggers.SummaryWriter(folder())
    local loss = tide.tensor(1.0, {device = device})
    tide.synchronize()
    local waits = tide.wait_count()
    for step = 1, 3 do
      writer:add_scalar("loss", loss, step)
      loss:add_(1)
    end
    equal(tide.wait_count() - waits, 0)
    equal(#loggers.read_events(writer.path), 0)
    writer.written_at = writer.written_at - 1
    writer:add_scalar("loss", loss, 4)
    local values = {}
    for i, event in ipairs(loggers.read_events(writer.path)) do values[i] = event.value end
    equal(values, {1.0, 2.0, 3.0, 4.0})
  end)
end)

describe("files of events", function()
  local folder = own_folder()

  local function example()
    local writer <close> = loggers.SummaryWriter(folder())
    writer:add_scalar("loss", 0.5, 1)
    writer:add_text("note", "text", 2)
    writer:add_histogram("weights", tide.tensor {1.0, 2}, 3, 2)
    writer:add_image("picture", tide.ones(1, 2, 2), 4)
    writer:log_hyperparams {lr = 0.5}
    return writer.path
  end

  it("that end within a record return the complete records", function()
    local path = example()
    local text, most = contents(path), 0
    for length = 0, #text do
      write(path, text:sub(1, length))
      local events, problem = loggers.read_events(path)
      test.is_true(#events >= most)
      most = #events
      if length == #text then equal(problem, nil) end
      if problem then test.is_true(problem:find("^the record at byte %d+ is truncated$")) end
    end
    equal(most, 6)
  end)
  it("that are damaged raise an error with the offset, or lack their end", function()
    local path = example()
    local text = contents(path)
    math.randomseed(20)
    for _ = 1, 400 do
      local at, bit = math.random(#text), 1 << math.random(0, 7)
      write(path, text:sub(1, at - 1) .. string.char(text:byte(at) ~ bit) .. text:sub(at + 1))
      raises(path .. ": the record at byte ", loggers.read_events, path)
    end
  end)
  it("with valid checksums but invalid messages raise an error or are read", function()
    local path = folder() .. "/nonsense"
    local text = summary.event(1.5, 3, summary.histogram("h", {min = 1, max = 2, num = 3, sum = 4, sum_squares = 5},
      {1, 2}, {3, 4}))
    math.randomseed(21)
    local read = 0
    for _ = 1, 2000 do
      local damaged = text
      for _ = 1, math.random(3) do
        local at = math.random(#damaged)
        damaged = damaged:sub(1, at - 1) .. string.char(math.random(0, 255)) .. damaged:sub(at + math.random(0, 2))
      end
      write(path, EventFile.record(damaged))
      local ok, result = pcall(loggers.read_events, path)
      if ok then read = read + 1 end
      local named = ok or result:find(path .. ": the record at byte 0 is damaged: a ", 1, true)
      if not named then error(result) end
    end
    test.is_true(read > 0 and read < 2000)
  end)
  it("that cannot be written continue after the last complete record", function()
    local writer <close> = loggers.SummaryWriter(folder())
    writer:add_scalar("a", 1, 1)
    writer:save()
    writer:add_scalar("b", 2, 2)
    os.rename(writer.path, folder() .. "/kept")
    os.execute(("ln -s /dev/full '%s'"):format(writer.path))
    raises(writer.path .. ": No space left on device", writer.save, writer)
    -- As if a part had been written.
    write(folder() .. "/kept", contents(folder() .. "/kept") .. "part of")
    os.rename(folder() .. "/kept", writer.path)
    writer:save()
    local events, problem = loggers.read_events(writer.path)
    equal({#events, events[2].tag, problem}, {2, "b"})
  end)
end)

describe("CSVLogger", function(device)
  local folder = own_folder()

  local function new(options)
    options = options or {}
    options.save_dir = folder()
    local logger = loggers.CSVLogger(options)
    return logger, function() return contents(logger.path) end
  end

  it("merges rows by step and adds columns later", function()
    local logger <close>, text = new()
    logger:log_metrics({loss = tide.tensor(0.5, {device = device}), epoch = 1}, 1)
    logger:log_metrics({accuracy = 0.25}, 1)
    logger:log_metrics({loss = 0.125}, 2)
    logger:save()
    equal(text(), "accuracy,epoch,loss,step\n0.25,1,0.5,1\n,,0.125,2\n")
    logger:log_metrics({loss = 1e300}, 3)
    logger:save()
    equal(text(), "accuracy,epoch,loss,step\n0.25,1,0.5,1\n,,0.125,2\n,,1e+300,3\n")
    logger:log_metrics({["a,\"b\""] = 0 / 0}, 2)
    logger:log_metrics({loss = 1 / 0}, 4)
    logger:save()
    equal(text(), '"a,""b""",accuracy,epoch,loss,step\n,0.25,1,0.5,1\nnan,,,0.125,2\n,,,1e+300,3\n,,,inf,4\n')
    equal(tide.data.read_csv(logger.path)["a,\"b\""]:isnan():tolist(), {true, true, true, true})
  end)
  it("does not wait in any step", function()
    local logger <close>, text = new()
    local loss = tide.tensor(1.0, {device = device})
    tide.synchronize()
    local waits = tide.wait_count()
    for step = 1, 3 do
      logger:log_metrics({loss = loss}, step)
      loss:add_(1)
    end
    equal(tide.wait_count() - waits, 0)
    -- The newest row may still get values.
    logger.written_at = logger.written_at - 1
    logger:log_metrics({other = 1}, 3)
    equal(text(), "loss,step\n1.0,1\n2.0,2\n")
    logger:save()
    equal(text(), "loss,other,step\n1.0,,1\n2.0,,2\n3.0,1,3\n")
  end)
  it("continues the rows of its version, without a partial last row", function()
    do
      local logger <close> = new {version = 7}
      logger:log_metrics({loss = 0.5}, 1)
    end
    local path = folder() .. "/tide_logs/version_7/metrics.csv"
    equal(contents(path), "loss,step\n0.5,1\n")
    for _, part in ipairs {"0.2", "0.25,", "0.25,2"} do
      write(path, "loss,step\n0.5,1\n" .. part)
      local logger <close>, text = new {version = 7}
      logger:log_metrics({loss = 0.75}, 3)
      logger:save()
      equal(text(), "loss,step\n0.5,1\n0.75,3\n")
    end
    write(path, "a,b\n1,2\n")
    raises(path .. " is not a metrics file: row 1", new, {version = 7})
  end)
  it("counts steps itself if they are not given", function()
    local logger <close>, text = new()
    for _, loss in ipairs {3, 2} do logger:log_metrics {loss = loss} end
    logger:log_metrics({loss = 1}, 10)
    logger:save()
    logger:log_metrics {loss = 0}
    logger:save()
    equal(text(), "loss,step\n3,0\n2,1\n1,10\n0,11\n")
  end)
  it("keeps values that cannot be written, and names the file", function()
    local logger <close>, text = new()
    logger:log_metrics({loss = 0.5}, 1)
    os.execute(("ln -s /dev/full '%s'"):format(logger.path))
    raises(logger.path .. " is not a regular file", logger.save, logger)
    os.remove(logger.path)
    logger:save()
    equal(text(), "loss,step\n0.5,1\n")
    logger:log_metrics({loss = 0.25}, 2)
    os.rename(logger.path, folder() .. "/kept")
    os.execute(("ln -s /dev/full '%s'"):format(logger.path))
    raises(logger.path .. ": No space left on device", logger.save, logger)
    os.rename(folder() .. "/kept", logger.path)
    write(logger.path, text() .. "0.2")
    logger:save()
    equal(text(), "loss,step\n0.5,1\n0.25,2\n")
    logger:log_metrics({loss = 0.125}, 3)
    os.rename(logger.log_dir, folder() .. "/moved")
    raises(logger.path .. ": No such file or directory", logger.save, logger)
    os.rename(folder() .. "/moved", logger.log_dir)
  end)
  it("skips a value that cannot be read", function()
    local logger <close>, text = new()
    logger:log_metrics({loss = tide.tensor({1, 2}, {device = device})[tide.tensor({3}, {device = device})]}, 1)
    logger:log_metrics({loss = 0.5}, 2)
    raises("out of range", logger.save, logger)
    logger:save()
    equal(text(), "loss,step\n,1\n0.5,2\n")
  end)
end)

describe("versions of loggers", function()
  local folder = own_folder()

  it("are the next after the largest, or as requested", function()
    for _, class in ipairs {loggers.CSVLogger, loggers.TensorBoardLogger} do
      local name = class.name
      local first <close> = class(folder(), name)
      equal({first.version, first.log_dir, first.name}, {0, folder() .. "/" .. name .. "/version_0", name})
      local given <close> = class {save_dir = folder(), name = name, version = 9}
      equal(given.log_dir, folder() .. "/" .. name .. "/version_9")
      local after <close> = class(folder(), name)
      equal(after.version, 10)
      local named <close> = class(folder(), name, "it's one")
      equal(named.log_dir, folder() .. "/" .. name .. "/it's one")
    end
    local bare <close> = loggers.CSVLogger {save_dir = folder(), name = ""}
    equal(bare.log_dir, folder() .. "/version_0")
  end)
  it("that cannot be made are an error with the folder", function()
    write(folder() .. "/file", "")
    raises(folder() .. "/file/runs: cannot be made: Not a directory",
      function() loggers.CSVLogger(folder() .. "/file", "runs") end)
    raises(folder() .. "/file: cannot be made: Not a directory", loggers.SummaryWriter, folder() .. "/file")
    raises("expected the name of a folder, got an empty string", loggers.SummaryWriter, "")
    raises("expected the name of a folder, got a zero byte in it", loggers.CSVLogger, folder() .. "\0")
  end)
end)

describe("scripts with loggers", function()
  local folder = own_folder()

  local function output_of(options, text)
    write(folder() .. "/script.lua", text)
    return (run(("run %s '%s/script.lua'"):format(options, folder())))
  end

  it("may end without closing them", function()
    output_of("", ([[
      local tide = require "tide"
      logger, writer = tide.loggers.CSVLogger("%s", "", 1), tide.loggers.SummaryWriter("%s/events")
      logger:log_metrics({loss = tide.tensor(0.5)}, 3)
      writer:add_scalar("loss", tide.tensor(0.5), 3)]]):format(folder(), folder()))
    equal(contents(folder() .. "/version_1/metrics.csv"), "loss,step\n0.5,3\n")
    local files <close> = io.popen(("ls '%s/events'"):format(folder()))
    equal(loggers.read_events(folder() .. "/events/" .. files:read "l")[1].value, 0.5)
  end)
  it("may be in a sandbox, in its scratch folder", function()
    local output = output_of("--sandbox", [[
      local tide = require "tide"
      local writer <close> = tide.loggers.SummaryWriter(tide.scratch())
      writer:add_scalar("loss", 0.5, 3)
      writer:flush()
      print("read " .. tide.loggers.read_events(writer.path)[1].value)
      local logger = tide.loggers.CSVLogger(tide.scratch())
      logger:log_metrics({loss = 0.5}, 1)
      logger:close()
      print(logger.version, io.open(logger.path):read "a")
      print(pcall(tide.loggers.CSVLogger, tide.scratch() .. "/../outside"))]])
    test.is_true(output:find("read 0.5", 1, true))
    test.is_true(output:find("0\tloss,step\n0.5,1\n", 1, true))
    test.is_true(output:find("/outside/tide_logs: outside the sandbox", 1, true))
  end)
end)

describe("arguments of loggers", function()
  local folder = own_folder()

  it("are checked", function()
    local logger = loggers.TensorBoardLogger(folder())
    raises("TensorBoardLogger: loss: expected a single value, got shape (2)", logger.log_metrics, logger,
      {loss = tide.ones(2)}, 1)
    raises("add_scalar: argument 2 (value): expected number, tensor or boolean, got string", logger.log_metrics, logger,
      {loss = "0.5"}, 1)
    raises("add_scalar: step: expected an integer, got 1.5", logger.add_scalar, logger, "loss", 1, 1.5)
    raises("add_scalar: argument 1 (tag): expected string, got nothing", logger.add_scalar, logger)
    raises("log_metrics: argument 1 (metrics): expected table, got number", logger.log_metrics, logger, 3)
    raises("picture: expected a tensor of 3 dimensions (CHW), got shape (2, 2)", logger.add_image, logger, "picture",
      tide.ones(2, 2))
    raises("expected 1 to 4 channels", logger.add_image, logger, "picture", tide.ones(9, 2, 2))
    raises([[format must be "CHW", "HWC" or "HW", got "WHC"]], logger.add_image, logger, "picture", tide.ones(1, 2, 2), 1, "WHC")
    raises("add_histogram: bins must be positive, got 0", logger.add_histogram, logger, "weights", tide.ones(2), 1, 0)
    logger:add_histogram("weights", tide.ones(2) / 0, 1)
    raises("add_histogram: weights: expected at least one finite value", logger.save, logger)
    logger:close()
    logger:close()
    raises("TensorBoardLogger is closed", logger.add_scalar, logger, "loss", 1)
    raises("CSVLogger: version: expected an integer or a string, got -1", loggers.CSVLogger, folder(), "a", -1)
    raises("CSVLogger: 'step' is reserved for the step column", function()
      loggers.CSVLogger(folder()):log_metrics({step = 1}, 1)
    end)
  end)
  it("may be hyperparameters", function()
    for _, class in ipairs {loggers.CSVLogger, loggers.TensorBoardLogger} do
      local logger <close> = class(folder())
      logger:log_hyperparams {lr = 1e-7, name = 'a "b"\n', model = {layers = 2, bias = false}}
      logger:log_hyperparams {lr = tide.tensor(0.5)}
      equal(contents(logger.log_dir .. "/hparams.yaml"),
        'lr: 0.5\nmodel/bias: false\nmodel/layers: 2\nname: "a \\"b\\"\\x0A"\n')
    end
  end)
end)
