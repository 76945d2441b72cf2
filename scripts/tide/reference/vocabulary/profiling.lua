-- What parameters of profiles and explanations mean.
return {
  {
    of = "tide.profile tide.profiler.profile",
    fn = "function = nil: what is profiled; without it, what runs until the profile is closed",
    wait = "integer = 0: steps at the beginning of each cycle that are not noted",
    warmup = "integer = 0: steps behind them that run with the profiler on and do not count",
    active = "integer = nil: steps that count; nil is all",
    repeats = "integer = 0: cycles; 0 is as many as there are steps for",
    on_trace_ready = "function = nil: called with the profile at the end of each cycle",
    max_events = "integer = 2000000: events that are kept; how many were lost is said",
    options = "table = nil: options as those of tide.profile",
  },
  {
    of = "tide.profile.compare",
    a = "table: the profile before",
    b = "table: the profile behind a change",
    by = '"op" | "line" | "kernel" = "op": what the rows are',
  },
  {
    of = "profile:table",
    by = '"op" | "line" | "kernel" = "op": what the rows are',
    sort = '"device_ms" | "host_ms" | "wait_ms" | "calls" | "bytes" | "flops" = nil: what the rows are sorted by',
    limit = "integer = 100: most rows",
  },
  {of = "step:ptx", architecture = 'string = the device\'s: "sm_90" and the like'},
  {
    of = "tide.advise",
    fn = "function: what is looked at",
    runs = "integer = nil: how often it runs; nil is twice if it is short",
  },
  {
    of = "tide.estimate",
    fn = "function: gets the device to work on",
    device = 'string = "H200": name of a card',
    compare = "boolean = false: run it on that card, too, if there is one here",
  },
}
