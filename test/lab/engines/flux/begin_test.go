//go:build lab && linux

package flux

import (
	"strings"
	"time"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
)

// begins takes the example from an empty cluster to Ready by one commit, and logs how
// long each part of the way took, beside what Flux takes for nine plain objects.
//
// REQ: ST-05, DL-07, RN-09
func (r *run) begins() {
	p := r.home
	p.Must(apiserver.Person, plainKustomization, "apply", "-f", "-")
	p.deploy()
	p.Must(apiserver.Person, "", "wait", "--for=condition=Ready", "gitrepository/"+repository, "--namespace="+namespace, "--timeout=1m")

	plain := p.plain()
	p.compose(p)
	began := p.push("the first gateway")
	at := func(key, what string, is func(seen) bool) time.Duration {
		return p.log.first(p.World, key, what, func(s seen) bool { return s.at.After(began) && is(s) }).at.Sub(began)
	}
	gateway := "TailnetGateway/" + p.name
	artifact := at("GitRepository/"+repository, "has the commit", func(s seen) bool { return s.status.Artifact.Revision == p.log.head() })
	first := at(gateway, "is there", func(seen) bool { return true })
	bound := at(gateway, "is bound", func(s seen) bool { return s.condition(api.ConditionBound).Status == "True" })
	nine := at("StatefulSet/"+p.name, "is there", func(seen) bool { return true })
	p.Approve(p.name, "10.99.0.0/24", "192.168.10.0/24", laterRoute)
	node := at(gateway, "is ready", func(s seen) bool { return s.condition(api.ConditionReady).Status == "True" })
	p.showsSince(began, serving)
	ready := at("Kustomization/"+p.two, "is ready", func(s seen) bool {
		return s.condition("Ready").Status == "True" && s.status.LastAttemptedRevision == p.log.head()
	})
	p.Logf("from the commit to its artifact %s, step one applied %s, bound %s, the nine applied %s, the gateway ready %s, both Kustomizations %s",
		ms(artifact), ms(first), ms(bound), ms(nine), ms(node), ms(ready))
	p.Logf("nine plain objects: %s from the commit to Ready; the gateway's nine are there after %.1f times, Ready after %.1f times as long",
		ms(plain), nine.Seconds()/plain.Seconds(), ready.Seconds()/plain.Seconds())
	p.answers("nas.lab.example", "192.168.10.7")
	p.answers("printer.lab.example", "192.168.10.8")
}

func ms(d time.Duration) time.Duration { return d.Round(10 * time.Millisecond) }

// laterRoute is approved beforehand, so that nobody has to when it comes.
const laterRoute = "192.168.30.0/24"

// answers waits until the gateway's DNS has an address for a name.
func (p *pair) answers(host, address string) {
	p.Helper()
	p.Answers(p.clusterIP, host, address)
}

// plain is how long nine objects of the same kinds take from their commit to Ready.
func (p *pair) plain() time.Duration {
	p.Helper()
	docs := []string{plainOthers}
	for _, name := range []string{"a", "b", "c"} {
		docs = append(docs, strings.ReplaceAll(plainService, "NAME", "plain-"+name))
	}
	p.git.Write("plain/plain.yaml", strings.Join(docs, "---\n"))
	began := p.pushOnly("nine plain objects")
	return p.log.first(p.World, "Kustomization/plain", "is ready", func(s seen) bool {
		return s.condition("Ready").Status == "True" && s.status.LastAttemptedRevision == p.log.head()
	}).at.Sub(began)
}

const (
	plainKustomization = `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: plain, namespace: tsunaro-system}
spec:
  interval: 10m
  retryInterval: 2s
  path: ./plain
  prune: true
  wait: true
  targetNamespace: default
  sourceRef: {kind: GitRepository, name: gateways}
`
	plainService = `apiVersion: v1
kind: Service
metadata: {name: NAME}
spec: {selector: {app: plain}, ports: [{name: dns, port: 53, protocol: UDP}]}
`
	plainOthers = `apiVersion: v1
kind: ConfigMap
metadata: {name: plain}
data: {zone: none}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: plain}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: plain}
rules: [{apiGroups: [""], resources: [secrets], resourceNames: [plain], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: plain}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: plain}
subjects: [{kind: ServiceAccount, name: plain, namespace: default}]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: plain}
spec: {minAvailable: 1, selector: {matchLabels: {app: plain}}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: plain}
spec:
  replicas: 0
  serviceName: plain-a
  selector: {matchLabels: {app: plain}}
  template:
    metadata: {labels: {app: plain}}
    spec: {containers: [{name: none, image: localhost/lab/pause:1}]}
`
)
