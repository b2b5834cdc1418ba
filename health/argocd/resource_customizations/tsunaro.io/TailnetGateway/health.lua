-- How a TailnetGateway is. Generated from the table of conditions: make generate.

-- What the conditions may say: a reason's status, and how much it counts.
local rows = {
  Ready = {
    FreshRuntimeReady = { status = "True", health = "Healthy" },
    Suspended = { status = "False", health = "Suspended" },
    TailnetMissing = { status = "False", health = "Progressing" },
    APIKeyMissing = { status = "False", health = "Progressing" },
    HostsMissing = { status = "False", health = "Progressing" },
    HostsRefused = { status = "False", health = "Degraded" },
    SpecRefused = { status = "False", health = "Degraded" },
    FormatUnknown = { status = "False", health = "Degraded" },
    AwaitingResources = { status = "False", health = "Progressing" },
    Provisioning = { status = "False", health = "Progressing" },
    RuntimeNotReady = { status = "False", health = "Progressing" },
    IdentityUnproven = { status = "False", health = "Progressing" },
    Restarting = { status = "False", health = "Progressing" },
    FreshBlocked = { status = "False", health = "Degraded" },
    IdentityChanged = { status = "False", health = "Degraded" },
    EvidenceUnavailable = { status = "Unknown", health = "Progressing" },
    Deleting = { status = "False", health = "Progressing" },
    TeardownBlocked = { status = "False", health = "Degraded" },
  },
  Bound = {
    BindingOpen = { status = "True" },
    BindingMinting = { status = "True" },
    BindingComplete = { status = "True" },
    NotBound = { status = "False" },
    BindingClosed = { status = "False" },
    Suspended = { status = "Unknown" },
    EvidenceUnavailable = { status = "Unknown" },
  },
  Registered = {
    NodeRegistered = { status = "True" },
    NotRegistered = { status = "False" },
    NodeAmbiguous = { status = "False", health = "Degraded" },
    Suspended = { status = "Unknown" },
    EvidenceUnavailable = { status = "Unknown" },
  },
  RoutesInSync = {
    Approved = { status = "True" },
    NotApproved = { status = "False", health = "Progressing" },
    NotReady = { status = "Unknown" },
    Suspended = { status = "Unknown" },
    EvidenceUnavailable = { status = "Unknown" },
  },
  DNSReady = {
    DNSInSync = { status = "True" },
    DNSUpdateBlocked = { status = "False", health = "Degraded" },
    DNSNotCompared = { status = "Unknown" },
    DNSUpdateConflict = { status = "False", health = "Progressing" },
    DNSSerialExhausted = { status = "False", health = "Degraded" },
    HostsMissing = { status = "False", health = "Degraded" },
    HostsRefused = { status = "False", health = "Degraded" },
    Suspended = { status = "Unknown" },
    EvidenceUnavailable = { status = "Unknown" },
  },
  WorkloadCurrent = {
    PodCurrent = { status = "True" },
    PodTemplateStale = { status = "False" },
    TemplateOutOfSync = { status = "False", health = "Progressing" },
    WorkloadUpdateBlocked = { status = "False", health = "Degraded" },
    PodMissing = { status = "Unknown" },
    EvidenceUnavailable = { status = "Unknown" },
  },
  ServiceReady = {
    LoadBalancerAssigned = { status = "True" },
    LBPending = { status = "False" },
    ServiceUpdateBlocked = { status = "False", health = "Degraded" },
    EvidenceUnavailable = { status = "Unknown" },
  },
  InSync = {
    AsRendered = { status = "True" },
    ResourcesMissing = { status = "False", health = "Progressing" },
    EngineBehind = { status = "False", health = "Progressing" },
    Drifted = { status = "False", health = "Degraded" },
    Suspended = { status = "Unknown" },
    EvidenceUnavailable = { status = "Unknown" },
  },
  StaleNodes = {
    ExternallyManaged = { status = "Unknown" },
    Suspended = { status = "Unknown" },
  },
  ClusterDNSForward = {
    ExternallyManaged = { status = "Unknown" },
    Suspended = { status = "Unknown" },
  },
}

-- The conditions that count beside Ready, in reading order.
local beside = {
  "Bound",
  "Registered",
  "RoutesInSync",
  "DNSReady",
  "WorkloadCurrent",
  "ServiceReady",
  "InSync",
  "StaleNodes",
  "ClusterDNSForward",
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
elseif obj.spec == nil or obj.spec.suspend ~= false then
  health, message = "Suspended", "The gateway is suspended: nothing is rendered or minted, and what runs keeps running."
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
-- healthy TailnetGateway adds what is not as it might be.
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
