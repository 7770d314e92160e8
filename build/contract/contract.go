// Contract checks the portal's OpenAPI document with independent tools: a linter,
// and a client that is generated from it and used on the portal. It is a step of
// go run ./build test.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"

	"spyglass/build/project"
	"spyglass/build/serving"
)

func main() { project.Main(check) }

// check checks the document of a portal with the demo.
func check(ctx context.Context, p project.Project, _ []string) (err error) {
	s, err := serving.Serve(ctx, p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	document := p.Path("build", "bin", "openapi.json")
	if err := download(ctx, s, "/api/openapi.json", document); err != nil {
		return err
	}
	return errors.Join(lintDocument(ctx, p, document), testClient(ctx, p, s, document))
}

func lintDocument(ctx context.Context, p project.Project, document string) error {
	cmd := p.Command(ctx, "frontend", "npm", "run", "--silent", "lint-api", "--", document)
	// disables telemetry
	cmd.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
	return project.Named(cmd.Run(), "npm run lint-api", nil)
}

// called are the operations that the client's tests call. A client of all of them would
// take two minutes to compile.
const called = "getDeviceDevices,postDeviceDevices,getDeviceDevicesById,putDeviceDevicesById,patchDeviceDevicesById," +
	"deleteDeviceDevicesById,postSettingAdminsByAdminIdApitokens"

// testClient generates the types of all operations and a client of those that its tests
// call, and runs these tests on s.
func testClient(ctx context.Context, p project.Project, s *serving.Server, document string) error {
	folder := p.Path("build", "client", "portal")
	if err := errors.Join(os.RemoveAll(folder), os.MkdirAll(folder, 0o755)); err != nil {
		return err
	}
	generate := func(what string, flags ...string) error {
		return p.DoIn(ctx, "build/client", "go", slices.Concat([]string{"tool", "oapi-codegen", "-package", "portal",
			"-generate", what, "-o", filepath.Join(folder, what+".gen.go")}, flags, []string{document})...)
	}
	if err := errors.Join(generate("types"), generate("client", "-include-operation-ids", called)); err != nil {
		return err
	}
	cmd := p.Command(ctx, "build/client", "go", "test", "-count=1", "-timeout=5m", ".")
	cmd.Env = append(os.Environ(), "SPYGLASS_ORIGIN="+s.Origin, "SPYGLASS_BEARER="+s.Bearer)
	return project.Named(cmd.Run(), "the client's tests", nil)
}

// download saves the response of a path, requested as the program's
// administrator.
func download(ctx context.Context, s *serving.Server, path, file string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Origin+path, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+s.Bearer)
	response, err := s.Client.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET %s returned %s: %s", path, response.Status, text)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}
