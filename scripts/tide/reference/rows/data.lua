-- The reference of tide.data.
return {
  {
    title = "Data",
    prefix = "tide.data.",
    {"Dataset", "()",
      "The base of data sets with positions: a class defines get(i) and __len or len, and may define " ..
        "get_batch(positions)",
      [[local Squares = tide.class("Squares", tide.data.Dataset); ]] ..
        "function Squares:len() return 3 end; function Squares:get(i) return i * i end; " ..
        "tide.data.DataLoader(Squares(), {batch_size = 3}):iter()() --> {1, 4, 9}"},
    {"IterableDataset", "()",
      "The base of data sets that are gone through from the start: a class defines iter()",
      [[local Words = tide.class("Words", tide.data.IterableDataset); ]] ..
        [[function Words:iter() return ("to be or"):gmatch "%a+" end; ]] ..
        [[tide.data.DataLoader(Words(), {batch_size = 2}):iter()() --> {"to", "be"}]]},
    {"TensorDataset", "(tensor...)", "Samples that are the rows of tensors",
      "#tide.data.TensorDataset(tide.ones(5, 3), tide.ones(5)) --> 5"},
    {"ListDataset", "(list)", "Samples that are the entries of a list",
      "tide.data.ListDataset({7, 8, 9}):get(2) --> 8"},
    {"ConcatDataset", "(datasets)",
      "The samples of a list of data sets, one after the other; a + b is this too",
      "tide.data.ConcatDataset({{1, 2}, {3}}):get(3) --> 3"},
    {"ChainDataset", "(datasets)",
      "The samples of a list of iterable data sets, one after the other; a + b is this too",
      [[local Words = tide.class("Words", tide.data.IterableDataset); ]] ..
        [[function Words:iter() return ("to be"):gmatch "%a+" end; ]] ..
        "local all = {}; for word in tide.data.ChainDataset({Words(), Words()}):iter() do " ..
        [[all[#all + 1] = word end; all --> {"to", "be", "to", "be"}]]},
    {"StackDataset", "(dataset...)",
      "The samples of data sets side by side; of a table of data sets, tables with its keys",
      [[tide.data.StackDataset({image = {1, 2}, text = {"a", "b"}}):get(2) --> {image = 2, text = "b"}]]},
    {"default_collate", "(samples)",
      "A batch of a list of samples: tensors are stacked, numbers make a tensor, strings a list; tables " ..
        "are gone through by key",
      [[tide.data.default_collate({{x = 1, name = "a"}, {x = 2, name = "b"}}) --> ]] ..
        [[{name = {"a", "b"}, x = {1, 2}}]]},
    {"get_worker_info", "()", "In a worker of a loader {id, num_workers, seed, dataset}, its id from 1; nil elsewhere",
      "tide.data.get_worker_info() --> nil"},
    {"digits", "()", "Images (1797, 8, 8) and labels of handwritten digits",
      "local images, labels = tide.data.digits(); " ..
        "images.shape, labels.shape --> {1797, 8, 8}, {1797}"},
  },
  {
    title = "Samplers",
    prefix = "tide.data.",
    {"Sampler", "()",
      "The base of samplers: a class defines iter(), which gives the positions of a pass, or order(), " ..
        "which gives them in a tensor; and __len or len",
      [[local Back = tide.class("Back", tide.data.Sampler); ]] ..
        "function Back:order() return tide.tensor{3, 2, 1} end; " ..
        "local list = {}; for i in Back():iter() do list[#list + 1] = i end; list --> {3, 2, 1}"},
  },
  {
    title = "Methods of loaders",
    prefix = "loader:",
    {"iter", "()", "One pass: a function that gives the next batch, as one value or several",
      "local loader = tide.data.DataLoader({1, 2, 3}, {batch_size = 2}); loader:iter()() --> {1, 2}"},
    {"enumerate", "()", "One pass with the batches numbered from 1: for i, x, y in loader:enumerate() do",
      "local loader = tide.data.DataLoader({7, 8}); loader:enumerate()() --> 1, {7}"},
    {"state_dict", "()",
      "Where the loader stands: passes begun, batches taken, and what the order of the pass depends on",
      "local loader = tide.data.DataLoader({7, 8}); loader:iter()(); loader:state_dict().taken --> 1"},
    {"load_state_dict", "(state)",
      "The next loop goes on where state_dict was called, with the rest of the pass in the same order. With a " ..
        "shuffled order, also restore tide.get_rng_state()",
      "local loader, other = tide.data.DataLoader({7, 8}), tide.data.DataLoader({7, 8}); loader:iter()(); " ..
        "other:load_state_dict(loader:state_dict()); other:iter()() --> {8}"},
  },
  {
    title = "Methods of samplers",
    prefix = "sampler:",
    {"iter", "()", "One pass: a function that gives the next position, or a list of them for a batch sampler",
      "local sampler = tide.data.BatchSampler({1, 2, 3}, 2); sampler:iter()() --> {1, 2}"},
    {"set_epoch", "(epoch)", "Gives a DistributedSampler that shuffles the order of another epoch",
      "local sampler = tide.data.DistributedSampler({7, 8}, {num_replicas = 2, rank = 0}); " ..
        "sampler:set_epoch(3)"},
  },
  {
    title = "Files",
    prefix = "tide.",
    {"save", "(value, path, metadata?)",
      "Writes a tensor or a table to a safetensors file, which is replaced as a whole; the path may also come " ..
        "first. Tables hold tensors, numbers, text, booleans, and tables, modules and optimizers of these, " ..
        "the last two as their state_dict. A tensor's name is where it stands, \"model.fc.weight\"; one that " ..
        "is there several times is stored once",
      "local path = os.tmpname(); tide.save({w = tide.ones(2), step = 3}, path); " ..
        "local loaded = tide.load(path); os.remove(path); loaded --> {step = 3, w = {1.0, 1.0}}"},
  },
}
