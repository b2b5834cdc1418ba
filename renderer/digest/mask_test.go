package digest

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"tsunaro.io/gateway/renderer/api"
)

// REQ: RN-06, DL-06, UP-02
func TestBlank(t *testing.T) {
	const (
		balancer = `{"kind":"Service","metadata":{"annotations":{"tsunaro.io/pool-label-keys":"a","other":"b"}},"spec":{"clusterIP":"10.0.0.1","clusterIPs":["10.0.0.1"],"healthCheckNodePort":30000,"type":"LoadBalancer"}}`
		dns      = `{"kind":"Service","spec":{"clusterIP":"10.0.0.1","clusterIPs":["10.0.0.1"],"type":"ClusterIP"}}`
		config   = `{"data":{"Corefile":"c","hosts":"h","other":"o","zone.db":"z"},"kind":"ConfigMap","metadata":{"annotations":{"tsunaro.io/dns-content-sha256":"1","tsunaro.io/dns-serial":"2","tsunaro.io/render-format":"1"}}}`
		workload = `{"kind":"StatefulSet","spec":{"template":{"spec":{"containers":[{"env":[{"name":"TS_ROUTES","value":"r"},{"name":"TS_HOSTNAME","value":"h"}],"image":"i","name":"a"},{"image":"i","name":"b"}],"initContainers":[{"image":"i","name":"c"}]}}}}`
		role     = `{"kind":"Role","spec":null}`
	)
	for _, c := range []struct {
		why      string
		class    Class
		in, want string
	}{
		{"a LoadBalancer's addresses are allocated", Allocated, balancer,
			`{"kind":"Service","metadata":{"annotations":{"other":"b","tsunaro.io/pool-label-keys":"a"}},"spec":{"type":"LoadBalancer"}}`},
		{"the other Services ask for theirs", Allocated, dns, dns},
		{"the record of the pool keys goes with the pool labels", Mutable, balancer,
			`{"kind":"Service","metadata":{"annotations":{"other":"b"}},"spec":{"clusterIP":"10.0.0.1","clusterIPs":["10.0.0.1"],"healthCheckNodePort":30000,"type":"LoadBalancer"}}`},
		{"the zone and its revision", Live, config,
			`{"data":{"other":"o"},"kind":"ConfigMap","metadata":{"annotations":{"tsunaro.io/render-format":"1"}}}`},
		{"images and routes", Mutable, workload,
			`{"kind":"StatefulSet","spec":{"template":{"spec":{"containers":[{"env":[{"name":"TS_ROUTES"},{"name":"TS_HOSTNAME","value":"h"}],"name":"a"},{"name":"b"}],"initContainers":[{"name":"c"}]}}}}`},
		{"the class that was not asked for stays", Allocated, workload, workload},
		{"an object without such fields", Mutable, role, role},
		{"nor with the shape that they have", Mutable, `{"kind":"StatefulSet","spec":[]}`, `{"kind":"StatefulSet","spec":[]}`},
	} {
		var object map[string]any
		if err := json.Unmarshal([]byte(c.in), &object); err != nil {
			t.Fatal(err)
		}
		Blank(object, c.class)
		got, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.why, got, c.want)
		}
	}
}

// The table knows every key of the CoreDNS ConfigMap's data.
func TestLiveDataIsAllDNSData(t *testing.T) {
	keys := map[string]bool{}
	for _, f := range Fields {
		if f.Class == Live && f.Path[0] == "data" {
			keys[f.Path[1]] = true
		}
	}
	if got, want := slices.Sorted(maps.Keys(keys)), []string{api.DataCorefile, api.DataHosts, api.DataZone}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
