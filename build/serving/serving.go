// Package serving starts spyglass serve on a data folder of its own, for programs
// that send it requests. The commands of go run ./build do without it: with an HTTP
// client, half of Go's library would be compiled before they start.
package serving

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
	"syscall"

	"spyglass/build/project"
)

// Server is a running spyglass serve with a data folder of its own, and a client
// that is signed in as its administrator.
type Server struct {
	Origin           string // "http://127.0.0.1:8080"
	Password, Bearer string // of the administrator

	Cmd    *exec.Cmd // nil once it is stopped
	Folder string    // Close removes it
	Client *http.Client
	csrf   string
}

// Serve builds the program with its page, and starts it with the demo.
func Serve(ctx context.Context, p project.Project, args ...string) (*Server, error) {
	if err := p.Frontend(ctx); err != nil {
		return nil, err
	}
	return Open(ctx, p, append([]string{"--demo"}, args...)...)
}

// Open builds the program, and starts it on a fresh folder.
func Open(ctx context.Context, p project.Project, args ...string) (_ *Server, err error) {
	program, err := p.Compile(ctx, "spyglass-bench", "", ".")
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
	s := &Server{Folder: folder, Client: &http.Client{Jar: jar}}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	data := filepath.Join(folder, "data")
	if err := s.Start(ctx, program, append([]string{"serve", "--data", data, "--rate-limit", "off"},
		args...)); err != nil {
		return nil, err
	}
	token, err := exec.CommandContext(ctx, program, "token", "create", "--data", data, "--user", "admin").Output()
	if err != nil {
		return nil, fmt.Errorf("token create: %w", err)
	}
	if err := json.Unmarshal(token, &struct{ Bearer *string }{&s.Bearer}); err != nil {
		return nil, err
	}
	var session struct{ CSRFToken string }
	err = s.Post(ctx, "/api/session", map[string]string{"username": "admin", "password": s.Password}, &session)
	s.csrf = session.CSRFToken
	return s, err
}

// Start returns when the program has printed its address and the password.
func (s *Server) Start(ctx context.Context, program string, args []string) error {
	s.Cmd = exec.CommandContext(ctx, program, args...)
	log, err := os.Create(filepath.Join(s.Folder, "log"))
	if err != nil {
		return err
	}
	defer log.Close()
	s.Cmd.Stderr = log
	out, err := s.Cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := s.Cmd.Start(); err != nil {
		return err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	output, logErr := os.ReadFile(log.Name()) // the password is printed before the address
	if err != nil || logErr != nil {
		return fmt.Errorf("the program ended: %w\n%s", errors.Join(err, logErr), output)
	}
	s.Origin = strings.TrimSpace(strings.TrimPrefix(line, "spyglass: "))
	_, password, _ := strings.Cut(string(output), "admin password: ")
	s.Password, _, _ = strings.Cut(password, "\n")
	return nil
}

// Data returns the path of the data folder.
func (s *Server) Data() string { return filepath.Join(s.Folder, "data") }

// Stop ends the program; its folder stays.
func (s *Server) Stop() {
	s.Client.CloseIdleConnections()
	if s.Cmd != nil && s.Cmd.Process != nil {
		_ = s.Cmd.Process.Signal(syscall.SIGTERM)
		_ = s.Cmd.Wait() // an error, because the program was ended
	}
	s.Cmd = nil
}

// Close ends the program and removes its folder.
func (s *Server) Close() error {
	s.Stop()
	return os.RemoveAll(s.Folder)
}

// Post sends a POST as Send does.
func (s *Server) Post(ctx context.Context, path string, body, out any) error {
	return s.Send(ctx, http.MethodPost, path, body, out)
}

// Send sends a request like the page, and decodes the response into out.
func (s *Server) Send(ctx context.Context, method, path string, body, out any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, method, s.Origin+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-CSRF-Token", s.csrf)
	response, err := s.Client.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err = io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode > 299 {
		return fmt.Errorf("%s %s returned %s: %s", method, path, response.Status, text)
	}
	return json.Unmarshal(text, out)
}
