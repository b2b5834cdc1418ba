package monitoring

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"tsunaro.io/gateway/renderer/api"
)

var (
	selector = regexp.MustCompile(`tailnet_resource_condition\{([^}]*)\}`)
	matcher  = regexp.MustCompile(`(\w+)(=~|!=|=)"([^"]*)"`)
	grouping = regexp.MustCompile(`\bby \(([^)]*)\)`)
)

// An alert says how bad it is, what is the matter and where to read on, and takes
// nothing into its texts but the labels that it keeps.
func TestAlertsAreWhole(t *testing.T) {
	var names []string
	for _, r := range rules(t) {
		names = append(names, r.Alert)
		if !slices.Contains([]string{"critical", "warning"}, r.Labels["severity"]) || len(r.Labels) != 1 {
			t.Errorf("%s has the labels %v", r.Alert, r.Labels)
		}
		if r.For == "" || !strings.HasPrefix(r.Alert, "Tailnet") {
			t.Errorf("%s fires at once, or has another name than ours", r.Alert)
		}
		for _, a := range []string{"summary", "description", "runbook"} {
			if r.Annotations[a] == "" || len(r.Annotations) != 3 {
				t.Errorf("%s has the annotations %v", r.Alert, r.Annotations)
			}
			for _, m := range regexp.MustCompile(`\{\{(.*?)\}\}`).FindAllStringSubmatch(r.Annotations[a], -1) {
				label, ok := strings.CutPrefix(m[1], " $labels.")
				if kept := kept(r.Expr); !ok || !slices.Contains(kept, strings.TrimSpace(label)) {
					t.Errorf("%s says %s, and keeps %v", r.Alert, m[0], kept)
				}
			}
		}
	}
	slices.Sort(names)
	if len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("a name is taken twice: %v", names)
	}
}

// kept are the labels that the first aggregation of an expression leaves.
func kept(expr string) []string {
	m := grouping.FindStringSubmatch(expr)
	if m == nil {
		return nil
	}
	return strings.Split(strings.ReplaceAll(m[1], " ", ""), ",")
}

// What alerts know of conditions is in the table of conditions. Each reason that
// waits for somebody's help, and each that says so of something else than Ready, is in
// one.
//
// REQ: ST-04
func TestAlertsAreAboutConditionsThatExist(t *testing.T) {
	asked := map[api.Key]bool{}
	for _, r := range rules(t) {
		for _, s := range selector.FindAllStringSubmatch(r.Expr, -1) {
			found := 0
			for _, c := range api.Conditions {
				if selects(s[1], c) {
					asked[c.Key()] = true
					found++
				}
			}
			if found == 0 {
				t.Errorf("%s asks for no condition that there is: %s", r.Alert, s[0])
			}
			for _, m := range matcher.FindAllStringSubmatch(s[1], -1) {
				for value := range strings.SplitSeq(m[3], "|") {
					if !exists(m[1], value) {
						t.Errorf("%s: there is no %s %s", r.Alert, m[1], value)
					}
				}
			}
		}
	}
	for _, c := range api.Conditions {
		degraded := c.Health == api.Degraded && slices.Contains([]string{api.ConditionDNSReady, api.ConditionInSync, api.ConditionServiceReady, api.ConditionRoutesInSync}, c.Type)
		pending := c.Type == api.ConditionServiceReady && c.Reason == api.ReasonLBPending // Healthy, so that nothing else calls somebody
		if c.Kind == api.KindTailnetGateway && (c.Effect == api.Stalls || degraded || pending) && !asked[c.Key()] {
			t.Errorf("no alert about %s/%s", c.Type, c.Reason)
		}
	}
}

// series are the labels of a condition's series.
func series(c api.Condition) map[string]string {
	return map[string]string{"kind": c.Kind, "type": c.Type, "status": string(c.Status), "reason": c.Reason}
}

func selects(matchers string, c api.Condition) bool {
	for _, m := range matcher.FindAllStringSubmatch(matchers, -1) {
		value := series(c)[m[1]]
		if match := slices.Contains(strings.Split(m[3], "|"), value); match == (m[2] == "!=") {
			return false
		}
	}
	return true
}

func exists(label, value string) bool {
	return slices.ContainsFunc(api.Conditions, func(c api.Condition) bool { return series(c)[label] == value })
}

// The alert that the contract names, as it names it.
//
// REQ: ST-04
func TestFreshBlocked(t *testing.T) {
	for _, r := range rules(t) {
		if r.Alert == "TailnetGatewayFreshBlocked" {
			if r.For != "5m" || !strings.Contains(r.Expr, `type="Ready", status="False", reason="FreshBlocked"`) {
				t.Errorf("%+v", r)
			}
			return
		}
	}
	t.Error("it is not there")
}
