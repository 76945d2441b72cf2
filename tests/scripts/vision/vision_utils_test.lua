-- Grids of images, image files, boxes.
local tide = require "tide"
local test = require "tide.test"
local describe, it = test.describe, test.it
local equal, raises = test.same_type, test.raises
local vision = tide.vision

describe("images for viewing", function(device)
  it("are arranged in rows", function()
    local batch = tide.arange(5 * 2 * 2, {device = device}):float():reshape(5, 1, 2, 2)
    local grid = vision.make_grid(batch, {nrow = 2, padding = 1, pad_value = -1})
    equal(grid[1]:tolist(), {
      {-1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0}, {-1.0, 0.0, 1.0, -1.0, 4.0, 5.0, -1.0},
      {-1.0, 2.0, 3.0, -1.0, 6.0, 7.0, -1.0}, {-1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0},
      {-1.0, 8.0, 9.0, -1.0, 12.0, 13.0, -1.0}, {-1.0, 10.0, 11.0, -1.0, 14.0, 15.0, -1.0},
      {-1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0}, {-1.0, 16.0, 17.0, -1.0, -1.0, -1.0, -1.0},
      {-1.0, 18.0, 19.0, -1.0, -1.0, -1.0, -1.0}, {-1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0},
    })
    test.identical(grid[3], grid[1])
    test.identical(vision.make_grid({batch[1], batch[2]}), vision.make_grid(batch[{{1, 2}}]))
    equal(vision.make_grid(batch[1]).shape, {3, 2, 2})
  end)
  it("are normalized to 0..1", function()
    local batch = tide.tensor({{{{-1.0, 1.0}}}, {{{0.0, 3.0}}}}, {device = device})
    local function values(options)
      options.normalize, options.padding = true, 0
      return vision.make_grid(batch, options)[1]:reshape(-1):tolist()
    end
    equal(values {}, {0.0, 0.5, 0.25, 1.0})
    equal(values {scale_each = true}, {0.0, 1.0, 0.0, 1.0})
    equal(values {value_range = {-1, 1}}, {0.0, 1.0, 0.5, 1.0})
  end)
  it("are saved as a grid", function()
    local batch = tide.arange(2 * 3 * 4 * 4, {device = device}):float():reshape(2, 3, 4, 4) / 100
    for _, ending in ipairs {"png", "JPG"} do
      local path = ("%s/grid.%s"):format(tide.scratch(), ending)
      vision.save_image(batch, path)
      equal(vision.read_image(path).shape, {3, 8, 14})
    end
    local whole = (vision.make_grid(batch) * 255 + 0.5):clamp(0, 255):to("uint8"):cpu()
    test.identical(vision.read_image(tide.scratch() .. "/grid.png"), whole)
    raises("save_image: 'x.gif' has no known format: expected an extension or format jpeg, jpg or png",
      function() vision.save_image(batch, "x.gif") end)
  end)
  it("can have boxes", function()
    local image = tide.zeros({3, 5, 6}, {dtype = "uint8", device = device})
    local boxes = tide.tensor {{1, 1, 4, 3}, {-3, 3, 1, 9}}
    local drawn = vision.draw_bounding_boxes(image, boxes, {colors = {"red", "#0000ff"}})
    equal(drawn[1]:tolist(), {
      {0, 0, 0, 0, 0, 0}, {0, 255, 255, 255, 255, 0}, {0, 255, 0, 0, 255, 0}, {0, 0, 255, 255, 255, 0},
      {0, 0, 0, 0, 0, 0},
    })
    equal(drawn[3][4]:tolist(), {255, 255, 0, 0, 0, 0})
    equal(image:sum():item(), 0)
    local filled = vision.draw_bounding_boxes(image + 100, boxes[{{1, 1}}], {colors = {0, 255, 0}, fill = true})
    equal({filled[1][3][3]:item(), filled[2][3][3]:item(), filled[2][2][2]:item()}, {61, 161, 255})
    local floats = vision.draw_bounding_boxes(image[{{1, 1}}]:float(), boxes, {colors = "yellow", width = 2})
    equal({floats.shape, floats[1][3][3]:item()}, {{3, 5, 6}, 1.0})
    raises("draw_bounding_boxes: expected boxes {left, top, right, bottom}, got {4, 1, 1, 3}",
      function() vision.draw_bounding_boxes(image, tide.tensor {{4, 1, 1, 3}}) end)
    raises("draw_bounding_boxes: 1 colors for 2 boxes",
      function() vision.draw_bounding_boxes(image, boxes, {colors = {"red"}}) end)
    raises("expected a color: a name such as red, '#rrggbb' or {red, green, blue}, got 'rad'",
      function() vision.draw_bounding_boxes(image, boxes, {colors = "rad"}) end)
  end)
end)
