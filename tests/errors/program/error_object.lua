error({code = 2})
--> tide: (error object is a table value)
