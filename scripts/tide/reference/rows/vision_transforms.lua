-- The reference of transforms of pictures.
return {
  {
    title = "Changes to pictures",
    prefix = "tide.vision.",
    {"transforms", "", "Changes to pictures, as objects that are called: see tide.vision.transforms.NAME",
      "tide.vision.transforms.functional.hflip(tide.tensor{{{1, 2}}}) --> {{{2, 1}}}"},
  },
  {
    title = "Changes to pictures, as objects",
    prefix = "tide.vision.transforms.",
    {"functional", "", "Changes to pictures, as functions: see tide.vision.transforms.functional.NAME",
      "tide.vision.transforms.functional.hflip(tide.tensor{{{1, 2}}}) --> {{{2, 1}}}"},
  },
}
