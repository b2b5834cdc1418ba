package monitoring

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/page"
)

const docs page.Page = "../../docs/monitoring.md"

// The page has every metric, as the minter itself explains it.
func TestDocsMetrics(t *testing.T) {
	text := page.Row("Metric", "Type", "Labels", "What it says") + "|---|---|---|---|\n"
	all := gathered(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		var labels []string
		for _, l := range all[name].GetMetric()[0].GetLabel() {
			labels = append(labels, "`"+l.GetName()+"`")
		}
		text += page.Row("`"+name+"`", strings.ToLower(all[name].GetType().String()), strings.Join(labels, ", "), all[name].GetHelp())
	}
	docs.Written(t, "metrics", text)
}

// The page has every alert, and about each a section that its annotation leads to.
func TestDocsAlerts(t *testing.T) {
	text := page.Row("Alert", "Severity", "After", "What it says") + "|---|---|---|---|\n"
	var names []string
	for _, r := range rules(t) {
		anchor := strings.ToLower(r.Alert)
		if want := "docs/monitoring.md#" + anchor; r.Annotations["runbook"] != want {
			t.Errorf("%s leads to %s", r.Alert, r.Annotations["runbook"])
		}
		summary := regexp.MustCompile(`\{\{ \$labels\.(\w+) \}\}`).ReplaceAllStringFunc(r.Annotations["summary"], func(s string) string {
			return strings.ToUpper(strings.TrimSuffix(strings.TrimPrefix(s, "{{ $labels."), " }}"))
		})
		text += page.Row("["+r.Alert+"](#"+anchor+")", r.Labels["severity"], r.For, summary)
		names = append(names, r.Alert)
	}
	docs.Written(t, "alerts", text)
	var sections []string
	for _, m := range regexp.MustCompile(`(?m)^### (Tailnet\w+)$`).FindAllStringSubmatch(docs.Text(t), -1) {
		sections = append(sections, m[1])
	}
	if !slices.Equal(sections, names) {
		t.Errorf("sections %v, want %v", sections, names)
	}
}

// What the page calls a reason or a condition is one, and what it calls a part of
// the dashboard is there.
func TestDocsWords(t *testing.T) {
	known := map[string]bool{}
	for _, c := range api.Conditions {
		known[c.Type], known[c.Reason] = true, true
	}
	n := 0
	for _, m := range regexp.MustCompile("`([A-Z][a-z]+[A-Z][A-Za-z]+)`").FindAllStringSubmatch(docs.Text(t), -1) {
		if n++; !known[m[1]] {
			t.Errorf("there is no condition or reason %s", m[1])
		}
	}
	if n < 10 {
		t.Errorf("%d reasons", n)
	}
	text, err := os.ReadFile("dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, title := range []string{"Ready, by reason", "Headscale requests, by class"} {
		if !strings.Contains(docs.Text(t), "*"+title+"*") || !strings.Contains(string(text), `"title": "`+title+`"`) {
			t.Errorf("%q is not on the dashboard, or not on the page", title)
		}
	}
}

// The page's own kustomization builds, with the label on everything that a
// Prometheus selects and all in the namespace.
func TestDocsKustomization(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	relative, err := filepath.Rel(dir, here)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(docs.Block(t, "yaml", "resources:"), "- minter/monitoring\n", "- "+relative+"\n", 1)
	text = strings.Replace(text, "namespace: "+api.DefaultOperatorNamespace, "namespace: network-system", 1)
	if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	b := kustomize(t, dir)
	var m podMonitor
	for _, name := range []string{"tsunaro-minter", "tsunaro-gateway"} {
		b.get(t, "PodMonitor/"+name, &m)
		if m.Labels["release"] == "" || m.Namespace != "network-system" || m.Spec.Selector.MatchLabels["release"] != "" {
			t.Errorf("%+v", m)
		}
	}
	var p prometheusRule
	b.get(t, "PrometheusRule/tsunaro", &p)
	if p.Labels["release"] == "" || p.Namespace != "network-system" {
		t.Errorf("%+v", p.ObjectMeta)
	}
	var c corev1.ConfigMap
	b.get(t, "ConfigMap/tsunaro-dashboard", &c)
	if c.Labels["grafana_dashboard"] != "1" || c.Namespace != "network-system" || c.Data["tsunaro.json"] == "" {
		t.Errorf("%+v", c.ObjectMeta)
	}
}

// scrape is what is used of Prometheus' own configuration.
type scrape struct {
	Jobs []struct {
		Name    string `json:"job_name"`
		Relabel []struct {
			Sources []string `json:"source_labels"`
			Regex   string   `json:"regex"`
			Action  string   `json:"action"`
			Target  string   `json:"target_label"`
		} `json:"relabel_configs"`
		Discovery []struct {
			Role       string `json:"role"`
			Namespaces struct {
				Names []string `json:"names"`
			} `json:"namespaces"`
		} `json:"kubernetes_sd_configs"`
	} `json:"scrape_configs"`
}

// Without the operator the page's configuration finds what the PodMonitors find,
// and nothing else of the same Pods.
func TestDocsScrapeConfiguration(t *testing.T) {
	var config scrape
	if err := yaml.UnmarshalStrict([]byte(docs.Block(t, "yaml", "scrape_configs:")), &config); err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for _, job := range config.Jobs {
		if len(job.Discovery) != 1 || job.Discovery[0].Role != "pod" || !slices.Equal(job.Discovery[0].Namespaces.Names, []string{api.DefaultOperatorNamespace}) {
			t.Errorf("%s discovers %+v", job.Name, job.Discovery)
		}
		for _, pod := range pods(t) {
			for port := range ports(t, pod) {
				meta := metaLabels(pod, port)
				keep := true
				for _, r := range job.Relabel {
					var values []string
					for _, s := range r.Sources {
						values = append(values, meta[s])
					}
					if r.Action == "keep" {
						keep = keep && regexp.MustCompile("^(?:"+r.Regex+")$").MatchString(strings.Join(values, ";"))
					} else if keep && strings.Join(values, ";") == "" {
						t.Errorf("%s: nothing is known of %v", job.Name, r.Sources)
					}
				}
				if keep {
					found[job.Name] = append(found[job.Name], port)
				}
			}
		}
		slices.Sort(found[job.Name])
	}
	want := map[string][]string{"tsunaro-minter": {"metrics"}, "tsunaro-gateway": {"kernel-health", "metrics-dns"}}
	if !maps.EqualFunc(found, want, slices.Equal) {
		t.Errorf("found %v, want %v", found, want)
	}
}

// metaLabels are those that Prometheus discovers a port of a Pod with.
func metaLabels(pod corev1.PodTemplateSpec, port string) map[string]string {
	const prefix = "__meta_kubernetes_pod_"
	meta := map[string]string{prefix + "container_port_name": port, prefix + "name": "x", "__meta_kubernetes_namespace": api.DefaultOperatorNamespace}
	for key, value := range pod.Labels {
		name := regexp.MustCompile(`[^a-zA-Z0-9_]`).ReplaceAllString(key, "_")
		meta[prefix+"label_"+name], meta[prefix+"labelpresent_"+name] = value, "true"
	}
	return meta
}
