package server

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"spyglass/backend/backup"
	"spyglass/backend/fault"
	"spyglass/backend/private"
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
	DoResetFactor = "user reset-2fa"
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
	defer context.AfterFunc(ctx, func() { _, _ = io.WriteString(conn, "{}\n") })() // which cancels the job
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
	case DoResetFactor:
		return Result{}, s.Sessions.ResetFactor(ctx, c.Name)
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

// control accepts commands of other processes of the user. They find its address in
// the file "control" of the data folder, which only the user can write to. Each
// system has its own channel: listenChannel opens it, dialChannel connects to it,
// and mayCommand checks who connects.
type control struct {
	listener net.Listener
	folder   string // folder to delete at the end; empty for none
	mu       sync.Mutex
	conns    map[net.Conn]bool
	closed   bool
}

// controlFile is the file with the address of the channel.
const controlFile = "control"

func listenControl(data string) (*control, error) {
	c := &control{conns: map[net.Conn]bool{}}
	address, err := c.listen(data)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(data, controlFile), []byte(address), 0o600); err != nil {
		return nil, errors.Join(err, c.Stop(context.Background()))
	}
	return c, nil
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

// errNotOwner is the cause of a fault for a control file or channel of another
// user than the data folder's owner.
var errNotOwner = errors.New("not the owner of the data folder")

// dialOwner connects to the channel that the control file names. It trusts neither
// a file that others can write to nor a channel of another user than the folder's.
func dialOwner(data string) (net.Conn, error) {
	path := filepath.Join(data, controlFile)
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	ours, err := sameOwner(data, path)
	if err != nil {
		return nil, err
	}
	if !ours || private.OthersWrite(path, info) || !info.Mode().IsRegular() {
		return nil, notOwner(path + " does not belong to the owner of the data folder, or others can write to it; " +
			"nothing was sent. Remove it and start Spyglass again")
	}
	address, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	conn, ours, err := dialChannel(data, string(address))
	if err == nil && !ours {
		_ = conn.Close()
		return nil, notOwner("the control channel " + string(address) + " does not belong to the owner of the data " +
			"folder; nothing was sent. Remove " + path + " and start Spyglass again")
	}
	return conn, err
}

func notOwner(message string) error {
	return &fault.Error{Kind: fault.Conflict, Message: message, Err: errNotOwner}
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
		wait.Go("control channel", func() { c.response(s, conn) })
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
		s.o.Log.Warn("a process of another user connected to the control channel; it was refused")
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
	s.wait.Go("control channel", func() {
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
