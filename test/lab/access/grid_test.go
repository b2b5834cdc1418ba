//go:build lab

package access

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/test/testbed/apiserver"
)

// verbs are all that Kubernetes knows.
var verbs = []string{
	"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "proxy",
	"impersonate", "bind", "escalate", "use", "approve", "sign", "attest", "request-serviceaccounts-token-audience",
}

// resource is a kind of object, or one of its subresources.
type resource struct{ group, name string }

// virtual resources are in no discovery; their verbs are asked for all the same.
var virtual = []resource{
	{"", "users"}, {"", "groups"}, {"authentication.k8s.io", "uids"}, {"authentication.k8s.io", "userextras/scopes"},
	{"certificates.k8s.io", "signers"}, {"nobody.example", "unheard-of"},
}

// discovered are all resources of the server, and the virtual ones.
func (l lab) discovered() []resource {
	l.Helper()
	_, lists, err := l.client(apiserver.Admin).Discovery().ServerGroupsAndResources()
	if err != nil {
		l.Fatal(err)
	}
	all := slices.Clone(virtual)
	for _, list := range lists {
		group, _, grouped := strings.Cut(list.GroupVersion, "/")
		if !grouped {
			group = ""
		}
		for _, r := range list.APIResources {
			all = append(all, resource{group, r.Name})
		}
	}
	slices.SortFunc(all, func(a, b resource) int { return strings.Compare(a.group+"/"+a.name, b.group+"/"+b.name) })
	return slices.Compact(all)
}

// question is whether somebody may use a verb. An empty namespace is all of them,
// and what is in none; an empty name is any.
type question struct {
	namespace, group, resource, name, verb string
}

func (q question) String() string {
	where := q.namespace
	if where == "" {
		where = "everywhere"
	}
	return fmt.Sprintf("%s %s.%s %q %s", q.verb, q.resource, q.group, q.name, where)
}

// grid is every question about every resource in some namespaces, about no name.
func (l lab) grid(namespaces ...string) []question {
	l.Helper()
	var all []question
	for _, n := range namespaces {
		for _, r := range l.discovered() {
			for _, verb := range verbs {
				all = append(all, question{n, r.group, r.name, "", verb})
			}
		}
	}
	return all
}

// allowed asks the server and returns what it answers yes to.
func (l lab) allowed(id apiserver.Identity, questions []question) map[question]bool {
	l.Helper()
	ctx, cancel := l.ctx()
	defer cancel()
	reviews := l.client(apiserver.Admin).AuthorizationV1().SubjectAccessReviews()
	yes := map[question]bool{}
	var (
		mu      sync.Mutex
		asking  sync.WaitGroup
		failure error
		next    = make(chan question)
	)
	for range 8 {
		asking.Go(func() {
			for q := range next {
				name, sub, _ := strings.Cut(q.resource, "/")
				answer, err := reviews.Create(ctx, &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
					User: id.User, Groups: append(slices.Clone(id.Groups), "system:authenticated"),
					ResourceAttributes: &authorizationv1.ResourceAttributes{
						Namespace: q.namespace, Group: q.group, Resource: name, Subresource: sub, Name: q.name, Verb: q.verb,
					},
				}}, metav1.CreateOptions{})
				mu.Lock()
				switch {
				case err != nil:
					failure = err
				case answer.Status.Allowed:
					yes[q] = true
				}
				mu.Unlock()
			}
		})
	}
	for _, q := range questions {
		next <- q
	}
	close(next)
	asking.Wait()
	if failure != nil {
		l.Fatal(failure)
	}
	return yes
}

// rules are what the server says, asked by the account itself, that it may do in a
// namespace: with the names that rules are limited to, and about no resource left
// out.
func (l lab) rules(id apiserver.Identity, namespace string) map[question]bool {
	l.Helper()
	answer, err := l.client(id).AuthorizationV1().SelfSubjectRulesReviews().Create(l.Context(), &authorizationv1.SelfSubjectRulesReview{
		Spec: authorizationv1.SelfSubjectRulesReviewSpec{Namespace: namespace},
	}, metav1.CreateOptions{})
	if err != nil {
		l.Fatal(err)
	}
	if answer.Status.Incomplete {
		l.Fatalf("incomplete: %s", answer.Status.EvaluationError)
	}
	all := map[question]bool{}
	for _, r := range answer.Status.ResourceRules {
		names := r.ResourceNames
		if len(names) == 0 {
			names = []string{""}
		}
		for _, group := range r.APIGroups {
			for _, resource := range r.Resources {
				for _, name := range names {
					for _, verb := range r.Verbs {
						all[question{namespace, group, resource, name, verb}] = true
					}
				}
			}
		}
	}
	return all
}

// same holds what is allowed to what should be.
func (l lab) same(what string, got, want map[question]bool) {
	l.Helper()
	for q := range got {
		if !want[q] {
			l.Errorf("%s: allowed, and not in the table: %s", what, q)
		}
	}
	for q := range want {
		if !got[q] {
			l.Errorf("%s: in the table, and not allowed: %s", what, q)
		}
	}
}

// anybody is what every service account may: ask about itself.
func anybody(namespace string) map[question]bool {
	return map[question]bool{
		{namespace, "authorization.k8s.io", "selfsubjectaccessreviews", "", "create"}: true,
		{namespace, "authorization.k8s.io", "selfsubjectrulesreviews", "", "create"}:  true,
		{namespace, "authentication.k8s.io", "selfsubjectreviews", "", "create"}:      true,
	}
}
