# All that is done with this repository, by name. `make` alone lists it.
# Needed: Go, make, git. `make test-lab` needs root and some Debian packages more: it
# installs what the lab runs on, and says what else is missing.

GO       ?= go
FUZZTIME ?= 10m
WITH     ?=

# Tests are compiled as programs are, so that what both are made of is compiled once.
export CGO_ENABLED := 0
export GOFLAGS := $(strip $(filter-out -trimpath,$(shell $(GO) env GOFLAGS)) -trimpath)

TOOL  := $(GO) run ./test/cmd/tool

# What test/testbed/apiserver runs; building it all takes a quarter of an hour, once.
CONTROLPLANE := etcd $(foreach v,1.34 1.36 1.37,kube-apiserver-$(v) kubectl-$(v)) kube-controller-manager-1.36

GOFMT := "$$($(GO) env GOROOT)/bin/gofmt"

# The steps of a target run in the order they are written in, also under -j:
# two of them would only fight for the same processors.
.NOTPARALLEL:
.PHONY: help demo build test lint check-generated unit coverage-rules test-lab-programs test-lab test-lab-by-hand record-health lab lab-status lab-down generate golden bench bench-idle vuln fuzz clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: build ## the home lab through the real kustomize, shown readably
	@$(call copy,kustomize)
	@$(GO) run ./test/cmd/demo

build: ## bin/tsunaro-fn and bin/kubectl-tsunaro
	@$(call copy,tsunaro-fn)
	@$(call copy,kubectl-tsunaro)

# copy puts a program that the tool cache holds, or builds, into bin.
define copy
	mkdir -p bin; path=$$($(TOOL) $(1)) && cp -f "$$path" bin/$(1) && echo "bin/$(1) is ready"
endef

test: lint check-generated unit coverage-rules ## every check that needs no root and no other package
	@echo "==> make test: all passed"

lint: ## gofmt, go vet, staticcheck
	@echo "==> gofmt"
	@files=$$($(GOFMT) -l .) && { [ -z "$$files" ] || { echo "not formatted (gofmt -w . mends it):"; echo "$$files"; exit 1; }; }
	@echo "==> go vet (the first run compiles the dependencies, which takes a minute or two)"
	@$(GO) vet -tags lab,long ./...
	@echo "==> staticcheck"
	@path=$$($(TOOL) staticcheck) && "$$path" -tags lab,long ./...

# An index of its own makes git name the working tree's content, committed or not.
define tree
	GIT_INDEX_FILE="$$tmp/index" git add --all . && GIT_INDEX_FILE="$$tmp/index" git write-tree
endef

check-generated: ## generated files are what make generate writes
	@tmp=$$(mktemp -d) && trap 'rm -rf "$$tmp"' EXIT && before=$$($(tree)) && \
	$(MAKE) --no-print-directory generate && after=$$($(tree)) && \
	{ git diff --exit-code --stat "$$before" "$$after" || \
	{ echo "these generated files were out of date and are rewritten now: read and commit them"; exit 1; }; }

# What tests run beside their own code: built once, with progress, before them.
TEST_PROGRAMS = kustomize tsunaro-fn kubectl-tsunaro opa conftest kubectl-1.37 headscale

unit:
	@$(TOOL) $(TEST_PROGRAMS) >/dev/null
	@echo "==> go test"
	@$(GO) test ./...

coverage-rules: ## rule x cases; fails on a rule without an accepted and a refused one
	@echo "==> rules and their cases"
	@$(GO) run ./test/corpus/coverage

# What the suites of test-lab run beside the lab's own programs.
LAB_TEST_PROGRAMS = kustomize tsunaro-fn kubectl-tsunaro tsunaro-minter coredns headscale promtool argocd $(CONTROLPLANE)

test-lab-programs: ## build what test-lab runs, with progress
	@[ "$$(id -u)" = 0 ] || { echo "make test-lab needs root: it makes network namespaces"; exit 1; }
	@for p in qemu-aarch64-static qemu-arm-static qemu-s390x-static; do \
	command -v $$p >/dev/null || { echo "make test-lab needs $$p: apt-get install qemu-user-static"; exit 1; }; done
	@command -v ip >/dev/null || { echo "make test-lab needs ip: apt-get install iproute2"; exit 1; }
	@$(TOOL) $(LAB_TEST_PROGRAMS) >/dev/null
	@path=$$($(TOOL) tsunaro-lab) && "$$path" build --with=flux,argocd

