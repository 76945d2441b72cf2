-- The table `tide.vision.ops`: shared layers of networks, boxes, and regions of images.
local lazy_table = require "tide.internal.lazy_table"

--- Boxes, regions, layers of networks: see tide.vision.ops.NAME.
---@type table
---@example
--- tide.vision.ops.nms ~= nil --> true
return lazy_table("tide.vision.ops", {}, {
  boxes = {
    "box_area", "box_convert", "box_iou", "clip_boxes_to_image", "complete_box_iou",
    "distance_box_iou", "generalized_box_iou", "remove_small_boxes",
  },
  layers = {"Conv2dNormActivation", "MLP", "Permute", "SqueezeExcitation"},
  regions = {"RoIAlign", "RoIPool", "roi_align", "roi_pool"},
  stochastic_depth = {"StochasticDepth", "stochastic_depth"},
  suppression = {"batched_nms", "nms"},
})
