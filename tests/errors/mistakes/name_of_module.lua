print(torch.ones(2))
--> tide: name_of_module.lua:1: attempt to index a nil value (global 'torch'); the module is called tide