# Suites that need the machine for themselves: dozens of gateways at once. Those of the
# second list are not part of test-lab, only for the time that they take.
ALONE := crash
BY_HAND := blocked teardown

alone = $(GO) test -tags lab -count=1 -timeout=60m -p=1 $(foreach s,$(1),./test/lab/$(s))

test-lab: test-lab-programs ## the checks that need root: processors under qemu, CoreDNS, API servers, gateways in the lab, alerts
	@echo "==> go test ./test/lab, two suites side by side, and then alone $(ALONE)"
	@result=0; \
	beside=$$($(GO) list -tags lab ./test/lab/... | grep -Ev "/test/lab/($$(echo $(ALONE) $(BY_HAND) | tr ' ' '|'))$$") || exit 1; \
	$(GO) test -tags lab -count=1 -timeout=30m -p=2 $$beside || result=1; \
	$(call alone,$(ALONE)) || result=1; \
	exit $$result

test-lab-by-hand: test-lab-programs ## every blocked state, and every teardown under faults: thirteen minutes, by hand
	@echo "==> go test, one after another $(BY_HAND)"
	@$(call alone,$(BY_HAND))

record-health: test-lab-programs ## record the corpus of health/corpus anew, in the lab
	@RECORD_HEALTH=1 $(GO) test -tags lab,long -count=1 -timeout=30m ./test/lab/health
	@$(GO) generate ./health/gen

lab: ## start the whole stack on this machine (root; docs/lab.md); WITH=flux,argocd adds engines
	@path=$$($(TOOL) tsunaro-lab) && "$$path" up --with=$(WITH)

lab-status: ## its components, addresses, kubeconfig and memory
	@path=$$($(TOOL) tsunaro-lab) && "$$path" status

lab-down: ## end it, and remove what a killed one left behind
	@path=$$($(TOOL) tsunaro-lab) && "$$path" down

generate: ## deep copies, CRDs, API reference
	@echo "==> generating"
	@path=$$($(TOOL) controller-gen) && "$$path" object crd paths=./renderer/api/v1alpha1 output:crd:dir=renderer/crd
	@$(GO) generate ./...

golden: ## rewrite the expected outputs; read the diff before you commit it
	@$(TOOL) $(TEST_PROGRAMS) >/dev/null
	@echo "==> go test of the packages that have some, rewriting expected outputs"
	@UPDATE_GOLDEN=1 $(GO) test -count=1 $$(grep -rlE --include='*_test.go' 'UPDATE_GOLDEN|testbed/page"' . | xargs -n1 dirname | sort -u)
	@git status --short

bench: ## measure, and write docs/performance.md
	@$(TOOL) kustomize kyaml-noop empty tsunaro-fn >/dev/null
	@echo "==> measuring (leave the machine alone meanwhile)"
	@$(GO) run ./test/bench/report

bench-idle: ## measure a minter with 1,000 gateways, and write its section of docs/performance.md
	@$(TOOL) etcd kube-apiserver-1.36 kubectl-1.36 tsunaro-minter >/dev/null
	@echo "==> measuring (leave the machine alone meanwhile)"
	@$(GO) run ./test/bench/idle

vuln: ## govulncheck; says so where the database cannot be reached
	@echo "==> govulncheck"
	@$(GO) run ./test/cmd/vuln

fuzz: ## every fuzz target for FUZZTIME (10m), one after another
	@list=$$($(GO) test -list '^Fuzz' ./...) || { echo "$$list"; exit 1; }; \
	targets=$$(echo "$$list" | awk '/^Fuzz/ { names[n++] = $$1 } /^ok/ { for (i = 0; i < n; i++) print $$2, names[i]; n = 0 }'); \
	[ -n "$$targets" ] || { echo "no fuzz target found"; exit 1; }; \
	echo "$$targets" | while read -r package name; do \
	echo "==> $$name in $$package for $(FUZZTIME)"; \
	$(GO) test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x "$$package" </dev/null || exit 1; done

clean: ## remove bin; built tools stay in the user's cache directory
	@rm -rf bin
