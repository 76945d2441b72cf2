-- An option that a layer does not know.
local layer = tide.nn.Conv2d(1, 2, 3, {strides = 2})
--> tide: unknown_layer_option.lua:2: Conv2d: unknown option 'strides'; did you mean 'stride'?: known are in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype
