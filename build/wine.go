package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"spyglass/build/project"
	"spyglass/build/wine"
)

// wineMissing returns why programs for Windows cannot run here; "" if they can.
func wineMissing() string {
	if runtime.GOARCH != "amd64" {
		return "an x86-64 processor"
	}
	if missing := linux(); missing != "" {
		return missing
	}
	if !project.CanInstall(project.ForWine) {
		return "Wine and MinGW-w64, which cannot be installed here,"
	}
	return ""
}

// underWine tests the program for Windows, its installer as two versions, and those
// packages that do something else on Windows.
func underWine(ctx context.Context, p project.Project) (err error) {
	folder, err := os.MkdirTemp("", "spyglass-wine-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	version, err := p.Version()
	if err != nil {
		return err
	}
	k := project.Release{Version: version, Windows: true, Quick: true}
	if err := p.Programs(ctx, &k); err != nil {
		return err
	}
	now, before := filepath.Join(folder, "now"), filepath.Join(folder, "before")
	for out, version := range map[string]string{now: version, before: "0.0.1"} {
		k.Out, k.Version = out, version
		if err := p.Packages(ctx, k); err != nil {
			return err
		}
	}
	w, err := wine.Install(ctx, filepath.Join(folder, "windows"))
	defer func() { err = errors.Join(err, w.Close()) }()
	if err != nil {
		return err
	}
	return errors.Join(
		goTest(ctx, p, []string{"SPYGLASS_WINDOWS=" + w.Folder, "SPYGLASS_PACKAGES=" + now,
			"SPYGLASS_PACKAGES_BEFORE=" + before}, []string{"-count=1", "-v", "-tags", "wine"}, "./build/wine"),
		windowsTests(ctx, p, w, onWindows.flags(), onWindows.packages))
}

// onWindows chooses the tests of what is different on Windows: the control channel,
// the lock of the data folder, access lists, files that are replaced while they are
// open, the names of files, the Credential Manager, and the start at sign-in.
var onWindows = choice{
	names: []string{"Pipe", "Command", "JobRuns", "SecondStart", "Private", "FileIsReplaced", "StopIsIdempotent",
		"Restore", "Backup", "PortFile", "OnlyTheUser", "FilesRoundTrip", "FileNames", "^TestScan", "CredentialManager",
		"TheSystemStarts"},
	packages: []string{"./backend/private", "./backend/server", "./app/ondisk", "./app/autostart", "./app/keychain"},
}

// notUnderWine matches the tests of packages that Wine 8 cannot run as Windows does, or that
// are about another system.
var notUnderWine = []string{
	"DNSCheck", "DNSAndSNMP", "SNMP(Agent|Response|Reads|Errors|Requests|Finds)", "TestPing", // it lacks a UDP call
	"KeyIsInTheKeyringOrAPrivateFile", "AuthorityIsReplacedWhen", "DamagedAuthority", "LargeBodyIsInAPrivateFile",
	"RunHasOnlyWhat", "BrowserCommandLineHas", // it has the modes of Linux instead of access lists
	"FilesAreCopiedBetween", "RunLinkExpires", "DeletedFolder", "DeletedDatabase", "ReplacedProgramIs",
	"UnusableChunkFile", "NoOutputContainsPlanted", "ServedPortalDoesNotOpen", // they delete or replace open files
	"SurviveAKill", "KillDuringDownsampling", // a killed process has another exit code
	"TestScript", "CurlScript", "TestRunbook", "TestStoppedScript", "TestSnippet(Sends|Prints)", "InstallerRunsOnly",
	"SecretStaysInTheKeyring", "DBus", "KeyringCosts", "LateKeyring",
	"ErrorPageRetries", // they need a shell, curl, Python or D-Bus
}

// goUnderWine runs the tests of all packages but withoutWine under Wine. It compiles
// everything once more, so it runs only when it is named.
func goUnderWine(ctx context.Context, p project.Project) (err error) {
	folder, err := os.MkdirTemp("", "spyglass-wine-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	w, err := wine.Install(ctx, filepath.Join(folder, "windows"))
	defer func() { err = errors.Join(err, w.Close()) }()
	if err != nil {
		return err
	}
	all, err := exec.CommandContext(ctx, "go", "list", "./backend/...", "./app/...").Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	var packages []string
	for _, pkg := range strings.Fields(string(all)) {
		if !slices.ContainsFunc(withoutWine, func(part string) bool { return strings.Contains(pkg, part) }) {
			packages = append(packages, pkg)
		}
	}
	return windowsTests(ctx, p, w, []string{"-skip", strings.Join(notUnderWine, "|")}, packages)
}

// withoutWine are parts of the paths of packages that start programs of their own, such as
// databases, or of which Wine runs too little.
var withoutWine = []string{"app/explorer", "app/mcp", "app/rehearse", "backend/api", "backend/lease",
	"backend/samplestore", "backend/server", "store/postgres"}

// windowsTests runs tests of packages under Wine.
func windowsTests(ctx context.Context, p project.Project, w wine.Windows, flags, packages []string) error {
	var words []string
	for _, word := range w.Words("wine") {
		words = append(words, "'"+word+"'")
	}
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	if err := w.Keep(ctx); err != nil {
		return err
	}
	// Windows has no time zones that Go can read; the program has its own. Z: is the root folder.
	zones := "ZONEINFO=Z:" + filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip")
	return goTest(ctx, p, []string{"GOOS=windows", "CGO_ENABLED=0", zones}, slices.Concat([]string{"-count=1",
		"-vet=off", "-ldflags=-w", "-exec", strings.Join(words, " ")}, flags), packages...)
}
