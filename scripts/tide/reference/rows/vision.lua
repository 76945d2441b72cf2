-- The reference of files of pictures.
local kPicture <const> = "local name = os.tmpname(); tide.vision.write_png(tide.ones(3, 4, 5):to(\"uint8\"), name); "

return {
  {
    title = "Files of pictures",
    prefix = "tide.vision.",
    {"io", "", "The names below once more, as in torchvision.io",
      "tide.vision.io.read_image == tide.vision.read_image --> true"},
    {"read_image", "(...)",
      "A PNG or JPEG file as a uint8 tensor (channels, height, width). mode is unchanged, gray, gray_alpha, rgb or "
        .. "rgb_alpha; more than max_pixels (178956970) are refused; with size_hint {height, width} a JPEG is decoded "
        .. "at 1/2, 1/4 or 1/8 of its size if that is no less than the hint",
      kPicture .. "local x = tide.vision.read_image(name); os.remove(name); x.shape --> {3, 4, 5}"},
    {"decode_image", "(...)",
      "The picture in the bytes of a PNG or JPEG file: a string or a uint8 tensor",
      "tide.vision.decode_image(tide.vision.encode_png(tide.full({1, 1, 2}, 7):to(\"uint8\"))) --> {{{7, 7}}}"},
    {"decode_png", "(...)", "As decode_image, of PNG alone",
      "tide.vision.decode_png(tide.vision.encode_png(tide.full({1, 1, 2}, 7):to(\"uint8\"))) --> {{{7, 7}}}"},
    {"decode_jpeg", "(...)", "As decode_image, of JPEG alone",
      "tide.vision.decode_jpeg(tide.vision.encode_jpeg(tide.full({1, 1, 2}, 128):to(\"uint8\"))) --> {{{128, 128}}}"},
    {"encode_png", "(...)",
      "The bytes of a PNG file with a uint8 picture of 1 to 4 channels; compression_level is 0 to 9 (6)",
      "tide.vision.encode_png(tide.zeros({1, 2, 2}, {dtype = \"uint8\"}))[{{2, 4}}] --> {80, 78, 71}"},
    {"encode_jpeg", "(...)",
      "The bytes of a JPEG file with a uint8 picture of 1 or 3 channels; quality is 1 to 100 (75)",
      "tide.vision.encode_jpeg(tide.zeros({1, 2, 2}, {dtype = \"uint8\"}), 50)[{{1, 2}}] --> {255, 216}"},
    {"write_png", "(...)", "Writes a picture to a PNG file, which is replaced as a whole",
      kPicture .. "local x = tide.vision.read_image(name); os.remove(name); x.shape --> {3, 4, 5}"},
    {"write_jpeg", "(...)", "Writes a picture to a JPEG file, which is replaced as a whole",
      "local name = os.tmpname(); tide.vision.write_jpeg(tide.zeros({3, 4, 5}, {dtype = \"uint8\"}), name, {quality = "
        .. "90}); local x = tide.vision.read_image(name); os.remove(name); x.shape --> {3, 4, 5}"},
    {"read_file", "(...)", "All bytes of a file as a uint8 tensor",
      "local name = os.tmpname(); tide.vision.write_file(name, \"AB\"); local x = tide.vision.read_file(name); "
        .. "os.remove(name); x --> {65, 66}"},
    {"write_file", "(...)", "Replaces a file by the bytes of a uint8 tensor or a string",
      "local name = os.tmpname(); tide.vision.write_file(name, \"AB\"); local x = tide.vision.read_file(name); "
        .. "os.remove(name); x --> {65, 66}"},
  },
  {
    title = "Pictures to look at",
    prefix = "tide.vision.",
    {"make_grid", "(...)",
      "One picture of a batch or list of them, nrow (8) in a row, padding (2) pixels apart",
      "tide.vision.make_grid(tide.ones(5, 3, 4, 4), {nrow = 3}).shape --> {3, 14, 20}"},
    {"save_image", "(...)", "Writes pictures of floats 0..1, as a grid, to a PNG or JPEG file",
      "local path = tide.scratch() .. \"/x.png\"; tide.vision.save_image(tide.ones(5, 3, 4, 4), path, {nrow = 3}); "
        .. "tide.vision.read_image(path).shape --> {3, 14, 20}"},
    {"draw_bounding_boxes", "(...)",
      "The picture with boxes (n, 4) drawn into it, {left, top, right, bottom} in pixels from 0; colors are names, "
        .. "\"#rrggbb\" or {red, green, blue}; waits for the boxes",
      "tide.vision.draw_bounding_boxes(tide.zeros(1, 4, 4), tide.tensor{{1, 1, 3, 3}}, {colors = \"red\"})[1][2] "
        .. "--> {0.0, 1.0, 1.0, 1.0}"},
  },
}
