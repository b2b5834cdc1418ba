-- A gateway without spec.suspend is suspended.
local suspended = obj.spec == nil or obj.spec.suspend ~= false
local deleting = obj.metadata.deletionTimestamp ~= nil

return {
  verify = { displayName = "Verify now", disabled = suspended },
  suspend = { disabled = suspended or deleting },
  resume = { disabled = not suspended or deleting },
}
