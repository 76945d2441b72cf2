-- The table `tide.vision.transforms.functional`: functions on images (..., channels, height,
-- width).
local lazy_table = require "tide.internal.lazy_table"

--- Image transforms as functions: see tide.vision.transforms.functional.NAME.
---@type table
---@example
--- tide.vision.transforms.functional.hflip(tide.tensor{{{1, 2}}}) --> {{{2, 1}}}
return lazy_table("tide.vision.transforms.functional", {}, {
  colors = {
    "adjust_brightness", "adjust_contrast", "adjust_gamma", "adjust_hue", "adjust_saturation",
    "adjust_sharpness", "autocontrast", "convert_image_dtype", "equalize", "invert", "normalize",
    "posterize", "rgb_to_grayscale", "solarize", "to_grayscale", "to_tensor",
  },
  shapes = {
    "center_crop", "crop", "erase", "five_crop", "get_dimensions", "get_image_num_channels",
    "get_image_size", "hflip", "pad", "resize", "resized_crop", "ten_crop", "vflip",
  },
  warps = {"affine", "elastic_transform", "gaussian_blur", "perspective", "rotate"},
})
