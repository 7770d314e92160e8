package server

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"spyglass/backend/backup"
	"spyglass/backend/fault"
	"spyglass/backend/service"
)

// Command holds a request of another process of the same OS user.
type Command struct {
	Do       string   `json:"do"` // one of the Do constants
	Name     string   `json:"name,omitempty"`
	Role     string   `json:"role,omitempty"`
	Password string   `json:"password,omitempty"`
	Args     []string `json:"args,omitempty"`
	File     string   `json:"file,omitempty"` // absolute

	Job json.RawMessage `json:"job,omitempty"` // of doRun
}

// The operations of a Command.
const (
	DoAddUser     = "user add"
	DoSetPassword = "user password"
	DoCreateToken = "token create"
	DoAddress     = "address"
	DoRaise       = "raise" // bring the window to the front; only a running desktop responds

	doBackup = "backup" // also reports its progress
	doRun    = "run"    // Options.Run; the same
)

// Result is the response to a Command: DoCreateToken fills the secrets, DoAddress the
// rest.
type Result struct {
	Bearer    string `json:"bearer,omitempty"`
	AccessID  string `json:"accessId,omitempty"`
	AccessKey string `json:"accessKey,omitempty"`

	Origin      string `json:"origin,omitempty"`
	Fingerprint string `json:"fingerprint,omitempty"` // of the certificate, SHA-256; empty without TLS
}

// reply is one line of a response. Lines with Progress or Line come before the last one.
type reply struct {
	Progress *backup.Progress `json:"progress,omitempty"`
	Line     *string          `json:"line,omitempty"`
	Done     json.RawMessage  `json:"done,omitempty"` // of doRun
	Result   Result           `json:"result"`
	Kind     fault.Kind       `json:"kind,omitempty"`
	Error    string           `json:"error,omitempty"`
}

// Send runs a command on the portal of a data folder, in the process that has it
// open or else in this one.
func Send(ctx context.Context, o Options, c Command) (Result, error) {
	o.Listen = ""
	s, err := New(ctx, o)
	if err == nil {
		result, err := s.do(ctx, c)
		return result, errors.Join(err, s.Stop(ctx))
	}
	if !fault.Is(err, fault.Conflict) {
		return Result{}, err
	}
	conn, dialErr := dialControl(ctx, o.Data, err)
	if errors.Is(dialErr, errNotOwner) {
		return Result{}, dialErr
	}
	if dialErr != nil {
		return Result{}, err
	}
	defer conn.Close()
	return exchange(conn, c, nil)
}

// Running returns the address of the portal that runs on a data folder. It returns
// fault.Offline if none does.
func Running(data string) (Result, error) {
	conn, err := dialOwner(data)
	if errors.Is(err, errNotOwner) {
		return Result{}, err
	}
	if err != nil {
		return Result{}, fault.New(fault.Offline, "no Spyglass runs on the data folder %s. Start it, or "+
			"spyglass serve --data %s; for another portal, use --portal", data, data)
	}
	defer conn.Close()
	return exchange(conn, Command{Do: DoAddress}, nil)
}

// Run runs a job with the Options.Run of the process that has the folder open, after New
// has failed with taken because of it. line receives its progress. When ctx ends, the job
// ends, and Run returns what it has so far.
func Run(ctx context.Context, data string, taken error, job json.RawMessage, line func(string)) (json.RawMessage,
	error) {
	conn, err := dialControl(ctx, data, taken)
	if errors.Is(err, errNotOwner) || err != nil && ctx.Err() != nil {
		return nil, err
	}
	if err != nil {
		return nil, taken
	}
	defer conn.Close()
	if err := json.NewEncoder(conn).Encode(Command{Do: doRun, Job: job}); err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() { _ = conn.(*net.UnixConn).CloseWrite() })() // which cancels the job
	for in := json.NewDecoder(conn); ; {
		var r reply
		if err := in.Decode(&r); err != nil {
			return nil, fault.New(fault.Offline, "the running Spyglass ended before the run was complete")
		}
		switch {
		case r.Line != nil:
			line(*r.Line)
		case r.Error != "":
			return nil, fault.New(r.Kind, "%s", r.Error)
		default:
			return r.Done, nil
		}
	}
}

// controlTimeout limits how long each side waits for the next line.
const controlTimeout = 10 * time.Second

