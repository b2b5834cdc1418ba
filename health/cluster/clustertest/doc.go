// Package clustertest is API servers for tests that show what was put into them: a
// gateway as it is in one situation or another. They answer get and list of JSON, and
// refuse everything else; of a Secret they give nobody more than the metadata.
package clustertest
