package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
)

// served is the program itself, serving a browser that is signed in as its
// administrator.
type served struct {
	origin, password, bearer string

	cmd    *exec.Cmd
	folder string
	client *http.Client
	csrf   string
	asked  atomic.Int64 // requests of a load
}

// serve builds the program with its page, and starts it with the demo.
func (p project) serve(ctx context.Context, args ...string) (*served, error) {
	if err := p.frontend(ctx); err != nil {
		return nil, err
	}
	return p.open(ctx, append([]string{"--demo"}, args...)...)
}

// open builds the program, and starts it on a fresh folder.
func (p project) open(ctx context.Context, args ...string) (_ *served, err error) {
	program, err := p.compile(ctx, "spyglass-bench", "", ".")
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "spyglass-bench-")
	if err != nil {
		return nil, err
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	s := &served{folder: folder, client: &http.Client{Jar: jar}}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	data := filepath.Join(folder, "data")
	if err := s.start(ctx, program, append([]string{"serve", "--data", data, "--rate-limit", "off"}, args...)); err != nil {
		return nil, err
	}
	token, err := exec.CommandContext(ctx, program, "token", "create", "--data", data, "--user", "admin").Output()
	if err != nil {
		return nil, fmt.Errorf("token create: %w", err)
	}
	if err := json.Unmarshal(token, &struct{ Bearer *string }{&s.bearer}); err != nil {
		return nil, err
	}
	var session struct{ CSRFToken string }
	err = s.post(ctx, "/api/session", map[string]string{"username": "admin", "password": s.password}, &session)
	s.csrf = session.CSRFToken
	return s, err
}

// start returns when the program has said its address and the password.
func (s *served) start(ctx context.Context, program string, args []string) error {
	s.cmd = exec.CommandContext(ctx, program, args...)
	log, err := os.Create(filepath.Join(s.folder, "log"))
	if err != nil {
		return err
	}
	defer log.Close()
	s.cmd.Stderr = log
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := s.cmd.Start(); err != nil {
		return err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	said, logErr := os.ReadFile(log.Name()) // the password comes before the address
	if err != nil || logErr != nil {
		return fmt.Errorf("the program ended: %w\n%s", errors.Join(err, logErr), said)
	}
	s.origin = strings.TrimSpace(strings.TrimPrefix(line, "spyglass: "))
	_, password, _ := strings.Cut(string(said), "admin password: ")
	s.password, _, _ = strings.Cut(password, "\n")
	return nil
}

func (s *served) data() string { return filepath.Join(s.folder, "data") }

// stop ends the program; its folder stays.
func (s *served) stop() {
	s.client.CloseIdleConnections()
	if s.cmd != nil && s.cmd.Process != nil {
		_ = s.cmd.Process.Signal(syscall.SIGTERM)
		_ = s.cmd.Wait() // ended by us
	}
	s.cmd = nil
}

func (s *served) close() error {
	s.stop()
	return os.RemoveAll(s.folder)
}

// post sends a request as the page does, and decodes the response into out.
func (s *served) post(ctx context.Context, path string, body, out any) error {
	return s.send(ctx, http.MethodPost, path, body, out)
}

func (s *served) send(ctx context.Context, method, path string, body, out any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, method, s.origin+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-CSRF-Token", s.csrf)
	answer, err := s.client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err = io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode > 299 {
		return fmt.Errorf("%s %s answers %s: %s", method, path, answer.Status, text)
	}
	return json.Unmarshal(text, out)
}
