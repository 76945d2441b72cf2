print(tide.zeros(2, {dtype = "flot32"}))
--> tide: type_as_string.lua:1: zeros: there is no type 'flot32': known are float64 float32 bfloat16 float16 float8_e5m2 float8_e4m3fn int64 int32 int16 int8 uint8 bool; did you mean 'float32'?
