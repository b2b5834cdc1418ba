package headscale

import (
	"crypto/rand"
	"encoding/base64"
	"os"

	"sigs.k8s.io/yaml"
)

// configure writes the configuration. It reaches for no other machine: no DERP
// map, no update check, no log service.
func (a *Access) configure() error {
	type m = map[string]any
	o := a.options
	data, err := yaml.Marshal(m{
		"server_url":            o.ServerURL,
		"listen_addr":           o.at(o.Port),
		"metrics_listen_addr":   "", // none
		"grpc_listen_addr":      o.at(o.GRPCPort),
		"tls_cert_path":         a.file("tls.crt"),
		"tls_key_path":          a.file("tls.key"),
		"disable_check_updates": true,
		"logtail":               m{"enabled": false},
		"log":                   m{"level": "info", "format": "text"},
		"noise":                 m{"private_key_path": a.file("noise.key")},
		"prefixes":              m{"v4": "100.64.0.0/10", "v6": "fd7a:115c:a1e0::/48", "allocation": "sequential"},
		"database":              m{"type": "sqlite", "sqlite": m{"path": a.file("db.sqlite"), "write_ahead_log": true}},
		"policy":                m{"mode": "database"},
		"dns": m{
			"magic_dns": false, "override_local_dns": false, "base_domain": "tailnet.test",
			"nameservers": m{"global": []string{}}, "search_domains": []string{}, "extra_records": []string{},
		},
		"unix_socket":            a.file("headscale.sock"),
		"unix_socket_permission": "0700",
		"derp": m{
			"urls": []string{}, "paths": []string{}, "auto_update_enabled": false,
			"server": m{ // an empty map is fatal, so it relays itself
				"enabled": true, "region_id": 999, "region_code": "test", "region_name": "test", "verify_clients": true,
				"stun_listen_addr": o.at(o.STUNPort), "private_key_path": a.file("derp.key"),
				"automatically_add_embedded_derp_region": true, "ipv4": o.Address.String(),
			},
		},
	})
	if err != nil {
		return err
	}
	return os.WriteFile(a.file("config.yaml"), data, 0o600)
}

// registrationID names a registration that waits for approval: a prefix and 24
// characters of base64.
func registrationID() (string, error) {
	random := make([]byte, 18)
	_, err := rand.Read(random)
	return "hskey-authreq-" + base64.URLEncoding.EncodeToString(random), err
}
