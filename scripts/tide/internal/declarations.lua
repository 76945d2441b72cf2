-- The parameters that functions of the library declare, by the name of the function in its errors:
-- {declared, kinds}, as `arguments` was given them first. The reference reads them.
return {}
