-- Boxes in images.
local tide = require "tide"
local values = require "tide.onnx.values"

--- Loaded only when a model has boxes.
local function vision_ops() return require("tide.vision").ops end

local ops = {host = {NonMaxSuppression = {3, 4, 5}}}

ops.attributes = {
  NonMaxSuppression = "center_point_box",
  RoiAlign = "coordinate_transformation_mode mode=avg output_height output_width sampling_ratio spatial_scale",
}

--- Boxes with their lower corner first, (y, x, y, x), from any two opposite corners or from a center.
local function corners(boxes, by_center)
  if by_center then
    local x, y, w, h = table.unpack(boxes:unbind(-1))
    return tide.stack({y - h / 2, x - w / 2, y + h / 2, x + w / 2}, -1)
  end
  local a, b, c, d = table.unpack(boxes:unbind(-1))
  return tide.stack({a:minimum(c), b:minimum(d), a:maximum(c), b:maximum(d)}, -1)
end

--- Rows (image, class, box), from 0, of the kept boxes; waits for each class.
function ops.NonMaxSuppression(node, boxes, scores, limit, iou, least_score)
  local most = math.min(values.list(limit or tide.tensor{0})[1], boxes:size(2))
  local threshold = iou and values.list(iou)[1] or 0.0
  local least = least_score and values.list(least_score)[1]
  local own, rows = corners(boxes, node.attributes.center_point_box == 1), {}
  for image = 1, scores:size(1) do
    for class = 1, scores:size(2) do
      local points = scores:select(1, image):select(1, class)
      local candidates = least and points:gt(least):nonzero():flatten()
        or tide.arange(1, points:numel() + 1, {device = points.device})
      if candidates:numel() > 0 then
        local kept = vision_ops().nms(own:select(1, image):index_select(1, candidates),
          points:index_select(1, candidates), threshold)
        local chosen = candidates:index_select(1, kept):tolist()
        for i = 1, math.min(most, #chosen) do
          rows[#rows + 1] = {image - 1, class - 1, chosen[i] - 1}
        end
      end
    end
  end
  if #rows == 0 then return tide.zeros({0, 3}, {dtype = "int64", device = boxes.device}) end
  return tide.tensor(rows, {dtype = "int64", device = boxes.device})
end

--- Means of samples in the cells of boxes.
function ops.RoiAlign(node, x, boxes, batch)
  local a = node.attributes
  local mode = a.coordinate_transformation_mode
  local aligned = node.version >= 16 and mode ~= "output_half_pixel"
  local rois = tide.cat({batch:to(boxes.dtype):unsqueeze(2) + 1, boxes}, 2)
  return vision_ops().roi_align(x, rois, {a.output_height or 1, a.output_width or 1}, {
    spatial_scale = a.spatial_scale or 1.0, sampling_ratio = a.sampling_ratio or 0,
    aligned = aligned,
  })
end

return ops
