-- Non-maximum suppression: keeps the highest-scoring box among boxes that overlap.
local box_iou = require("tide.vision.ops.boxes").box_iou
local reader = require "tide.internal.declare.reader"
local raise = require "tide.internal.raise"
local tide = require "tide"

local suppression = {}

local function check(caller, boxes, scores)
  if boxes:dim() ~= 2 or boxes:size(2) ~= 4 then
    raise("%s: expected boxes of shape (n, 4), got (%s)", caller, table.concat(boxes.shape, ", "))
  end
  if scores:dim() ~= 1 or scores:size(1) ~= boxes:size(1) then
    raise("%s: expected %d scores, one for each box, got shape (%s)", caller, boxes:size(1),
      table.concat(scores.shape, ", "))
  end
end

local kBlock <const> = 1000 -- rows of overlaps per read

--- The indices of the kept boxes in a list sorted from best to worst. The decisions are made on the host, in
--- order, from the overlaps of all pairs.
local function kept_indices(boxes, threshold)
  local count, gone, kept = boxes:size(1), {}, {}
  for first = 1, count, kBlock do
    local last = math.min(first + kBlock - 1, count)
    local remaining = boxes:narrow(1, first, count - first + 1)
    local rows = boxes:narrow(1, first, last - first + 1)
    local too_near, width = box_iou(rows, remaining):gt(threshold):to("uint8"):bytes(), count - first + 1
    for i = first, last do
      if not gone[i] then
        kept[#kept + 1] = i
        -- Starts at box i; earlier boxes are decided.
        local start = (i - first) * width
        local at = start + i - first + 1
        while true do
          at = too_near:find("\1", at + 1, true)
          if not at or at > start + width then break end
          gone[first + at - start - 1] = true
        end
      end
    end
  end
  return kept
end

local function positions(list, device)
  if #list == 0 then return tide.zeros({0}, {dtype = "int64", device = device}) end
  return tide.tensor(list, {dtype = "int64", device = device})
end

--- Non-maximum suppression: the positions of the boxes to keep, sorted by decreasing score; waits.
---@use vision: boxes, scores, iou_threshold
---@counts the positions of the kept boxes
---@see vision.ops.box_iou
---@example
--- local boxes = tide.tensor{{0.0, 0, 2, 2}, {0, 0, 2, 3}, {5, 5, 6, 6}}
--- tide.vision.ops.nms(boxes, tide.tensor{0.5, 0.9, 0.1}, 0.5) --> {2, 3}
local read_nms = reader "vision.ops.nms"

--- The positions, from 1, of the kept boxes by decreasing score: a box is dropped if its overlap
--- (box_iou) with a kept one exceeds iou_threshold. Waits.
function suppression.nms(...)
  local given = read_nms(...)
  local boxes, scores = given.boxes:detach(), given.scores:detach()
  check("nms", boxes, scores)
  if boxes:size(1) == 0 then return positions({}, boxes.device) end
  local order = scores:argsort(1, true, true)
  local kept = kept_indices(boxes:index_select(1, order), given.iou_threshold)
  return order:index_select(1, positions(kept, boxes.device))
end

--- Non-maximum suppression among boxes of the same class, given by idxs; waits.
---@use vision: boxes, scores
---@param idxs tensor  the class of each box; boxes of different classes do not suppress each other
---@use vision: iou_threshold
---@counts the positions of the kept boxes
---@see vision.ops.nms vision.ops.box_iou
---@example
--- local boxes = tide.tensor{{0.0, 0, 2, 2}, {0, 0, 2, 3}}
--- tide.vision.ops.batched_nms(boxes, tide.tensor{0.5, 0.9}, tide.tensor{1, 2}, 0.5) --> {2, 1}
local read_batched = reader "vision.ops.batched_nms"

function suppression.batched_nms(...)
  local given = read_batched(...)
  local boxes, scores, idxs = given.boxes:detach(), given.scores:detach(), given.idxs
  check("batched_nms", boxes, scores)
  if idxs:dim() ~= 1 or idxs:size(1) ~= boxes:size(1) then
    raise("batched_nms: expected %d idxs, one for each box, got shape (%s)", boxes:size(1),
      table.concat(idxs.shape, ", "))
  end
  if boxes:size(1) == 0 then return positions({}, boxes.device) end
  -- Moves boxes of different classes so far apart that they do not overlap.
  local apart = idxs:to(boxes.dtype) * (boxes:max() + 1)
  return suppression.nms(boxes + apart:unsqueeze(2), scores, given.iou_threshold)
end

return suppression
