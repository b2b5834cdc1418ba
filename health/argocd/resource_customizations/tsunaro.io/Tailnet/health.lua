-- How a Tailnet is. Generated from the table of conditions: make generate.

-- What the conditions may say: a reason's status, and how much it counts.
local rows = {
  Ready = {
    TailnetReady = { status = "True", health = "Healthy" },
    SpecRefused = { status = "False", health = "Degraded" },
    BootstrapKeyMissing = { status = "False", health = "Progressing" },
    CABundleMissing = { status = "False", health = "Progressing" },
    HostsMissing = { status = "False", health = "Progressing" },
    HeadscaleUnreachable = { status = "False", health = "Progressing" },
    KeyRejected = { status = "False", health = "Degraded" },
    KeyBlocked = { status = "False", health = "Degraded" },
    KeyNotStored = { status = "False", health = "Progressing" },
    InUse = { status = "False", health = "Progressing" },
    EvidenceUnavailable = { status = "Unknown", health = "Progressing" },
  },
  APIKey = {
    KeyCurrent = { status = "True" },
    KeyMissing = { status = "False" },
    KeyRejected = { status = "False" },
    RotationFailed = { status = "False", health = "Degraded" },
    EvidenceUnavailable = { status = "Unknown" },
  },
}

-- The conditions that count beside Ready, in reading order.
local beside = {
  "APIKey",
}

local severity = { Healthy = 1, Suspended = 2, Progressing = 3, Degraded = 4 }

local metadata = obj.metadata or {}
local status = obj.status or {}
local conditions = {}
for _, c in pairs(status.conditions or {}) do
  conditions[c.type or ""] = c
end

-- How much a condition counts: nil if it does not. What is not known counts as on
-- its way, unless it is true and not about Ready.
local function weight(c)
  local row = rows[c.type][c.reason or ""]
  if row ~= nil and row.status == c.status then
    return row.health
  end
  if c.type == "Ready" or c.status ~= "True" then
    return "Progressing"
  end
  return nil
end

local function text(c)
  if c.message ~= nil and c.message ~= "" then
    return c.message
  end
  if c.reason ~= nil and c.reason ~= "" then
    return c.reason
  end
  return "It is in a state that is not known here."
end

local function verdict(health, message)
  return { status = health, message = message }
end

local function is_true(c)
  return c ~= nil and c.status == "True"
end

if (metadata.generation or 0) ~= (status.observedGeneration or 0) then
  return verdict("Progressing", "The minter has not seen this generation yet.")
end

-- Ready decides alone while it waits, or has given up.
local health, message
local ready = conditions["Ready"]
if ready ~= nil then
  health, message = weight(ready), text(ready)
else
  health, message = "Progressing", "The minter has not said anything about it yet."
end
local stalled, waits = conditions["Stalled"], conditions["Reconciling"]
if severity[health] >= severity.Progressing then
  if is_true(stalled) then
    health = "Degraded"
  end
  return verdict(health, message)
end
if is_true(stalled) then
  return verdict("Degraded", text(stalled))
end
if is_true(waits) then
  return verdict("Progressing", text(waits))
end
if metadata.deletionTimestamp ~= nil then
  return verdict("Progressing", "It is being deleted.")
end

-- Otherwise the worst condition does, with the texts of all that are as bad. A
-- healthy Tailnet adds what is not as it might be.
local worst = health
for _, t in ipairs(beside) do
  local c = conditions[t]
  local h = c ~= nil and weight(c) or nil
  if h ~= nil and severity[h] > severity[worst] then
    worst = h
  end
end
local texts = {}
if worst == health then
  table.insert(texts, message)
end
for _, t in ipairs(beside) do
  local c = conditions[t]
  if c ~= nil and (worst == health and c.status == "False" or worst ~= health and weight(c) == worst) then
    table.insert(texts, text(c))
  end
end
return verdict(worst, table.concat(texts, " "))
