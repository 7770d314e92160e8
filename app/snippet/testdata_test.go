package snippet_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"spyglass/app/snippet"
)

var update = flag.Bool("update", false, "write testdata/*.ps1 again; the page's tests read them with a PowerShell "+
	"grammar")

// TestPowerShellFiles compares testdata/*.ps1 with the current output.
// frontend/src/response/powershell.test.ts parses these files with a real grammar,
// because PowerShell cannot be installed everywhere.
func TestPowerShellFiles(t *testing.T) {
	nastyBody := snippet.Request{Method: "POST", URL: "http://127.0.0.1:8443/api/x?a=1&b=$x", Body: nasty +
		"\r\n\t\n'@\n\"@\n" + nasty}
	for name, code := range map[string]string{
		"snippet.ps1": snippet.PowerShell.Write(sample),
		"nasty.ps1":   snippet.PowerShell.Write(nastyBody),
		"pages.ps1": snippet.PowerShell.Script(snippet.Head{}, pagedSteps("http://127.0.0.1:8443/api"),
			scriptVariables),
		"script.ps1": snippet.PowerShell.Script(snippet.Head{Title: nasty}, scriptSteps("http://127.0.0.1:8443/api"),
			scriptVariables),
		"found.ps1": snippet.PowerShell.Script(snippet.Head{Title: "What is found"},
			foundSteps("http://127.0.0.1:8443/api", "items", 0, "it's"), foundVariables),
	} {
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, []byte(code), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if have, err := os.ReadFile(path); err != nil || string(have) != code {
			t.Errorf("%s is no longer what is written (%v): go test ./app/snippet -run PowerShellFiles -update", path,
				err)
		}
	}
}
