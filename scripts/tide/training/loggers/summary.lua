-- Summary values as TensorBoard's protocol buffers: scalars, text, histograms, images, hyperparameters.
local hyperparams = require "tide.training.loggers.hyperparams"
local protobuf = require "tide.training.loggers.protobuf"
local integer, double, bytes = protobuf.integer, protobuf.double, protobuf.bytes

local summary = {}

-- Fields of Summary.Value.
local kTag <const>, kScalar <const>, kImage <const>, kHistogram <const>, kTensor <const>, kMetadata <const> =
  1, 2, 4, 5, 8, 9

local kString <const> = 7 -- the type of a tensor of strings

--- An Event with one value in its summary.
function summary.event(wall_time, step, value)
  return double(1, wall_time) .. integer(2, step) .. bytes(5, bytes(1, value))
end

--- The first Event of a file.
function summary.first_event(wall_time) return double(1, wall_time) .. bytes(3, "brain.Event:2") end

function summary.scalar(tag, value) return bytes(kTag, tag) .. protobuf.float(kScalar, value) end

local function metadata(plugin, content)
  return bytes(kMetadata, bytes(1, bytes(1, plugin) .. (content and bytes(2, content) or "")))
end

function summary.text(tag, text)
  local shape = bytes(2, bytes(2, integer(1, 1)))
  return bytes(kTag, tag) .. bytes(kTensor, integer(1, kString) .. shape .. bytes(8, text)) .. metadata "text"
end

function summary.image(tag, height, width, channels, png)
  return bytes(kTag, tag) .. bytes(kImage, integer(1, height) .. integer(2, width) .. integer(3, channels)
    .. bytes(4, png))
end

--- `limits` are the upper ends of the buckets, `counts` their numbers of values.
function summary.histogram(tag, figures, limits, counts)
  return bytes(kTag, tag) .. bytes(kHistogram, double(1, figures.min) .. double(2, figures.max)
    .. double(3, figures.num) .. double(4, figures.sum) .. double(5, figures.sum_squares)
    .. protobuf.doubles(6, limits) .. protobuf.doubles(7, counts))
end

-- Hyperparameters ---------------------------------------------------------------------------------

local kTypes <const> = {string = 1, boolean = 2, number = 3} -- DataType of the plugin

--- A google.protobuf.Value.
local function setting(value)
  if type(value) == "string" then return bytes(3, value) end
  if type(value) == "boolean" then return integer(4, value and 1 or 0) end
  return double(2, value)
end

--- The values for the hyperparameter plugin: the declared hyperparameters, and their values in this run.
function summary.hyperparams(flat, wall_time)
  local infos, settings = {}, {}
  for i, name in ipairs(hyperparams.names(flat)) do
    infos[i] = bytes(4, bytes(1, name) .. integer(4, kTypes[type(flat[name])]))
    settings[i] = bytes(1, bytes(1, name) .. bytes(2, setting(flat[name])))
  end
  local start = table.concat(settings) .. double(5, wall_time)
  return bytes(kTag, "_hparams_/experiment") .. metadata("hparams", bytes(2, table.concat(infos))),
    bytes(kTag, "_hparams_/session_start_info") .. metadata("hparams", bytes(3, start))
end

return summary
