// Command demo runs the real `kustomize build` on an example, with the tsunaro-fn
// of ./bin first on PATH as a user's would be, and shows what came out.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"tsunaro.io/gateway/test/testbed/tool"
)

const example = "examples/home-lab"

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run() error {
	bin, err := filepath.Abs("bin")
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(bin, tool.FunctionName)); err != nil {
		return errors.New("bin/tsunaro-fn is not built: run make demo in the root of the source tree")
	}
	kustomize, err := tool.Path("kustomize")
	if err != nil {
		return err
	}
	cmd := exec.Command(kustomize, "build", "--enable-alpha-plugins", "--enable-exec", example)
	cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	fmt.Printf("\n$ kustomize build --enable-alpha-plugins --enable-exec %s\n\n", example)
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("kustomize build: %w", err)
	}
	elapsed := time.Since(start)

	documents, err := parse(out.Bytes())
	if err != nil {
		return err
	}
	if err := show(os.Stdout, documents); err != nil {
		return err
	}
	fmt.Printf("\nThis took %d ms, the start of kustomize and of the function included.\n%s", elapsed.Milliseconds(), next)
	return nil
}

const next = `
How to go on
  Try it by hand, or put your own Tailnet and TailnetGateway in place of the example's:
    export PATH="$PWD/bin:$PATH"
    kustomize build --enable-alpha-plugins --enable-exec ` + example + ` > home-lab.yaml
  kubectl   kubectl apply --server-side -f home-lab.yaml
  Flux      it runs no functions: let CI write home-lab.yaml, commit it, point a Kustomization at it
  Argo CD   argocd-cm: kustomize.buildOptions: --enable-alpha-plugins --enable-exec
            and tsunaro-fn on the repo-server's PATH
  README.md has each of these in full.
`
