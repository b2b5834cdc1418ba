// Command tool builds a pinned tool, or one of the product's own programs, where the
// cache does not hold it yet, and prints its path:
//
//	go run ./test/cmd/tool kustomize
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"tsunaro.io/gateway/test/testbed/tool"
)

// own are the programs of this module that are built like the tools.
var own = []string{tool.FunctionName, tool.KubectlName, tool.MinterName, tool.LabName, tool.PauseName}

func main() {
	all := flag.Bool("all", false, "build every tool")
	list := flag.Bool("list", false, "print name, version and whether it is built; build nothing")
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "usage: tool [-all] [-list] [NAME...]\n\nNAME: %s, %s, %s\n\n",
			strings.Join(tool.Names(), ", "), strings.Join(own, ", "), tool.BusyboxName)
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := run(*all, *list, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "tool:", err)
		os.Exit(1)
	}
}

func run(all, list bool, names []string) error {
	if list {
		return printList()
	}
	if all {
		names = append(tool.Names(), own...)
	}
	if len(names) == 0 {
		return errors.New("name a tool, or -all, -list; -help says more")
	}
	for _, name := range names {
		path, err := tool.Path(name)
		if err != nil {
			return err
		}
		fmt.Println(path)
	}
	return nil
}

func printList() error {
	list, err := tool.List()
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, s := range list {
		version, state := s.Version, "not built"
		if version == "" {
			version = "own source"
		}
		if s.Built {
			state = "built"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", s.Name, version, state)
	}
	return w.Flush()
}
