-- What parameters of devices, memory, streams, threads and timing mean.
return {
  {
    of = "tide.device",
    name = '"cpu" | "cuda" | "cuda:0" | "sim" | "sim:0": kind of the device and, behind a colon, its number from 0',
  },
  {of = "devices", kind = '"cpu" | "cuda" | "sim" = nil: devices of one kind; nil is all'},
  {of = "gpu try_gpu", i = "integer = 0: number of the GPU, from 0"},
  {of = "set_default_device set_device", device = "device: the device of new tensors"},
  {of = "synchronize", device = "device = nil: the device to wait for; nil is all"},
  {of = "set_num_threads", n = "integer: threads that compute on the cpu"},
  {
    of = "memory_allocated max_memory_allocated memory_reserved reset_peak_memory_stats empty_cache memory_stats "
      .. "memory_summary",
    device = "device = default device: the device asked about",
  },
  {of = "tide.cuda.*", device = "device | integer = current: the GPU, as a device or by its number from 0"},
  {of = "tide.cuda.set_device", device = "device | integer: the GPU, as a device or by its number from 0"},
  {
    of = "tide.cuda.set_per_process_memory_fraction",
    fraction = "number: share of the device's memory, above 0 and at most 1",
  },
  {
    of = "tide.cuda.set_visible_devices",
    devices = "table: the GPUs, as devices or by their numbers from 0; {} hides all",
  },
  {
    of = "tide.cuda.is_bf16_supported",
    including_emulation = "boolean = true: also where it is computed in float32 and rounded",
  },
  {
    of = "Event",
    device = "device = default device: the device",
    timing = "boolean = false: keep the time, for elapsed_time",
    enable_timing = "boolean = false: PyTorch's word for timing",
  },
  {of = "Stream current_stream Generator", device = "device = default device: the device"},
  {of = "tide.stream stream:wait_stream x:record_stream", stream = "stream: the stream"},
  {
    of = "event:*",
    stream_or_device = "stream | device = default device: where",
    later = "event: an event that was recorded later",
  },
  {of = "stream:*", event = "event: the event"},
  {of = "record_event", event = "event = nil: the event; nil makes one"},
  {
    of = "tide.thread",
    ["..."] = "any: its arguments, which are copied; tensors share their elements",
    fn = "function: runs in a Lua state of its own; upvalues are copied",
  },
  {of = "tide.channel", capacity = "integer = nil: values it holds until push waits; nil is no bound"},
  {
    of = "thread:* channel:*",
    timeout = "number = nil: seconds to wait; nil waits for as long as it takes",
    value = "any: what is sent, which is copied",
  },
  {
    of = "tide.sim.configure",
    like = 'string | false = nil: name of a card whose memory, link and launch cost it takes, and which its times '
      .. 'are modelled for: "H200"; see tide.estimate. false: as at the start',
    index = "integer = 0: number of the simulated device, from 0",
    device = "device = nil: the device, in place of index",
    memory_limit = "integer = nil: bytes it has",
    bytes_per_second = "number = nil: speed of copies",
    staging_bytes_per_second = "number = nil: speed of copying pageable memory first",
    pin_bytes_per_second = "number = nil: speed of page-locking",
    copy_latency = "number = 0: seconds before each copy",
    launch_cost = "number = 0: seconds of each launch",
    fail_op = "integer = nil: the launch that fails, from 1",
    fail_allocation = "integer = nil: the allocation that fails, from 1",
    fail_copy = "integer = nil: the copy that fails, from 1",
  },
  {of = "sleep", seconds = "number: how long"},
  {of = "manual_seed manual_seed_all", seed = "integer: the seed: equal seeds give equal numbers on every device"},
  {of = "tide.seed", seed = "integer = nil: the seed; nil takes one of the system"},
  {
    of = "benchmark",
    fn = "function: what is measured",
    warmup = "integer = 3: calls before",
    repeats = "integer = 10: calls that count",
    device = "device = default device: the device it runs on",
  },
}
