-- The reference of tide.vision.ops.
return {
  {
    title = "Layers of networks for images",
    prefix = "tide.vision.ops.",
    {"Permute", "(dims)", "The dimensions in this order",
      "tide.vision.ops.Permute{1, 3, 2}(tide.ones(2, 3, 4)).shape --> {2, 4, 3}"},
  },
}
