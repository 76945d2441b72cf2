-- tide.vision.ops: boxes and regions have torchvision's values; positions count from 1.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local close, equal, raises = test.close, test.same_type, test.raises
local ops = tide.vision.ops

describe("boxes", function(device)
  local function tensor(values, options)
    options = options or {}
    options.device = device
    return tide.tensor(values, options)
  end
  local boxes, others, scores

  test.before_each(function()
    boxes = tensor {{0.0, 0, 10, 10}, {1, 1, 11, 12}, {20, 20, 30, 28}, {-3, 2, 5, 40.5},
      {0, 0, 10, 9.5}, {21, 19, 30, 29}}
    others = tensor {{2.0, 2, 8, 9}, {15, 15, 25, 33}, {100, 100, 101, 103}}
    scores = tensor {0.3, 0.9, 0.5, 0.4, 0.8, 0.5}
  end)

  it("have areas, in each form", function()
    close(ops.box_area(boxes), {100, 110, 80, 308, 95, 90})
    for _, form in ipairs {"xywh", "cxcywh"} do
      close(ops.box_area(ops.box_convert(boxes, "xyxy", form), form), {100, 110, 80, 308, 95, 90})
    end
  end)
  it("are converted to other formats, and back", function()
    close(ops.box_convert(boxes, "xyxy", "xywh"), {{0, 0, 10, 10}, {1, 1, 10, 11}, {20, 20, 10, 8},
      {-3, 2, 8, 38.5}, {0, 0, 10, 9.5}, {21, 19, 9, 10}})
    local centered = ops.box_convert(boxes, "xyxy", "cxcywh")
    close(centered, {{5, 5, 10, 10}, {6, 6.5, 10, 11}, {25, 24, 10, 8}, {1, 21.25, 8, 38.5},
      {5, 4.75, 10, 9.5}, {25.5, 24, 9, 10}})
    close(ops.box_convert(centered, "cxcywh", "xyxy"), boxes)
    close(ops.box_convert(centered, "cxcywh", "xywh"), ops.box_convert(boxes, "xyxy", "xywh"))
    local same = ops.box_convert(boxes, "xyxy", "xyxy")
    same:zero_()
    close(ops.box_area(boxes)[1], 100)
  end)
  it("have these overlaps", function()
    close(ops.box_iou(boxes, others), {{0.42, 0, 0}, {0.381818175, 0, 0}, {0, 0.181818187, 0},
      {0.0638297871, 0, 0}, {0.442105263, 0, 0}, {0, 0.173913047, 0}}, {atol = 1e-6})
    close(ops.box_iou(boxes:abs() + 1, others, {fmt = "cxcywh"}), {{0.595041335, 0.0350109413, 0},
      {0.461538464, 0.0593952499, 0}, {0, 0.468483806, 0}, {0.163043484, 0.118313156, 0},
      {0.595744669, 0.0340846628, 0}, {0, 0.464330405, 0}}, {atol = 1e-6})
    close(ops.generalized_box_iou(boxes, others), {{0.42, -0.660606086, -0.990099013},
      {0.381818175, -0.622395813, -0.988921583}, {-0.832417607, -0.00336699188, -0.987654328},
      {-0.159310699, -0.547309816, -0.970392227}, {0.442105263, -0.666666687, -0.990579665},
      {-0.825396836, 0.0257648975, -0.986160696}}, {atol = 1e-6})
    close(ops.distance_box_iou(boxes, others), {{0.418749988, -0.341890305, -0.885752022},
      {0.372768402, -0.313906252, -0.879986763}, {-0.508390427, 0.13628085, -0.870371759},
      {-0.100874715, -0.162631005, -0.777480721}, {0.439148635, -0.34746936, -0.888073623},
      {-0.503965616, 0.118812859, -0.864391327}}, {atol = 1e-6})
    close(ops.complete_box_iou(boxes, others), {{0.418740183, -0.342845619, -0.89273423},
      {0.372768223, -0.314361841, -0.884586334}, {-0.508590281, 0.132006288, -0.886133432},
      {-0.11105492, -0.16395241, -0.777511179}, {0.439116508, -0.348820448, -0.896654785},
      {-0.503965676, 0.118309326, -0.868780613}}, {atol = 1e-6})
  end)
  it("are clipped at the borders of an image, and small ones are found", function()
    close(ops.clip_boxes_to_image(boxes, {9, 25}), {{0, 0, 10, 9}, {1, 1, 11, 9}, {20, 9, 25, 9},
      {0, 2, 5, 9}, {0, 0, 10, 9}, {21, 9, 25, 9}})
    equal(ops.remove_small_boxes(boxes, 9.5):tolist(), {1, 2, 5})
    equal(ops.remove_small_boxes(boxes, 99).shape, {0})
  end)
  it("that overlap a better one by more than the threshold are suppressed", function()
    for threshold, kept in pairs {
      [0.3] = {2, 3, 4}, [0.5] = {2, 3, 4}, [0.7] = {2, 5, 3, 4}, [0.9] = {2, 5, 3, 6, 4},
    } do
      equal(ops.nms(boxes, scores, threshold):tolist(), kept)
    end
    local classes = tensor {0, 1, 0, 1, 1, 0}
    equal(ops.batched_nms(boxes, scores, classes, 0.3):tolist(), {2, 3, 4, 1})
    local none = ops.nms(boxes:narrow(1, 1, 0), scores:narrow(1, 1, 0), 0.5)
    equal({none.shape, none.dtype}, {{0}, "int64"})
  end)
  it("are kept equally in one pass or in parts", function()
    -- Boxes of side 1 on a line, 0.5 apart: every second one is kept.
    local count = 1200
    local left = tide.arange(count, {dtype = "float32", device = device}) * 0.5
    local zero = tide.zeros({count}, {device = device})
    local line = tide.stack({left, zero, left + 1, zero + 1}, 2)
    local kept = ops.nms(line, -left, 0.3)
    equal(kept:tolist(), (tide.arange(count // 2) * 2 + 1):tolist())
  end)
  it("propagate gradients through their overlaps", function()
    local x = tensor({{0.0, 0, 2, 2}}, {requires_grad = true})
    ops.box_iou(x, tensor {{1.0, 0, 3, 2}}):sum():backward()
    -- Both cover 2, together 6: x2 moves the first by 2, x1 the second by -2.
    close(x.grad[{1, 1}], 2 * 2 / 36)
    close(x.grad[{1, 3}], 2 / 6)
  end)
  it("of invalid shapes or formats are errors", function()
    raises("box_area: expected boxes of 4 numbers in the last dimension, got (2, 3)", ops.box_area,
      tide.ones(2, 3))
    raises('box_convert: in_fmt must be "xyxy", "xywh" or "cxcywh", got "xy"', ops.box_convert,
      boxes, "xy", "xyxy")
    raises("nms: expected boxes of shape (n, 4), got (4)", ops.nms, tide.ones(4), scores, 0.5)
    raises("nms: expected 6 scores, one for each box, got shape (3)", ops.nms, boxes, tide.ones(3), 0.5)
    raises("batched_nms: expected 6 idxs, one for each box, got shape (2)", ops.batched_nms, boxes,
      scores, tide.ones(2), 0.5)
    raises("nms: argument 3 (iou_threshold): expected number, got nothing", ops.nms, boxes, scores)
    raises("clip_boxes_to_image: size: expected {height, width}", ops.clip_boxes_to_image, boxes, {5})
  end)
end)

describe("regions of images", function(device)
  local kHeight <const>, kWidth <const> = 9, 11

  local function image()
    local i = tide.arange(2 * 2 * kHeight * kWidth, {dtype = "float64"})
    local x = (i * 0.9 + i * i * 0.002 + 0.2):sin():float():reshape(2, 2, kHeight, kWidth)
    return x:to(device):requires_grad_()
  end

  local function rows()
    return tide.tensor({{1, 1.0, 1, 7.5, 6}, {2, -2, -1.5, 4, 4}, {2, 3, 2, 25, 19}, {1, 5, 5, 5, 5},
      {2, 8.5, 7, 10.9, 8.9}}, {device = device})
  end

  --- Compares values at some positions, and the gradient by its sums.
  local function check(x, y, places, sums)
    equal(y.shape, {5, 2, 2, 3})
    local flat = y:flatten():tolist()
    for place, value in pairs(places) do close(flat[place], value, {rtol = 0, atol = 2e-6}) end
    local weights = tide.arange(60, {dtype = "float32", device = device}):sin():reshape(5, 2, 2, 3)
    ;(y * weights):sum():backward()
    local gradient = x.grad
    close({gradient:sum():item(), gradient:abs():sum():item(), (gradient * x:detach()):sum():item()}, sums,
      {rtol = 1e-5})
  end

  it("are means of a number of samples", function()
    local x = image()
    check(x, ops.roi_align(x, rows(), {2, 3}, {sampling_ratio = 2}),
      {[1] = -0.183149, [2] = -0.135196, [8] = -0.02859, [13] = -0.359146, [24] = 0.094698, [25] = -0.472305,
        [26] = 0, [31] = -0.076538, [40] = -0.808134, [49] = 0.215456, [60] = 0.986977},
      {-0.602407813, 20.7026329, 2.36831665})
  end)
  it("are means of one sample for each pixel of a cell", function()
    local x = image()
    check(x, ops.roi_align(x, rows(), {2, 3}),
      {[1] = -0.188629, [12] = 0.097063, [13] = -0.239313, [25] = 0.009011, [26] = 0.008776, [27] = 0,
        [31] = 0.014236, [37] = -0.851336, [49] = 0.260453, [58] = -0.602802},
      {-0.843693256, 19.0230293, 1.77503657})
  end)
  it("are aligned to the centers of pixels, and 0 where a box is empty", function()
    local x = image()
    check(x, ops.roi_align(x, rows(), {2, 3}, {spatial_scale = 0.5, aligned = true}),
      {[1] = -0.336237, [12] = -0.181353, [13] = -0.719163, [25] = 0.00345, [36] = -0.016369, [37] = 0, [48] = 0,
        [49] = 0.679981, [60] = -0.522076},
      {1.52678871, 19.0940323, 1.48182726})
  end)
  it("have largest values", function()
    local x = image()
    check(x, ops.roi_pool(x, rows(), {2, 3}, 0.5),
      {[1] = 0.033143, [6] = -0.179759, [13] = -0.719163, [25] = 0.999292, [37] = -0.592759, [51] = -0.870979,
        [57] = -0.950016},
      {1.93933988, 22.3665848, 3.40387917})
  end)
  it("accept boxes by image, as functions and modules", function()
    local x, all = image():detach(), rows()
    local function corners(first, count) return all:narrow(1, first, count):narrow(2, 2, 4) end
    -- Boxes 1 and 4 are of image 1.
    local lists = {tide.cat({corners(1, 1), corners(4, 1)}, 1), tide.cat({corners(2, 2), corners(5, 1)}, 1)}
    local order = tide.tensor({1, 4, 2, 3, 5}, {device = device})
    local expected = ops.roi_align(x, all, 2, {sampling_ratio = 2}):index_select(1, order)
    close(ops.roi_align(x, lists, 2, {sampling_ratio = 2}), expected)
    close(ops.RoIAlign(2, 1.0, 2)(x, lists), expected)
    close(ops.RoIPool({2, 3}, 0.5)(x, all), ops.roi_pool(x, all, {2, 3}, 0.5))
    for _, fn in ipairs {ops.roi_align, ops.roi_pool} do
      equal(fn(x, all:narrow(1, 1, 0), 2).shape, {0, 2, 2, 2})
    end
  end)
  it("have gradients that agree with finite differences", function()
    local x = tide.rand({1, 1, 5, 5}, {dtype = "float64", device = device}):requires_grad_()
    local boxes = tide.tensor({{1.0, 0.3, 0.4, 3.9, 4.6}}, {dtype = "float64", device = device})
    test.is_true(tide.autograd.gradcheck(function(input)
      return ops.roi_align(input, boxes, 2, {sampling_ratio = 2, aligned = true})
    end, {x}))
  end)
  it("of invalid shapes are errors", function()
    local x = image():detach()
    raises("roi_align: expected features (n, channels, height, width), got (3)", ops.roi_align, tide.ones(3),
      rows(), 2)
    raises("roi_align: expected boxes of 2 images, got 1", ops.roi_align, x, {tide.ones(1, 4)}, 2)
    raises("roi_pool: boxes of image 2: expected a tensor of shape (n, 4)", ops.roi_pool, x,
      {tide.ones(1, 4), tide.ones(1, 5)}, 2)
    raises("roi_align: boxes: expected a tensor of shape (n, 5)", ops.roi_align, x, tide.ones(1, 4), 2)
    for image_number, fn in pairs {[0] = ops.roi_align, [3] = ops.roi_pool} do
      raises(("position %d is out of range"):format(image_number), function()
        return fn(x, tide.tensor({{image_number, 0, 0, 1.5, 1}}, {device = device}), 2):tolist()
      end)
    end
  end)
end)

describe("layers of networks for images", function(device)
  it("stochastic depth drops rows or all, and keeps the mean", function()
    tide.manual_seed(21)
    local x = tide.ones(1000, 2, 3, {device = device})
    local y = ops.stochastic_depth(x, 0.25, "row")
    -- A row is entirely 0 or 4 / 3.
    close(y:amax({2, 3}), y:amin({2, 3}))
    close(y:unique():tolist(), {0, 4 / 3})
    test.is_true(math.abs(y:mean():item() - 1) < 5 * math.sqrt(0.25 / 0.75 / 1000))
    local dropped = 0
    for _ = 1, 40 do
      local all = ops.stochastic_depth(x, 0.5, "batch")
      local value = all[{1, 1, 1}]:item()
      close(all, x * value)
      if value == 0 then dropped = dropped + 1 end
    end
    test.is_true(dropped > 5 and dropped < 35, dropped)
    close(ops.stochastic_depth(x, 1, "row"), x * 0)
    close(ops.stochastic_depth(x, 0.5, "row", false), x)
    close(ops.StochasticDepth(0.9, "row"):eval()(x), x)
    raises("stochastic_depth: p must be between 0 and 1, got 1.5", ops.StochasticDepth, 1.5, "row")
    raises('StochasticDepth: mode must be "batch" or "row", got "rows"', ops.StochasticDepth, 0.5, "rows")
  end)
  it("Conv2dNormActivation preserves the size of images, and omits parts that are false", function()
    local x = tide.ones(2, 3, 8, 8, {device = device})
    local layer = ops.Conv2dNormActivation(3, 4, {kernel_size = 5, dilation = 2}):to(device)
    equal(layer(x).shape, {2, 4, 8, 8})
    equal({#layer, layer[1].bias == nil, layer.out_channels}, {3, true, 4})
    layer = ops.Conv2dNormActivation(3, 4, {norm_layer = false, activation_layer = false, stride = 2})
    equal({#layer, layer[1].bias == nil}, {1, false})
    equal(layer:to(device)(x).shape, {2, 4, 4, 4})
    equal(#ops.Conv2dNormActivation(3, 4, {activation_layer = tide.nn.GELU, inplace = false}), 3)
  end)
  it("MLP and SqueezeExcitation have torchvision's layers", function()
    local mlp = ops.MLP(3, {5, 2}, {norm_layer = tide.nn.LayerNorm, dropout = 0.5})
    local names = {}
    for i = 1, #mlp do names[i] = getmetatable(mlp[i]).name end
    equal(names, {"Linear", "LayerNorm", "ReLU", "Dropout", "Linear", "Dropout"})
    raises("MLP: hidden_channels: the list of sizes is empty", ops.MLP, 3, {})
    local squeeze = ops.SqueezeExcitation(4, 2):to(device)
    local x = tide.rand({1, 4, 3, 3}, {device = device})
    local means = x:mean({3, 4}, true)
    close(squeeze(x), squeeze.fc2(squeeze.fc1(means):relu()):sigmoid() * x)
  end)
  it("FrozenBatchNorm2d equals the BatchNorm2d in evaluation whose state it loads", function()
    local trained = tide.nn.BatchNorm2d(4, {eps = 1e-3}):to(device)
    for _ = 1, 3 do trained(tide.randn({2, 4, 3, 3}, {device = device}) * 2 + 1) end
    local frozen = ops.FrozenBatchNorm2d(4, {eps = 1e-3}):to(device)
    frozen:load_state_dict(trained:state_dict())
    local x = tide.randn({2, 4, 3, 3}, {device = device})
    close(frozen(x), trained:eval()(x), {rtol = 1e-5, atol = 1e-5})
    equal(#frozen:parameters(), 0)
    equal(tostring(frozen), "FrozenBatchNorm2d(4, eps = 0.001)")
    raises("FrozenBatchNorm2d: num_features must be non-negative, got -1", ops.FrozenBatchNorm2d, -1)
  end)
end)
