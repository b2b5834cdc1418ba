// Package monitoring is what a cluster needs to watch gateways and the minter, as
// manifests for the Prometheus operator and for Grafana: PodMonitors, alerts and a
// dashboard. Its tests hold them to the metrics, the Pods and docs/monitoring.md.
// What the alerts do in time is tested in test/lab/monitoring.
package monitoring
