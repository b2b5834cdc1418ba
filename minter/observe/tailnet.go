package observe

import (
	"tsunaro.io/gateway/renderer/admit"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/renderer/rules"
)

// TailnetRefused is what is wrong with the spec of a Tailnet, sorted; warnings are
// left out.
func TailnetRefused(t *v1alpha1.Tailnet) rules.Refusal {
	var findings []rules.Finding
	admit.Tailnet(custom(api.KindTailnet, &t.ObjectMeta, t.Spec), &findings)
	var wrong rules.Refusal
	for _, f := range rules.Sort(findings) {
		if !rules.Lookup(f.Rule).Warn {
			wrong = append(wrong, f)
		}
	}
	return wrong
}
