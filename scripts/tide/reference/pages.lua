-- The pages of the reference, in the order of its index. Each lists the families that it
-- holds.
local pages = {
  {
    name = "creation", title = "New tensors",
    families = {"Tensors from Lua values", "creation", "Signal windows"},
    about = "The last argument may be a table: `dtype`, `device` and `requires_grad`. Without "
      .. "them a tensor of floats is float32, one of integers int64, on the default device.",
  },
  {
    name = "tensors", title = "Properties, reading and converting",
    families = {
      "Fields of a tensor", "Tensor properties", "Properties", "Reading values", "Printing",
      "Bytes and summaries", "Types", "Other types and devices", "Releasing memory",
    },
    about = "Shape, type and device are known immediately. Only reading values waits.",
  },
  {
    name = "indexing", title = "Indexing",
    families = {"Indexing", "indexing"},
    about = "Indices start at 1, negative ones count from the end; ranges include both ends.",
  },
  {
    name = "elementwise", title = "Elementwise ops",
    families = {"Operators", "elementwise", "special"},
    about = "Shapes broadcast: dimensions are compared from the last one, and sizes of 1, or "
      .. "missing ones, are repeated. Types promote as PyTorch's do; numbers from Lua are "
      .. "weak. `x:f_(...)` writes the result of `x:f(...)` into x.",
  },
  {
    name = "reductions", title = "Reductions, scans, sorting and statistics",
    families = {"reduction", "scan", "statistics"},
    about = "`dim` selects the dimensions to reduce, by default all; `keepdim = true` keeps them "
      .. "with size 1. Indices in results start at 1.",
  },
  {
    name = "shape", title = "Shapes, joining and arranging",
    families = {"shape", "joining", "arrangement"},
    about = "Views share memory with their base tensor: writes are visible in both.",
  },
  {
    name = "linalg", title = "Products and linear algebra",
    families = {"matrix", "linalg"},
    about = "Matrices are the last two dimensions; dimensions before them are the batch. "
      .. "Decompositions take float32 and float64.",
  },
  {
    name = "random", title = "Random numbers",
    families = {"Random numbers", "Generators", "NumPy-style random numbers"},
    about = "The same seed gives the same numbers on every device.",
  },
  {
    name = "functional", title = "Layers as functions",
    families = {
      "softmax", "normalization", "convolution", "pooling", "loss",
      "Other layers, activations and losses",
    },
    about = "`F` stands for `tide.nn.functional`. Images are (n, channels, height, width).",
  },
  {
    name = "nn", title = "Modules",
    families = {
      "Layers, losses and containers", "Methods of modules", "Convolutions and pools",
      "Normalization and dropout", "Recurrent layers and transformers", "Activations as modules",
      "Losses as modules", "Rearrangement, padding, resampling and distances", "Initialization",
      "Gradient clipping and parameter vectors", "Parametrization",
      "Orthogonal parameters", "Pruning", "Packed and padded sequences",
    },
    about = "Modules are called like functions: `model(x)`.",
  },
  {
    name = "networks", title = "Networks for images", topic = "vision",
    families = {
      "Images", "Networks for images", "Layers of networks for images", "Boxes",
      "Regions of images",
    },
    about = "Names, options and weights are torchvision's. A network takes images (n, channels, "
      .. "height, width).",
  },
  {
    name = "optim", title = "Optimizers",
    families = {
      "Optimizers", "Methods of optimizers", "Learning rate schedulers", "Averaged models",
    },
    about = "A step is queued like any other work; it runs completely or not at all.",
  },
  {
    name = "autograd", title = "Gradients",
    families = {"Gradients", "Derivatives", "Function transforms"},
    about = "A graph is recorded for values computed from tensors that require a gradient.",
  },
  {
    name = "modes", title = "Modes",
    families = {"Modes", "Mixed precision"},
    about = "A mode is active in the given function, or until the returned value is closed: `local _ "
      .. "<close> = tide.no_grad()`. It belongs to the coroutine that opened it.",
  },
  {
    name = "vision", title = "Images and transforms",
    families = {
      "Image files", "Image grids and drawing", "Image datasets", "Image transforms",
      "Image transforms, as objects", "Image transforms, as functions",
    },
    about = "An image is a tensor (channels, height, width): uint8 from 0 to 255, or floats from "
      .. "0 to 1.",
  },
  {
    name = "data", title = "Data and files",
    families = {
      "Data", "Samplers", "Methods of loaders", "Methods of samplers", "Files", "NumPy files",
      "ONNX models",
    },
    about = "Files are replaced atomically: a reader sees the old file or the new one.",
  },
  {
    name = "metrics", title = "Metrics",
    families = {"Metrics", "Methods of metrics", "Metrics of one batch"},
    about = "Classes start at 1; a binary target is 0 or 1, or a boolean. Results are "
      .. "tensors on the device of the predictions; only reading them waits.",
  },
  {
    name = "loggers", title = "Loggers",
    families = {"Loggers", "Methods of loggers", "Methods of TensorBoard loggers"},
    about = "Tensors that are logged are read when the logger writes: at most once a second, at "
      .. "save, flush and close. So logging does not wait. If the program is killed, "
      .. "at most the last record is incomplete.",
  },
  {
    name = "plots", title = "Figures",
    families = {"Figures", "Methods of figures", "Live plots"},
    about = "Data are tensors on any device, or lists of numbers. Those of a figure are read "
      .. "together, with one wait, when it is first drawn; it shows the values at the time of the "
      .. "call.",
  },
  {
    name = "training", title = "Training",
    families = {
      "Trainer", "Methods of trainers", "Modules and data modules", "Methods of training modules",
      "Callbacks", "Checkpoints", "Methods of checkpoint managers",
    },
    about = "A run resumed from a checkpoint is bitwise identical to an uninterrupted "
      .. "one. Logged values stay tensors until a progress bar, a log or the end "
      .. "of an epoch reads them: no step waits.",
  },
  {
    name = "diagnostics", title = "Training diagnostics",
    families = {"Watching a network", "Methods of watches", "Memory snapshots"},
    about = "Statistics stay on the device until they are read, with one wait.",
  },
  {
    name = "profiles", title = "Profiles", families = {"Profiles", "Advice and estimates"},
    about = "`profile` stands for what `tide.profile` returns. Only one profile can be active at a time.",
  },
  {
    name = "explanations", title = "Explanations", families = {"Explanations"},
    about = "`explanation` stands for what `tide.explain` returns, `step` for `explanation[1]` and "
      .. "the others.",
  },
  {
    name = "devices", title = "Devices, memory and streams",
    families = {
      "Devices", "Memory", "Events and streams", "Events", "Streams", "CUDA", "Simulated devices",
    },
    about = "Devices can be passed by name: `\"cpu\"`, `\"cuda:0\"`, `\"sim\"`.",
  },
  {
    name = "threads", title = "Threads, processes and channels",
    families = {"Threads", "Methods of threads", "Channels"},
    about = "A thread or a process has its own Lua state: values are copied. "
      .. "Tensors share memory with threads until they are written; a process has its own "
      .. "memory.",
  },
  {
    name = "time", title = "Time and introspection",
    families = {"Time", "Benchmarks", "Introspection"},
    about = "Work is queued: measure it with functions that wait for it.",
  },
  {
    name = "helpers", title = "Tests and helpers",
    families = {"Tests", "Helpers"},
    about = "Other tools for scripts.",
  },
}

return pages
