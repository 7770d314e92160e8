package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
)

// contract checks the portal's OpenAPI document with independent tools: a
// linter, and a client that is generated from it and used on the portal.
func contract(ctx context.Context, p project) (err error) {
	s, err := p.serve(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	document := p.path("build", "bin", "openapi.json")
	if err := s.download(ctx, "/api/openapi.json", document); err != nil {
		return err
	}
	return errors.Join(p.lint(ctx, document), p.client(ctx, s, document))
}

func (p project) lint(ctx context.Context, document string) error {
	cmd := p.command(ctx, "frontend", "npm", "run", "--silent", "lint-api", "--", document)
	cmd.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true") // it would ask the network
	return named(cmd.Run(), "npm run lint-api", nil)
}

// client regenerates the client and runs its tests against s.
func (p project) client(ctx context.Context, s *served, document string) error {
	folder := p.path("build", "client", "portal")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	err := p.doIn(ctx, "build/client", "go", "tool", "oapi-codegen", "-package", "portal", "-generate", "types,client",
		"-o", filepath.Join(folder, "portal.gen.go"), document)
	if err != nil {
		return err
	}
	cmd := p.command(ctx, "build/client", "go", "test", "-count=1", "-timeout=5m", ".")
	cmd.Env = append(os.Environ(), "SPYGLASS_ORIGIN="+s.origin, "SPYGLASS_BEARER="+s.bearer)
	return named(cmd.Run(), "the client's tests", nil)
}

// download saves the response of a path, requested as the program's
// administrator.
func (s *served) download(ctx context.Context, path, file string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.origin+path, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+s.bearer)
	answer, err := s.client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET %s answers %s: %s", path, answer.Status, text)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}
