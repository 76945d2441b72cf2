-- Writing to a full disk: each writer raises an error that names the file, and the old file remains.
-- A limit on file sizes simulates the full disk.
local tide = require "tide"
local test = require "tide.test"
local native = require "tide.native"
local describe, it = test.describe, test.it
local equal = test.same_type

local here = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local run = dofile(here .. "/../support/program.lua")
local own_folder = dofile(here .. "/../support/own_folder.lua")

local kScript <const> = [[
  local tide = require "tide"
  local x, image = tide.rand(64, 64), tide.randint(0, 255, {3, 64, 64}):to "uint8"
  local function try(path, write, ...)
    local done, message = pcall(write, ...)
    print(path, done and "written" or message:match(path:gsub("%p", "%%%0") .. ".*File too large") and "refused"
      or message)
  end
  try("tensors", tide.save, {x = x}, "tensors")
  try("array", tide.np.save, "array", x)
  try("arrays", tide.np.savez, "arrays", {x = x})
  try("packed", tide.np.savez_compressed, "packed", {x = x})
  try("png", tide.vision.write_png, image, "png")
  try("jpeg", tide.vision.write_jpeg, image, "jpeg")
  try("picture.png", tide.vision.save_image, tide.rand(3, 64, 64), "picture.png")
  try("bytes", tide.vision.write_file, "bytes", ("x"):rep(5000))
  local logger = tide.loggers.CSVLogger(".", "", 0)
  logger:log_metrics({loss = 0.5}, 1)
  logger:save()
  for step = 2, 3 do logger:log_metrics({["loss" .. ("x"):rep(2000)] = step}, step) end
  try("version_0/metrics.csv", logger.save, logger)
  try("version_0/hparams.yaml", logger.log_hyperparams, logger, {name = ("x"):rep(5000)})
  local writer = tide.loggers.SummaryWriter("events")
  writer:add_scalar("loss", 0.5, 1)
  writer:flush()
  writer:add_text("note", ("x"):rep(5000), 2)
  try("events/", writer.flush, writer)
  local small, large = tide.nn.Linear(1, 1), tide.nn.Linear(64, 64)
  tide.training.CheckpointManager("run", {net = small}, {keep = 1}):save()
  local manager = tide.training.CheckpointManager("run", {net = large}, {keep = 1})
  try("run-000002.safetensors", manager.save, manager)
  os.exit(true, false)
]]

describe("a full disk", function()
  local folder = own_folder()

  it("does not change old files, and leaves no other files", function()
    local paths = {"tensors", "array", "arrays", "packed", "png", "jpeg", "picture.png", "bytes"}
    for _, path in ipairs(paths) do native.write_file(folder() .. "/" .. path, "old") end
    native.write_file(folder() .. "/script.lua", kScript)
    -- In blocks of 512 or 1024 bytes, depending on the shell.
    local output = run("run script.lua", ("cd '%s'; ulimit -f 3; exec"):format(folder()))
    local expected = table.move(paths, 1, #paths, 1, {})
    for _, path in ipairs {"version_0/metrics.csv", "version_0/hparams.yaml", "events/", "run-000002.safetensors"} do
      expected[#expected + 1] = path
    end
    equal(output, table.concat(expected, "\trefused\n") .. "\trefused\n")
    for _, path in ipairs(paths) do
      local file <close> = assert(io.open(folder() .. "/" .. path, "rb"))
      equal({path, file:read "a"}, {path, "old"})
    end
    local metrics <close> = assert(io.open(folder() .. "/version_0/metrics.csv"))
    equal(metrics:read "a", "loss,step\n0.5,1\n")
    equal(native.list_folder(folder() .. "/version_0"), {"metrics.csv"})
    local names = native.list_folder(folder() .. "/events")
    equal({#names, tide.loggers.read_events(folder() .. "/events/" .. names[1])[1].value}, {1, 0.5})
    equal(tide.load(folder() .. "/run-000001.safetensors").net.weight.shape, {1, 1})
    equal(native.file_kind(folder() .. "/run-000002.safetensors"), nil)
    equal(native.list_folder(folder()), {"array", "arrays", "bytes", "events", "jpeg", "packed", "picture.png", "png",
      "run-000001.safetensors", "run-index.safetensors", "script.lua", "tensors", "version_0"})
  end)
end)
