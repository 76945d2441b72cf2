-- The table `tide.vision`: images, image data sets, networks, and ops on boxes and regions.
local lazy_table = require "tide.internal.lazy_table"

--- Image networks, data sets and ops: see tide.vision.NAME.
---@type table
---@example
--- tide.vision.models ~= nil --> true
return lazy_table("tide.vision", {
  datasets = "datasets", io = "io", models = "models", ops = "ops", transforms = "transforms",
}, {
  io = {
    "decode_image", "decode_jpeg", "decode_png", "encode_jpeg", "encode_png", "read_file",
    "read_image", "write_file", "write_jpeg", "write_png",
  },
  utils = {"draw_bounding_boxes", "make_grid", "save_image"},
})
