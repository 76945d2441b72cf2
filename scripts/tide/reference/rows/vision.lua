-- The reference of files of pictures.
return {
  {
    title = "Files of pictures",
    prefix = "tide.vision.",
    {"io", "", "The names below once more, as in torchvision.io",
      "tide.vision.io.read_image == tide.vision.read_image --> true"},
  },
}
