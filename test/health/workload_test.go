package health

import (
	"testing"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// TestWorkloadProvesNothing is why a gateway says itself how it is (B09): a
// StatefulSet that waits for its Pod to be deleted is done to kstatus, without any
// Pod, as it is to Argo CD.
func TestWorkloadProvesNothing(t *testing.T) {
	data, err := yaml.YAMLToJSON([]byte(`
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: gw1, generation: 4}
spec: {replicas: 1, serviceName: gw1, updateStrategy: {type: OnDelete}, selector: {matchLabels: {a: b}}}
status: {observedGeneration: 4, replicas: 0, readyReplicas: 0, currentRevision: gw1-a, updateRevision: gw1-b}
`))
	if err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(data); err != nil {
		t.Fatal(err)
	}
	result, err := status.Compute(u)
	if err != nil || result.Status != status.CurrentStatus {
		t.Errorf("kstatus: %v %v: docs/health.md says otherwise", result, err)
	}
}
