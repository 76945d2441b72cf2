-- The number of the last input; nil without a session.
return {number = nil}
