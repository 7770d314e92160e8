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
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// program is one run of spyglass serve.
type program struct {
	path, folder string
	cmd          *exec.Cmd
	origin       string
	bearer       string
	log          string // path of what it logs
	ended        chan struct{}
	http         *http.Client
}

// startProgram starts the program on a folder and waits for its address.
func startProgram(path, folder string, env []string, args ...string) (*program, error) {
	p := &program{path: path, folder: folder, log: folder + ".log", ended: make(chan struct{}), http: &http.Client{
		Transport: &http.Transport{MaxIdleConnsPerHost: 64}, Timeout: 30 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	p.cmd = exec.Command(path, append([]string{"serve", "--data", folder, "--listen", "127.0.0.1:0"}, args...)...)
	p.cmd.Env = append(os.Environ(), append([]string{"DBUS_SESSION_BUS_ADDRESS=unix:path=/nobody"}, env...)...)
	p.cmd.Stderr = log
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	go func() { // ends with the process, which kill and stop wait for
		_ = p.cmd.Wait()
		close(p.ended)
	}()
	if err != nil {
		p.kill()
		return nil, fmt.Errorf("the program did not start: %s", p.tail())
	}
	p.origin = strings.TrimSpace(strings.TrimPrefix(line, "spyglass: "))
	return p, nil
}

// authorize makes an API token of the administrator.
func (p *program) authorize(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, p.path, "token", "create", "--data", p.folder, "--user", "admin").Output()
	if err != nil {
		return fmt.Errorf("token create: %w", err)
	}
	return json.Unmarshal(out, &struct{ Bearer *string }{&p.bearer})
}

// running reports whether the process still runs.
func (p *program) running() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// kill ends the process as kill -9 does.
func (p *program) kill() { p.end(syscall.SIGKILL) }

// stop ends the process as a service manager does.
func (p *program) stop() { p.end(syscall.SIGTERM) }

func (p *program) end(signal syscall.Signal) {
	_ = p.cmd.Process.Signal(signal) // it may have ended by itself
	select {
	case <-p.ended:
	case <-time.After(20 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.ended
	}
	p.http.CloseIdleConnections()
}

// send sends one request with the token. The error is that of the connection.
func (p *program) request(ctx context.Context, method, path, body string) (status int, reply []byte, err error) {
	r, err := http.NewRequestWithContext(ctx, method, p.origin+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+p.bearer)
	r.Header.Set("Content-Type", "application/json")
	return p.send(r)
}

func (p *program) send(r *http.Request) (status int, reply []byte, err error) {
	response, err := p.http.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	reply, err = io.ReadAll(io.LimitReader(response.Body, 64<<20))
	return response.StatusCode, reply, err
}

// peak returns the largest resident memory the process ever had; 0 where that is not known.
func (p *program) peak() int64 {
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.cmd.Process.Pid), "status"))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kilobytes, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, err := strconv.ParseInt(kilobytes, 10, 64)
	if err != nil {
		return 0
	}
	return n << 10
}

// tail returns the end of the log.
func (p *program) tail() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	return string(bytes.Join(lines[max(0, len(lines)-5):], []byte(" | ")))
}

// inFolder runs do with a folder of its own for data, and removes it.
func inFolder(do func(folder string) error) (err error) {
	parent, err := os.MkdirTemp("", "spyglass-torture-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(parent)) }()
	return do(filepath.Join(parent, "data"))
}
