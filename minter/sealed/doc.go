// Package sealed holds bytes that must be seen by nobody but their consumer:
// API keys, pre-auth keys, private node keys.
package sealed
