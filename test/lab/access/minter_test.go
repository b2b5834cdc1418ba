//go:build lab

package access

import (
	"maps"
	"testing"

	"tsunaro.io/gateway/minter/deploy"
	"tsunaro.io/gateway/renderer/api"
)

// minQuestions guards against a discovery that finds nothing.
const minQuestions = 5000

// table is what the minter of an operator namespace may do in a namespace, by the
// reviewed table. Names are those that a grant is limited to.
func table(operator, in string) map[question]bool {
	all := anybody(in)
	for _, g := range deploy.Access() {
		if g.Scope == deploy.OperatorNamespace && in != operator {
			continue
		}
		for _, verb := range g.Verbs {
			all[question{in, g.Group, g.Resource, g.Name, verb}] = true
		}
	}
	return all
}

// unnamed leaves out what is limited to a name.
func unnamed(all map[question]bool) map[question]bool {
	maps.DeleteFunc(all, func(q question, _ bool) bool { return q.name != "" })
	return all
}

// Every resource of the server, every verb, in the minter's namespace, in others
// and in all of them: yes to the table, no to the rest.
//
// REQ: OP-02
func TestMinter(t *testing.T) {
	l := start(t)
	asked := 0
	for _, in := range []string{namespace, another, "default", "kube-system", ""} {
		questions := l.grid(in)
		asked += len(questions)
		l.same("in "+in, l.allowed(minter(), questions), unnamed(table(namespace, in)))
	}
	if asked < minQuestions {
		t.Errorf("%d questions, want at least %d", asked, minQuestions)
	}
	t.Logf("%d questions", asked)
}

// The rules that the server itself counts up for the account are the table, names
// included; so they are for the second minter, which has no part in the namespace
// of the first. (A question about all namespaces cannot be put this way.)
//
// REQ: OP-02, RN-12
func TestMintersRules(t *testing.T) {
	l := start(t)
	for _, own := range []string{namespace, l.secondNamespace()} {
		id := account(own, api.MinterName)
		for _, in := range []string{namespace, l.secondNamespace(), another, "default"} {
			l.same(own+" in "+in, l.rules(id, in), table(own, in))
		}
	}
	for _, nobody := range []string{"default", "tsunaro-minter-2"} {
		l.same(nobody, l.rules(account(namespace, nobody), namespace), anybody(namespace))
	}
	l.same("of its name elsewhere", l.rules(account(another, api.MinterName), another), anybody(another))
}
