// Package expiry spells the time at which a key expires: in UTC, in whole
// seconds, in one way. The registry, the receipts and the auth Secret hold the
// same value, and it is compared as a value and never with a clock (LC-14).
package expiry
