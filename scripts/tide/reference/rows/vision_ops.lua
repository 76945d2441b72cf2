-- The reference of tide.vision.ops.
return {
  {
    title = "Boxes",
    prefix = "tide.vision.ops.",
    {"box_area", "(...)", "The area of each box, a row (x1, y1, x2, y2)",
      "tide.vision.ops.box_area(tide.tensor{{0.0, 0, 2, 3}}) --> {6.0}"},
    {"box_convert", "(...)",
      "Boxes in another form: xyxy (corners), xywh (corner and size), cxcywh (center and size)",
      [[tide.vision.ops.box_convert(tide.tensor{{0.0, 1, 2, 4}}, "xyxy", "cxcywh") --> {{1.0, 2.5, 2.0, 3.0}}]]},
    {"box_iou", "(...)",
      "For each pair of boxes the area that both cover by the area that they cover together",
      "tide.vision.ops.box_iou(tide.tensor{{0.0, 0, 2, 2}}, tide.tensor{{0.0, 1, 2, 3}}) --> {{0.3333}}"},
    {"generalized_box_iou", "(...)",
      "box_iou less the share of the smallest box around both that neither covers",
      "tide.vision.ops.generalized_box_iou(tide.tensor{{0.0, 0, 1, 1}}, " ..
        "tide.tensor{{0.0, 1, 1, 4}}) --> {{0.0}}"},
    {"distance_box_iou", "(...)",
      "box_iou less the squared distance of the centers by that of the farthest corners",
      "tide.vision.ops.distance_box_iou(tide.tensor{{0.0, 0, 1, 1}}, " ..
        "tide.tensor{{0.0, 0, 1, 1}}) --> {{1.0}}"},
    {"complete_box_iou", "(...)", "distance_box_iou less a term for another ratio of the sides",
      "tide.vision.ops.complete_box_iou(tide.tensor{{0.0, 0, 1, 1}}, " ..
        "tide.tensor{{0.0, 0, 1, 1}}) --> {{1.0}}"},
    {"clip_boxes_to_image", "(...)", "Boxes cut off at the borders of an image",
      "tide.vision.ops.clip_boxes_to_image(tide.tensor{{-1.0, 2, 9, 9}}, {5, 7}) --> " ..
        "{{0.0, 2.0, 7.0, 5.0}}"},
    {"remove_small_boxes", "(...)", "The positions of the boxes with no side under min_size; waits",
      "tide.vision.ops.remove_small_boxes(tide.tensor{{0.0, 0, 1, 9}, {0, 0, 3, 3}}, 2) --> {2}"},
    {"nms", "(...)",
      "The positions, by falling score, of the boxes that overlap with no better one by more; waits",
      "tide.vision.ops.nms(tide.tensor{{0.0, 0, 2, 2}, {0, 0, 2, 3}, {5, 5, 6, 6}}, " ..
        "tide.tensor{0.5, 0.9, 0.1}, 0.5) --> {2, 3}"},
    {"batched_nms", "(...)", "nms among boxes of the same class, which idxs tells of each; waits",
      "tide.vision.ops.batched_nms(tide.tensor{{0.0, 0, 2, 2}, {0, 0, 2, 3}}, " ..
        "tide.tensor{0.5, 0.9}, tide.tensor{1, 2}, 0.5) --> {2, 1}"},
  },
  {
    title = "Regions of images",
    prefix = "tide.vision.ops.",
    {"roi_align", "(...)",
      "Means of samples in the cells of each box, a row (image from 1, x1, y1, x2, y2), or a list " ..
        "with boxes of each image; waits without a sampling_ratio",
      "tide.vision.ops.roi_align(tide.ones(1, 1, 4, 4), tide.tensor{{1.0, 0, 0, 2, 2}}, 2).shape --> " ..
        "{1, 1, 2, 2}"},
    {"roi_pool", "(...)",
      "The largest values in the cells of each box, which is given as to roi_align",
      "tide.vision.ops.roi_pool(tide.arange(16):float():reshape(1, 1, 4, 4), " ..
        "tide.tensor{{1.0, 0, 0, 3, 3}}, 2) --> {{{{5.0, 7.0}, {13.0, 15.0}}}}"},
    {"RoIAlign", "(...)", "roi_align as a module",
      "tide.vision.ops.RoIAlign(2, 1, 2)(tide.ones(1, 1, 4, 4), {tide.tensor{{0.0, 0, 2, 2}}}).shape --> " ..
        "{1, 1, 2, 2}"},
    {"RoIPool", "(...)", "roi_pool as a module",
      "tide.vision.ops.RoIPool(1, 1)(tide.ones(1, 1, 4, 4), {tide.tensor{{0.0, 0, 2, 2}}}).shape --> " ..
        "{1, 1, 1, 1}"},
  },
  {
    title = "Layers of networks for images",
    prefix = "tide.vision.ops.",
    {"Conv2dNormActivation", "(...)",
      "A convolution, norm_layer(channels) and activation_layer(); false leaves one of them out",
      "tide.vision.ops.Conv2dNormActivation(3, 8)(tide.ones(1, 3, 6, 6)).shape --> {1, 8, 6, 6}"},
    {"SqueezeExcitation", "(...)",
      "Scales each channel by what two layers make of the means of all channels",
      "tide.vision.ops.SqueezeExcitation(8, 2)(tide.ones(1, 8, 6, 6)).shape --> {1, 8, 6, 6}"},
    {"MLP", "(...)", "Linear layers of these sizes with activations between them",
      "tide.vision.ops.MLP(3, {8, 2})(tide.ones(4, 3)).shape --> {4, 2}"},
    {"Permute", "(dims)", "The dimensions in this order",
      "tide.vision.ops.Permute{1, 3, 2}(tide.ones(2, 3, 4)).shape --> {2, 4, 3}"},
    {"stochastic_depth", "(...)",
      [[In training zeros rows ("row"), or all ("batch"), with probability p, and scales the others up]],
      [[tide.vision.ops.stochastic_depth(tide.ones(2, 2), 1, "batch") --> {{0.0, 0.0}, {0.0, 0.0}}]]},
    {"StochasticDepth", "(...)", "stochastic_depth as a module",
      [[tide.vision.ops.StochasticDepth(0.5, "row"):eval()(tide.ones(2)) --> {1.0, 1.0}]]},
  },
}
