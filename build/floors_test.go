package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// floors lists the packages by floor, from the ground up. A package imports only packages on floors
// below its own; packages on the same floor do not import each other.
var floors = [][]string{
	{"backend/fault", "backend/clock", "backend/pattern", "backend/private", "backend/service", "backend/sheet",
		"backend/samplestore/prometheustest", "backend/testkit", "frontend", "build/icon"},
	{"backend/resource", "backend/loopback", "backend/localca"},
	{"backend/filter", "backend/appliesto", "backend/expr", "backend/check"},
	{"backend/endpoint", "backend/store/engine"},
	{"backend/store/sqlite", "backend/store/postgres", "backend/store/engine/enginetest",
		"backend/store/postgres/pgtest"},
	{"backend/portal/ground", "backend/portal/threshold", "backend/store", "backend/poll"},
	{"backend/portal/setting", "backend/portal/datasource", "backend/store/storetest"},
	{"backend/portal/audit", "backend/portal/people"},
	{"backend/portal/fleet"},
	{"backend/portal/collector", "backend/portal/opsnote", "backend/portal/forward", "backend/portal/override"},
	{"backend/portal/maintenance", "backend/portal/incident", "backend/portal/node"},
	{"backend/portal/alert"},
	{"backend/portal/reporting"},
	{"backend/portal"}, // combines the packages of the subjects
	{"backend/series", "backend/agent", "backend/backup", "backend/report/layout", "backend/lease"},
	{"backend/session", "backend/report/content", "backend/data", "backend/events", "backend/monitor", "backend/notify",
		"backend/remotewrite", "backend/story", "backend/topology", "backend/demo/history"},
	{"backend/report", "backend/samplestore"},
	// demo uses the report service to generate the past
	{"backend/demo", "backend/collect", "backend/metrics", "backend/seed"},
	{"backend/api", "backend/demo/stage"},
	{"backend/server", "app/document/query", "app/pairs", "app/expect"},
	{"app/budget", "app/workspace", "app/document", "app/snippet", "app/keychain", "app/trust", "app/link",
		"app/diagnose", "app/updates", "app/autostart"},
	// read and write the contents of the workspace
	{"app/exchange", "app/exchange/hostile", "app/ondisk", "app/explorer/serve"},
	{"app/explorer/payload", "app/explorer/client", "app/explorer/catalog"},
	{"app/explorer/stream", "app/explorer/view", "app/explorer/outgoing", "app/explorer/maintenance"},
	{"app/explorer/folder", "app/explorer/address", "app/explorer/send", "app/explorer/effect"},
	{"app/explorer/window", "app/explorer/pages", "app/explorer/undo", "app/explorer/remote", "app/explorer/run",
		"app/explorer/script", "app/explorer/transfer", "app/explorer/keep", "app/explorer/watch", "app/mock",
		"app/rehearse"},
	// across reads lists page by page and creates objects as runs do; rehearsal shows app/rehearse
	{"app/explorer/across", "app/explorer/rehearsal"},
	{"app/explorer", "app/mcp"}, // explorer combines its parts; mcp provides the same parts to agents
	{"app/shell/notice", "app/shell/tray"},
	{"app/shell"},
	{"app"}, // combines portal, Explorer and window
	{"build/desktop", "build/project", "build/wine", "app/shell/emptywindow"},
	{"build/serving"},
	{"build/bench", "build/contract", "build/dev", "build/torture"},
	{"", "build"},
}

// only restricts imports to some packages. A line is for the packages below, too, unless they
// have their own.
var only = map[string][]string{
	// every other package uses resource.DB, an interface with the parts of the store that it needs
	"spyglass/backend/store": {"backend/store", "backend/server", "backend/series", "app/workspace",
		"backend/store/sqlite", "backend/store/postgres", "backend/store/engine/enginetest", "backend/store/storetest",
		"build/bench"},
	"spyglass/backend/store/sqlite":   {"backend/store"},
	"spyglass/backend/store/postgres": {"backend/store"},
	"spyglass/backend/store/postgres/pgtest": {"backend/store/storetest", "build", "build/bench",
		"build/torture"}, // and tests
	"spyglass/backend/store/storetest":            {},                // tests import it
	"spyglass/backend/testkit":                    {},                // tests import it
	"spyglass/backend/samplestore/prometheustest": {"build/torture"}, // and tests

	"database/sql":       {"backend/store/sqlite", "build/bench"},
	"modernc.org/sqlite": {"backend/store/sqlite", "build/bench"},
	"github.com/jackc/pgx/v5": {"backend/store/postgres", "backend/store/postgres/pgtest",
		"build/bench"},
	"github.com/wailsapp/wails/v2":           {"app/shell", "app/shell/emptywindow", "app/shell/notice"},
	"github.com/zalando/go-keyring":          {"app/keychain"},
	"github.com/alecthomas/chroma/v2":        {"app/snippet"},
	"github.com/xuri/excelize/v2":            {"backend/sheet"},
	"github.com/wneessen/go-mail":            {"backend/notify"},
	"github.com/go-resty/resty/v2":           {"app/explorer/client"},
	"github.com/spf13/cobra":                 {""},
	"github.com/coreos/go-oidc/v3":           {"backend/session"},
	"golang.org/x/oauth2":                    {"backend/session"},
	"rsc.io/qr":                              {"backend/session"},
	"github.com/modelcontextprotocol/go-sdk": {"app/mcp"},
	"github.com/google/jsonschema-go":        {"app/mcp"},
	"fyne.io/systray":                        {"app/shell/tray"},
	"github.com/coreos/go-systemd/v22":       {"backend/server"},
	"aead.dev/minisign":                      {"app/updates"},
	"golang.org/x/mod":                       {"app/updates"},

	"github.com/prometheus/prometheus":         {"backend/series", "backend/remotewrite"},
	"github.com/klauspost/compress":            {"backend/remotewrite", "app/workspace"},
	"github.com/prometheus/client_golang":      {"backend/metrics"},
	"github.com/prometheus/common":             {"backend/metrics"},
	"github.com/prometheus-community/pro-bing": {"backend/check"},
	"github.com/miekg/dns":                     {"backend/check"},
	"github.com/gosnmp/gosnmp":                 {"backend/check"},
	"github.com/shirou/gopsutil/v4":            {"backend/check", "backend/backup"},
	"github.com/robfig/cron/v3":                {"backend/portal/reporting"},
	"codeberg.org/go-pdf/fpdf":                 {"backend/report/layout"},
	"golang.org/x/image":                       {"backend/report/layout"},
}

