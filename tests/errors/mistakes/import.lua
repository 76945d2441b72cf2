import torch.nn.functional as F
--> tide: import.lua:1: syntax error near 'torch'
--> in Lua: local F = tide.nn.functional
