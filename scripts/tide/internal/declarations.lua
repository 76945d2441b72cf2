-- The parameters that functions of the library declare, by the name of the function in its errors:
-- {declared, kinds}, as `arguments` was given them first. What an object is called with is at
-- "CLASS:forward". The reference reads them.
return {}
