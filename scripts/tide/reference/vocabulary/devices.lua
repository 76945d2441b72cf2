-- Parameters of devices, memory, streams, threads and timing.
return {
  {
    of = "tide.device",
    name = '"cpu" | "cuda" | "cuda:0" | "sim" | "sim:0": kind of the device and, after a colon, its index from 0',
  },
  {of = "devices", kind = '"cpu" | "cuda" | "sim" = nil: devices of one kind; nil is all'},
  {of = "gpu try_gpu", i = "integer = 0: index of the GPU, from 0"},
  {of = "set_default_device set_device", device = "device: the device of new tensors"},
  {of = "synchronize", device = "device = nil: the device to wait for; nil is all"},
  {of = "set_num_threads", n = "integer: threads that compute on the cpu"},
  {
    of = "memory_allocated max_memory_allocated memory_reserved reset_peak_memory_stats empty_cache memory_stats "
      .. "memory_summary",
    device = "device = default device: the device to query",
  },
  {of = "tide.cuda.*", device = "device | integer = current: the GPU, as a device or by its index from 0"},
  {of = "tide.cuda.set_device", device = "device | integer: the GPU, as a device or by its index from 0"},
  {
    of = "tide.cuda.set_per_process_memory_fraction",
    fraction = "number: fraction of the device's memory, above 0 and at most 1",
  },
  {
    of = "tide.cuda.set_visible_devices",
    devices = "table: the GPUs, as devices or by their indices from 0; {} hides all",
  },
  {
    of = "tide.cuda.is_bf16_supported",
    including_emulation = "boolean = true: also if it is computed in float32 and rounded",
  },
  {
    of = "Event",
    device = "device = default device: the device",
    timing = "boolean = false: record the time, for elapsed_time",
    enable_timing = "boolean = false: PyTorch's name for timing",
  },
  {of = "Stream current_stream Generator", device = "device = default device: the device"},
  {of = "tide.stream stream:wait_stream x:record_stream", stream = "stream: the stream"},
  {
    of = "event:*",
    stream_or_device = "stream | device = default device: where to record or wait",
    later = "event: an event recorded later",
  },
  {of = "stream:*", event = "event: the event"},
  {of = "record_event", event = "event = nil: the event; nil creates one"},
  {
    of = "tide.thread",
    ["..."] = "any: its arguments, which are copied; tensors share memory",
    fn = "function: runs in its own Lua state; upvalues are copied",
  },
  {of = "tide.channel", capacity = "integer = nil: capacity before push waits; nil is unlimited"},
  {
    of = "thread:* channel:*",
    timeout = "number = nil: seconds to wait; nil waits indefinitely",
    value = "any: the value to send, which is copied",
  },
  {
    of = "tide.sim.configure",
    like = 'string | false = nil: name of a GPU that sets memory, link and launch cost, and for which times '
      .. 'are modelled: "H200"; see tide.estimate. false restores the defaults',
    index = "integer = 0: index of the simulated device, from 0",
    device = "device = nil: the device, instead of index",
    memory_limit = "integer = nil: memory in bytes",
    bytes_per_second = "number = nil: rate of copies",
    staging_bytes_per_second = "number = nil: rate of staging copies of pageable memory",
    pin_bytes_per_second = "number = nil: rate of page-locking",
    copy_latency = "number = 0: latency of each copy in seconds",
    launch_cost = "number = 0: cost of each launch in seconds",
    fail_op = "integer = nil: the number of the launch that fails, from 1",
    fail_allocation = "integer = nil: the number of the allocation that fails, from 1",
    fail_copy = "integer = nil: the number of the copy that fails, from 1",
  },
  {of = "sleep", seconds = "number: duration"},
  {of = "manual_seed manual_seed_all", seed = "integer: the seed; the numbers are the same on every device"},
  {of = "tide.seed", seed = "integer = nil: the seed; nil gets one from the system"},
  {
    of = "benchmark",
    fn = "function: the function to time",
    warmup = "integer = 3: untimed calls first",
    repeats = "integer = 10: timed calls",
    device = "device = default device: the device it runs on",
  },
}
