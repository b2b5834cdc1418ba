// Package command is the command line of tsunaro-fn. Without a subcommand the
// program is the KRM function that kustomize and kpt run.
package command