func exchange(conn net.Conn, c Command, progress func(backup.Progress)) (Result, error) {
	if err := conn.SetDeadline(time.Now().Add(controlTimeout)); err != nil {
		return Result{}, err
	}
	if err := json.NewEncoder(conn).Encode(c); err != nil {
		return Result{}, err
	}
	for in := json.NewDecoder(conn); ; { // one value after the other, as they come
		var r reply
		if err := errors.Join(conn.SetReadDeadline(time.Now().Add(controlTimeout)), in.Decode(&r)); err != nil {
			return Result{}, fault.New(fault.Offline, "the running Spyglass did not respond")
		}
		switch {
		case r.Progress != nil && progress != nil:
			progress(*r.Progress)
		case r.Error != "":
			return Result{}, fault.New(r.Kind, "%s", r.Error)
		default:
			return r.Result, nil
		}
	}
}

// do runs one command.
func (s *Server) do(ctx context.Context, c Command) (Result, error) {
	switch c.Do {
	case DoAddUser:
		_, err := s.Sessions.AddUser(ctx, c.Name, c.Password, c.Role)
		return Result{}, err
	case DoSetPassword:
		return Result{}, s.Sessions.SetPassword(ctx, c.Name, c.Password)
	case DoCreateToken:
		id, err := s.Sessions.UserID(ctx, c.Name)
		if err != nil {
			return Result{}, err
		}
		t, err := s.Sessions.CreateToken(ctx, id, "created on the command line", c.Name)
		return Result{Bearer: t.Bearer, AccessID: t.AccessID, AccessKey: t.AccessKey}, err
	case DoAddress:
		return Result{Origin: s.Origin(), Fingerprint: s.pin}, nil
	case DoRaise:
		if s.o.Raise == nil {
			return Result{}, fault.New(fault.Conflict, "a Spyglass without a window runs on this data folder, at %s",
				s.Origin())
		}
		s.o.Raise(c.Args)
		return Result{}, nil
	}
	return Result{}, fault.New(fault.Invalid, "there is no command %q", c.Do)
}

// control is a Unix socket in the data folder, which only its user can enter. The
// file "control" contains the path of the socket, because the path of a deep
// folder may be too long for a socket.
type control struct {
	listener net.Listener
	folder   string // folder to delete at the end; empty if the socket is in the data folder
	mu       sync.Mutex
	conns    map[net.Conn]bool
	closed   bool
}

// controlFile is the file with the path of the socket.
const controlFile = "control"

// longestSocket limits the path of a Unix socket to a length that every system
// supports.
const longestSocket = 100

func listenControl(data string) (*control, error) {
	c := &control{conns: map[net.Conn]bool{}}
	path, err := filepath.Abs(filepath.Join(data, "control.sock"))
	if err != nil {
		return nil, err
	}
	if len(path) > longestSocket {
		if c.folder, err = os.MkdirTemp("", "spyglass-"); err != nil {
			return nil, err
		}
		path = filepath.Join(c.folder, "control.sock")
	}
	// left by a killed process; this process holds the lock
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	if c.listener, err = net.Listen("unix", path); err != nil {
		return nil, fault.New(fault.Conflict, "the control socket %s cannot be opened: %v", path, cause(err))
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, c.listener.Close())
	}
	return c, os.WriteFile(filepath.Join(data, controlFile), []byte(path), 0o600)
}

// dialControl connects to the process that has the folder open, after New has
// failed because the folder is in use. It waits if that process is still
// starting.
func dialControl(ctx context.Context, data string, taken error) (net.Conn, error) {
	if !errors.Is(taken, errTaken) {
		return nil, taken
	}
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for end := time.Now().Add(controlTimeout); ; {
		conn, err := dialOwner(data)
		if err == nil || errors.Is(err, errNotOwner) {
			return conn, err
		}
		if time.Now().After(end) {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-again.C:
		}
	}
}

// errNotOwner is the cause of a fault for a control file or socket of another
// user than the data folder's owner.
var errNotOwner = errors.New("not the owner of the data folder")

// dialOwner connects to the socket that the control file names. It trusts neither
// a file that others can write to nor a socket of another user than the folder's.
func dialOwner(data string) (net.Conn, error) {
	folder, err := os.Stat(data)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(data, controlFile)
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	owner, _ := ownerOf(folder)
	if writer, _ := ownerOf(info); writer != owner || othersWrite(info) || !info.Mode().IsRegular() {
		return nil, notOwner(path + " does not belong to the owner of the data folder, or others can write to it; " +
			"nothing was sent. Remove it and start Spyglass again")
	}
	socket, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	conn, err := net.DialTimeout("unix", string(socket), controlTimeout)
	if err != nil {
		return nil, err
	}
	if uid, known, err := peerOf(conn.(*net.UnixConn)); err != nil || known && uid != owner {
		_ = conn.Close()
		return nil, notOwner("the control socket " + string(socket) + " does not belong to the owner of the data " +
			"folder; nothing was sent. Remove " + path + " and start Spyglass again")
	}
	return conn, nil
}

