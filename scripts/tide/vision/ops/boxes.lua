-- Boxes: areas, overlaps, and formats. A row of a tensor (..., 4) is a box (x1, y1, x2, y2).
local checked = require "tide.internal.declare.checked"
local raise = require "tide.internal.raise"
local tide = require "tide"

local boxes_ops = {}

--- Raises an error unless the last dimension of the tensor has four elements.
local function check_boxes(caller, boxes)
  if boxes:dim() < 1 or boxes:size(-1) ~= 4 then
    raise("%s: expected boxes of 4 numbers in the last dimension, got (%s)", caller,
      table.concat(boxes.shape, ", "))
  end
end

--- The coordinates of all boxes as four tensors.
local function parts(boxes) return table.unpack(boxes:unbind(-1)) end

-- To and from corners (x1, y1, x2, y2), for each format.
local to_corners = {
  xyxy = function(x1, y1, x2, y2) return x1, y1, x2, y2 end,
  xywh = function(x, y, width, height) return x, y, x + width, y + height end,
  cxcywh = function(x, y, width, height)
    return x - width * 0.5, y - height * 0.5, x + width * 0.5, y + height * 0.5
  end,
}
local from_corners = {
  xyxy = function(x1, y1, x2, y2) return x1, y1, x2, y2 end,
  xywh = function(x1, y1, x2, y2) return x1, y1, x2 - x1, y2 - y1 end,
  cxcywh = function(x1, y1, x2, y2) return (x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1 end,
}

local function check_form(caller, form)
  if not to_corners[form] then
    raise("%s: unknown box format '%s': known are cxcywh, xywh, xyxy", caller, form)
  end
end

--- Converts boxes to another format: xyxy (corners), xywh (corner and size), cxcywh (center and size).
---@use vision: boxes
---@param in_fmt "xyxy" | "xywh" | "cxcywh"  format of the boxes
---@param out_fmt "xyxy" | "xywh" | "cxcywh"  format of the result
---@example
--- tide.vision.ops.box_convert(tide.tensor{{0.0, 1, 2, 4}}, "xyxy", "cxcywh") --> {{1.0, 2.5, 2.0, 3.0}}
boxes_ops.box_convert = checked("vision.ops.box_convert", function(boxes, in_fmt, out_fmt)
  check_boxes("box_convert", boxes)
  check_form("box_convert", in_fmt)
  check_form("box_convert", out_fmt)
  if in_fmt == out_fmt then return boxes:clone() end
  local converted = {from_corners[out_fmt](to_corners[in_fmt](parts(boxes)))}
  return tide.stack(converted, -1)
end)

--- The area of each box, a row (x1, y1, x2, y2).
---@use vision: boxes, fmt = "xyxy"
---@example
--- tide.vision.ops.box_area(tide.tensor{{0.0, 0, 2, 3}}) --> {6.0}
boxes_ops.box_area = checked("vision.ops.box_area", function(boxes, fmt)
  -- The area of each box; negative if its corners are swapped.
  check_boxes("box_area", boxes)
  check_form("box_area", fmt)
  local first, second, third, fourth = parts(boxes)
  if fmt == "xyxy" then return (third - first) * (fourth - second) end
  return third * fourth
end)

--- The corners of boxes1 (..., n, 1) and boxes2 (..., 1, m), as two lists that broadcast.
local function pairs_of(caller, boxes1, boxes2, form)
  check_boxes(caller, boxes1)
  check_boxes(caller, boxes2)
  check_form(caller, form)
  local function corners(boxes, dim)
    local list = {to_corners[form](parts(boxes))}
    for i = 1, 4 do list[i] = list[i]:unsqueeze(dim) end
    return list
  end
  return corners(boxes1, -1), corners(boxes2, -2)
end

local function area_of(box) return (box[3] - box[1]) * (box[4] - box[2]) end

--- The intersection and union areas of pairs of boxes.
local function overlap(a, b)
  local width = (a[3]:minimum(b[3]) - a[1]:maximum(b[1])):clamp(0)
  local height = (a[4]:minimum(b[4]) - a[2]:maximum(b[2])):clamp(0)
  local shared = width * height
  return shared, area_of(a) + area_of(b) - shared
end

--- Width and height of the smallest boxes around pairs of boxes.
local function hull(a, b)
  return (a[3]:maximum(b[3]) - a[1]:minimum(b[1])):clamp(0),
    (a[4]:maximum(b[4]) - a[2]:minimum(b[2])):clamp(0)
end

--- The intersection over union of each pair of boxes.
---@use vision: boxes1, boxes2, fmt = "xyxy"
---@formula area of the intersection / area of the union
---@see vision.ops.nms vision.ops.box_convert
---@example
--- tide.vision.ops.box_iou(tide.tensor{{0.0, 0, 2, 2}}, tide.tensor{{0.0, 1, 2, 3}}) --> {{0.3333}}
boxes_ops.box_iou = checked("vision.ops.box_iou", function(boxes1, boxes2, fmt)
  -- The intersection over union of each pair of boxes: (n, m) for n and m boxes.
  local shared, covered = overlap(pairs_of("box_iou", boxes1, boxes2, fmt))
  return shared / covered
end)

--- box_iou minus the fraction of the smallest enclosing box that neither box covers.
---@use vision: boxes1, boxes2
---@example
--- tide.vision.ops.generalized_box_iou(tide.tensor{{0.0, 0, 1, 1}}, tide.tensor{{0.0, 1, 1, 4}}) --> {{0.0}}
boxes_ops.generalized_box_iou = checked("vision.ops.generalized_box_iou", function(boxes1, boxes2)
  -- Generalized intersection over union (Rezatofighi et al.).
  local a, b = pairs_of("generalized_box_iou", boxes1, boxes2, "xyxy")
  local shared, covered = overlap(a, b)
  local width, height = hull(a, b)
  local area = width * height
  return shared / covered - (area - covered) / area
end)

--- distance_box_iou and box_iou of pairs.
local function distance_iou(a, b, eps)
  local shared, covered = overlap(a, b)
  local iou = shared / covered
  local width, height = hull(a, b)
  local diagonal = width ^ 2 + height ^ 2 + eps
  local x = (a[1] + a[3]) / 2 - (b[1] + b[3]) / 2
  local y = (a[2] + a[4]) / 2 - (b[2] + b[4]) / 2
  return iou - (x ^ 2 + y ^ 2) / diagonal, iou
end

--- box_iou minus the squared distance of the centers over the squared diagonal of the smallest enclosing box.
---@use vision: boxes1, boxes2, eps = 1e-7
---@example
--- tide.vision.ops.distance_box_iou(tide.tensor{{0.0, 0, 1, 1}}, tide.tensor{{0.0, 0, 1, 1}}) --> {{1.0}}
boxes_ops.distance_box_iou = checked("vision.ops.distance_box_iou", function(boxes1, boxes2, eps)
  local a, b = pairs_of("distance_box_iou", boxes1, boxes2, "xyxy")
  return (distance_iou(a, b, eps))
end)

--- distance_box_iou minus a term for different aspect ratios.
---@like vision.ops.distance_box_iou
---@example
--- tide.vision.ops.complete_box_iou(tide.tensor{{0.0, 0, 1, 1}}, tide.tensor{{0.0, 0, 1, 1}}) --> {{1.0}}
boxes_ops.complete_box_iou = checked("vision.ops.complete_box_iou", function(boxes1, boxes2, eps)
  local a, b = pairs_of("complete_box_iou", boxes1, boxes2, "xyxy")
  local distance, iou = distance_iou(a, b, eps)
  local function angle(box) return ((box[3] - box[1]) / (box[4] - box[2])):atan() end
  local ratio = (angle(a) - angle(b)) ^ 2 * (4 / math.pi ^ 2)
  local weight = (ratio / (1 - iou + ratio + eps)):detach()
  return distance - weight * ratio
end)

--- Boxes clipped to the borders of an image.
---@use vision: boxes
---@param size integer[]  height and width of the image
---@example
--- tide.vision.ops.clip_boxes_to_image(tide.tensor{{-1.0, 2, 9, 9}}, {5, 7}) --> {{0.0, 2.0, 7.0, 5.0}}
boxes_ops.clip_boxes_to_image = checked("vision.ops.clip_boxes_to_image", function(boxes, size)
  -- Boxes clipped to the borders of an image of size {height, width}.
  check_boxes("clip_boxes_to_image", boxes)
  local height, width = size[1], size[2]
  if type(height) ~= "number" or type(width) ~= "number" then
    raise("clip_boxes_to_image: size: expected {height, width}")
  end
  local x1, y1, x2, y2 = parts(boxes)
  return tide.stack({x1:clamp(0, width), y1:clamp(0, height), x2:clamp(0, width),
    y2:clamp(0, height)}, -1)
end)

--- The positions of the boxes whose sides are all at least min_size; waits.
---@use vision: boxes
---@param min_size number  the minimum width and height
---@example
--- tide.vision.ops.remove_small_boxes(tide.tensor{{0.0, 0, 1, 9}, {0, 0, 3, 3}}, 2) --> {2}
boxes_ops.remove_small_boxes = checked("vision.ops.remove_small_boxes", function(boxes, min_size)
  check_boxes("remove_small_boxes", boxes)
  local x1, y1, x2, y2 = parts(boxes)
  local keep = (x2 - x1):ge(min_size):logical_and((y2 - y1):ge(min_size))
  return keep:nonzero():select(2, 1)
end)

return boxes_ops
