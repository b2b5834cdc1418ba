package registry

import "tsunaro.io/gateway/renderer/api"

// Changed reports whether two states of the registry differ in what they hold
// under a gateway's name, entry or not.
func Changed(before, after map[string]string, gateway string) bool {
	for _, field := range fields {
		key := api.BindingKey(gateway, field)
		old, was := before[key]
		now, is := after[key]
		if was != is || old != now {
			return true
		}
	}
	return false
}
