return {
  verify = { displayName = "Verify now" },
}