func notOwner(message string) error {
	return &fault.Error{Kind: fault.Conflict, Message: message, Err: errNotOwner}
}

// mayCommand reports whether the process at the other end belongs to our user or
// to root.
func mayCommand(conn net.Conn) bool {
	socket, ok := conn.(*net.UnixConn)
	if !ok {
		return false
	}
	uid, known, err := peerOf(socket)
	return err == nil && (!known || uid == os.Geteuid() || uid == 0)
}

func (c *control) serve(s *Server) {
	var wait service.Group
	wait.Guard = s.guard
	defer wait.Wait()
	for {
		conn, err := c.listener.Accept()
		if err != nil {
			return // closed
		}
		c.mu.Lock()
		if c.closed {
			c.mu.Unlock()
			_ = conn.Close()
			return
		}
		c.conns[conn] = true
		c.mu.Unlock()
		wait.Go("control socket", func() { c.response(s, conn) })
	}
}

func (c *control) response(s *Server, conn net.Conn) {
	defer func() {
		_ = conn.Close()
		c.mu.Lock()
		delete(c.conns, conn)
		c.mu.Unlock()
	}()
	if !mayCommand(conn) {
		s.o.Log.Warn("a process of another user connected to the control socket; it was refused")
		return
	}
	if conn.SetDeadline(time.Now().Add(controlTimeout)) != nil {
		return
	}
	var cmd Command
	in := json.NewDecoder(bufio.NewReader(conn))
	if in.Decode(&cmd) != nil {
		return // the client has disconnected
	}
	var r reply
	var err error
	if cmd.Do == doRun {
		r.Done, err = s.run(conn, in, cmd.Job)
	} else {
		r.Result, err = s.obey(conn, in, cmd)
	}
	if conn.SetWriteDeadline(time.Now().Add(controlTimeout)) != nil {
		return
	}
	if err != nil {
		f := fault.Of(err)
		if f.Kind == fault.Internal {
			s.o.Log.Error("a command failed", "command", cmd.Do, "err", err)
		}
		r.Kind, r.Error = f.Kind, f.Message
	}
	_ = json.NewEncoder(conn).Encode(r) // the client may have disconnected
}

// obey runs one command. It ends at a time limit, or when the client disconnects.
func (s *Server) obey(conn net.Conn, in *json.Decoder, cmd Command) (Result, error) {
	if cmd.Do != doBackup {
		ctx, cancel := context.WithTimeout(context.Background(), controlTimeout)
		defer cancel()
		return s.do(ctx, cmd)
	}
	ctx, cancel, err := s.whileConnected(conn, in)
	if err != nil {
		return Result{}, err
	}
	defer cancel()
	out := json.NewEncoder(conn)
	return Result{}, backup.Write(ctx, s.o.backup(cmd.File, func(p backup.Progress) {
		if conn.SetWriteDeadline(time.Now().Add(controlTimeout)) != nil || out.Encode(reply{Progress: &p}) != nil {
			cancel() // the client has disconnected
		}
	}))
}

// whileConnected returns a context that ends when the client, or control.Stop, closes the
// connection.
func (s *Server) whileConnected(conn net.Conn, in *json.Decoder) (context.Context, context.CancelFunc, error) {
	if err := conn.SetReadDeadline(time.Time{}); err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.wait.Go("control socket", func() {
		_ = in.Decode(&struct{}{})
		cancel()
	})
	return ctx, cancel, nil
}

// run runs a job, and sends its progress.
func (s *Server) run(conn net.Conn, in *json.Decoder, job json.RawMessage) (json.RawMessage, error) {
	if s.o.Run == nil {
		return nil, fault.New(fault.Conflict, "a Spyglass without an Explorer runs on this data folder")
	}
	ctx, cancel, err := s.whileConnected(conn, in)
	if err != nil {
		return nil, err
	}
	defer cancel()
	out := json.NewEncoder(conn)
	return s.o.Run(ctx, job, func(line string) {
		if conn.SetWriteDeadline(time.Now().Add(controlTimeout)) != nil || out.Encode(reply{Line: &line}) != nil {
			cancel() // the client has disconnected
		}
	})
}

func (c *control) Stop(context.Context) error {
	_ = c.listener.Close()
	c.mu.Lock()
	c.closed = true
	for conn := range c.conns {
		_ = conn.Close()
	}
	c.mu.Unlock()
	if c.folder != "" {
		_ = os.RemoveAll(c.folder)
	}
	return nil
}

func cause(err error) error {
	for errors.Unwrap(err) != nil {
		err = errors.Unwrap(err)
	}
	return err
}
