package main

import (
	"io/fs"
	"path"

	"tsunaro.io/gateway/health/corpus"
)

// file is one that is generated, by its name in the repository.
type file struct {
	name  string
	write func(root fs.FS) ([]byte, error)
}

// files are all of them, in an order in which each may hold those before it.
func files() []file {
	var all []file
	for _, kind := range kinds {
		scripts := path.Join("health", corpus.Customizations, kind)
		all = append(all,
			file{path.Join(scripts, "health.lua"), func(fs.FS) ([]byte, error) { return healthLua(kind) }},
			file{path.Join(scripts, "health_test.yaml"), func(root fs.FS) ([]byte, error) { return healthTest(root, kind) }})
	}
	for _, s := range steps {
		all = append(all, file{s.file, func(fs.FS) ([]byte, error) { return fluxPatch(s.about, s.bound) }})
	}
	return append(all,
		file{"health/argocd/argocd-cm.yaml", argoCD},
		file{"health/argocd/ignore-differences/argocd-cm.yaml", ignoreDifferences},
		file{"docs/health.md", page})
}
