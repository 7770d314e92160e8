// Package prometheustest runs a Prometheus that is installed, as the sample store of a
// test. It accepts remote write, and samples up to a day late. One goroutine uses a Server.
package prometheustest

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Missing reports whether Prometheus is not installed (Debian: prometheus).
func Missing() bool {
	_, err := exec.LookPath("prometheus")
	return err != nil
}

// Server is a Prometheus on the loopback interface.
type Server struct {
	Address string // host and port, which stay the same

	folder  string
	process *exec.Cmd
}

// New starts a Prometheus with its data in a folder.
func New(folder string) (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{folder: folder, Address: l.Addr().String()}
	config := "storage: {tsdb: {out_of_order_time_window: 1d}}\n"
	if err := errors.Join(l.Close(), os.WriteFile(filepath.Join(folder, "p.yml"), []byte(config), 0o600)); err != nil {
		return nil, err
	}
	return s, s.Start()
}

// Start starts it after Kill, and waits until it is ready.
func (s *Server) Start() error {
	s.process = exec.Command("prometheus", "--config.file="+filepath.Join(s.folder, "p.yml"),
		"--storage.tsdb.path="+filepath.Join(s.folder, "data"), "--web.listen-address="+s.Address,
		"--web.enable-remote-write-receiver", "--storage.tsdb.retention.time=10y")
	out, err := s.process.StderrPipe()
	if err == nil {
		err = s.process.Start()
	}
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if strings.Contains(lines.Text(), "Server is ready") {
			return nil // the pipe has room for what follows
		}
	}
	s.Kill()
	return fmt.Errorf("Prometheus ended before it was ready: %w", lines.Err())
}

// Kill ends it as a crash does. Its data stays.
func (s *Server) Kill() {
	_ = s.process.Process.Kill()
	_ = s.process.Wait()
}