// floorOf returns the floor of a package, counted from 0; -1: none.
func floorOf(pkg string) int {
	for i, floor := range floors {
		for _, name := range floor {
			if name == pkg {
				return i
			}
		}
	}
	return -1
}

func TestImportsGoOnlyToLowerFloors(t *testing.T) {
	root := ".."
	otherModule := func(folder string) bool { return folder != root && isFile(filepath.Join(folder, "go.mod")) }
	eachGoFile(t, root, otherModule, func(path string) {
		file, err := filepath.Rel(root, path)
		if err != nil {
			t.Fatal(err)
		}
		checkFile(t, path, filepath.ToSlash(file))
	})
}

// eachGoFile calls do for each of the project's Go files in a folder, except in the folders that skip selects.
func eachGoFile(t *testing.T, folder string, skip func(folder string) bool, do func(path string)) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && (name == "node_modules" || path != folder && strings.HasPrefix(name, ".") || skip(path)) {
			return filepath.SkipDir
		}
		if !d.IsDir() && filepath.Ext(path) == ".go" {
			do(path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func checkFile(t *testing.T, path, file string) {
	parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Errorf("%s: %v", file, err)
		return
	}
	pkg := strings.TrimSuffix(filepath.ToSlash(filepath.Dir(file)), ".")
	at := floorOf(pkg)
	if at < 0 {
		t.Errorf("%s: the package %q is on no floor; add it to the list of floors, or find it a room", file, pkg)
		return
	}
	for _, spec := range parsed.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		checkOnly(t, file, pkg, imported)
		rest, ours := strings.CutPrefix(imported, "spyglass/")
		if !ours || rest == pkg || strings.HasSuffix(file, "_test.go") {
			continue
		}
		if to := floorOf(rest); to < 0 || to >= at {
			t.Errorf("%s: floor %d imports %s, which is on floor %d; imports go down only", file, at, rest, to)
		}
	}
}

// checkOnly applies the line of only with the longest path.
func checkOnly(t *testing.T, file, pkg, imported string) {
	if strings.HasSuffix(file, "_test.go") {
		return
	}
	for at := imported; at != "."; at = path.Dir(at) {
		allowed, is := only[at]
		if !is {
			continue
		}
		if !slices.Contains(allowed, pkg) {
			t.Errorf("%s imports %s, which belongs to %v alone", file, imported, allowed)
		}
		return
	}
}

func TestTopLevelFoldersMatchTheDesign(t *testing.T) {
	allowed := map[string]bool{"app": true, "frontend": true, "backend": true, "build": true, "wails.json": true,
		"go.mod": true, "go.sum": true, "main.go": true, "README.md": true}
	entries, err := filepath.Glob("../*")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if name := filepath.Base(entry); !allowed[name] && !strings.HasPrefix(name, ".") {
			t.Errorf("%s is not part of the top level", name)
		}
	}
}

// TestREADMEMapMatchesTheTree compares the folders in README's map of backend/
// and app/ with the packages on the floors. Folders of tests, and of
// parts that only their parent uses, belong in the line of their parent.
func TestREADMEMapMatchesTheTree(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "## Source layout")
	_, rest, _ = strings.Cut(rest, "```\n")
	drawing, _, _ := strings.Cut(rest, "```")
	var drawn []string
	var above [3]string // folder at each depth
	for line := range strings.Lines(drawing) {
		depth := (len(line) - len(strings.TrimLeft(line, " "))) / 2
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if !strings.HasSuffix(name, "/") || depth >= len(above) {
			continue
		}
		above[depth] = name
		path := strings.TrimSuffix(strings.Join(above[:depth+1], ""), "/")
		if strings.HasPrefix(path, "backend/") || strings.HasPrefix(path, "app/") {
			drawn = append(drawn, path)
		}
	}
	var built []string
	for _, floor := range floors {
		for _, pkg := range floor {
			depth := strings.Count(pkg, "/")
			room := depth == 1 || depth == 2 &&
				(strings.HasPrefix(pkg, "backend/portal/") || strings.HasPrefix(pkg, "app/explorer/"))
			if room && (strings.HasPrefix(pkg, "backend/") || strings.HasPrefix(pkg, "app/")) {
				built = append(built, pkg)
			}
		}
	}
	slices.Sort(drawn)
	slices.Sort(built)
	if !slices.Equal(drawn, built) {
		t.Errorf("README's map has\n%s\nthe tree has\n%s", strings.Join(drawn, "\n"), strings.Join(built, "\n"))
	}
}
