-- What parameters of profiles and explanations mean.
return {
  {
    of = "tide.profiler.profile",
    fn = "function = nil: what is profiled; without it, what runs until the profile is closed",
    options = "table = nil: options as those of tide.profile",
  },
  {
    of = "tide.profile.compare",
    a = "table: the profile before",
    b = "table: the profile behind a change",
    by = '"op" | "line" | "kernel" = "op": what the rows are',
  },
  {of = "step:ptx", architecture = "string = the device's: \"sm_90\" and the like"},
}
