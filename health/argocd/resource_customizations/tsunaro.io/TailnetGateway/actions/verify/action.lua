-- Any change of the object wakes the minter, which then reads everything again.
local os = require("os")
if obj.metadata.annotations == nil then
  obj.metadata.annotations = {}
end
obj.metadata.annotations["tsunaro.io/requested-at"] = os.date("!%Y-%m-%dT%XZ")
return obj
