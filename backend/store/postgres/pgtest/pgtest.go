// Package pgtest starts a PostgreSQL server for the tests of a package, from the
// programs that are installed:
//
//	func TestMain(m *testing.M) { os.Exit(pgtest.Main(m.Run)) }
//
//	address := pgtest.Database(t)
//
// The server listens on a socket in a temporary folder and writes nothing through
// to the disk. It starts at the first Database, and ends with Main. If the
// environment names a server (see Variable), the tests use that one.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// server is the server of a test process.
type server struct {
	dir, programs string
	settings      []string // in addition to the usual ones
	as            []string // the beginning of a command that runs as another user than root
	admin         *pgx.Conn
	mu            sync.Mutex
	given         string // the address of a server that the environment names
}

// Variable is the environment variable for the address of a server, in which
// tests create schemas. If it is set, packages that usually test with database
// files test with this server instead.
const Variable = "SPYGLASS_TEST_DATABASE"

var (
	running *server
	start   = sync.OnceValue(func() (err error) {
		if given := os.Getenv(Variable); given != "" {
			running, err = join(given)
		} else {
			running, err = newServer()
		}
		return err
	})
	errMissing = errors.New("PostgreSQL is not installed (Debian: postgresql)")
)

// Main runs the tests and stops the server.
func Main(run func() int) int {
	code := run()
	if running != nil {
		if err := running.stop(); err != nil {
			fmt.Fprintln(os.Stderr, "stopping PostgreSQL:", err)
			return max(code, 1)
		}
	}
	return code
}

// Server is a server for the tests of other processes.
type Server struct{ s *server }

// Serve starts a server for the tests of other processes, and calls run with it. The
// settings come after those of this package: "synchronous_commit=on" for a test that
// restarts the server and expects each commit to be there.
func Serve(run func(s Server) error, settings ...string) (err error) {
	s, err := Start(settings...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Stop()) }()
	return run(s)
}

// Start is Serve for a caller that calls Stop itself.
func Start(settings ...string) (Server, error) {
	s, err := newServer(settings...)
	return Server{s}, err
}

// Stop stops the server and removes its folder.
func (s Server) Stop() error { return s.s.stop() }

// Process returns the id of the server's first process, whose children are all others.
func (s Server) Process() (int, error) {
	text, err := os.ReadFile(filepath.Join(s.s.data(), "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strconv.Atoi(strings.TrimSpace(first))
}

// Address returns the address of the server's database.
func (s Server) Address() string { return s.s.address("postgres") }

// Socket returns the path of the server's socket.
func (s Server) Socket() string { return filepath.Join(s.s.dir, ".s.PGSQL.5432") }

// Aside creates a database whose tables are in a folder of their own, on which mount can put
// another disk. It returns the address and the folder.
func (s Server) Aside(ctx context.Context, mount func(folder string) error) (address, folder string, err error) {
	folder = filepath.Join(s.s.dir, "aside")
	if err := os.Mkdir(folder, 0o755); err != nil {
		return "", "", err
	}
	if err := mount(folder); err != nil {
		return "", "", err
	}
	tables := &server{dir: filepath.Join(folder, "tables")}
	if err := os.Mkdir(tables.dir, 0o700); err != nil {
		return "", "", err
	}
	if err := tables.own(); err != nil {
		return "", "", err
	}
	for _, statement := range []string{"CREATE TABLESPACE aside LOCATION '" + tables.dir + "'",
		"CREATE DATABASE aside TABLESPACE aside"} {
		if _, err := s.s.admin.Exec(ctx, statement); err != nil {
			return "", "", err
		}
	}
	return s.s.address("aside"), folder, nil
}

// FailOver lets a standby take the server's place, which is stopped at once. The standby
// has each commit that was confirmed. It needs the settings wal_level=replica and
// max_wal_senders.
func (s Server) FailOver(ctx context.Context) error { return s.s.failOver(ctx) }

// TakeConnections leaves no connection to others for a time: it takes those that are free,
// and ends theirs, one after the other.
func (s Server) TakeConnections(ctx context.Context, long time.Duration) error {
	return s.s.takeConnections(ctx, long)
}

// Restart stops the server at once, as a crash does, and starts it again.
func (s Server) Restart(ctx context.Context) error { return s.s.restart(ctx) }

// Missing reports whether PostgreSQL is not installed.
func Missing() bool {
	_, err := programs()
	return err != nil
}

// programs returns the folder of the newest installed server.
func programs() (string, error) {
	var found []string
	if runtime.GOOS != "windows" { // Wine shows the folders of Linux, and cannot run their programs
		var err error
		if found, err = filepath.Glob("/usr/lib/postgresql/*/bin/initdb"); err != nil {
			return "", err
		}
	}
	version := func(path string) int {
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
		return n
	}
	if len(found) > 0 {
		return filepath.Dir(slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) })), nil
	}
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path), nil
	}
	return "", errMissing
}

// join connects to a server that runs already.
func join(address string) (*server, error) {
	admin, err := pgx.Connect(context.Background(), address)
	return &server{given: address, admin: admin}, err
}

func newServer(settings ...string) (s *server, err error) {
	s = &server{settings: settings}
	if s.programs, err = programs(); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "pgtest")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil { // s may be nil
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	s.dir = dir
	if err := s.own(); err != nil {
		return nil, err
	}
	// the superuser is "postgres" whoever runs the tests
	if err := s.run("initdb", "-D", s.data(), "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C",
		"-N"); err != nil {
		return nil, err
	}
	if err := s.run("pg_ctl", s.starting()...); err != nil {
		return nil, err
	}
	s.admin, err = pgx.Connect(context.Background(), s.address("postgres"))
	return s, err
}

// starting are the arguments that start the server.
func (s *server) starting() []string {
	options := fmt.Sprintf("-c listen_addresses='' -k %s -c fsync=off -c full_page_writes=off "+
		"-c synchronous_commit=off -c shared_buffers=32MB -c max_connections=200 -c autovacuum=off "+
		"-c max_wal_size=4GB -c wal_level=minimal "+
		"-c max_wal_senders=0 -c jit=off -c max_parallel_workers_per_gather=0", s.dir)
	for _, setting := range s.settings {
		options += " -c " + setting
	}
	return []string{"-D", s.data(), "-o", options, "-l", filepath.Join(s.dir, "log"), "-w", "start"}
}

func (s *server) data() string { return filepath.Join(s.dir, "data") }

// own gives the folder to the user who runs the server: root must not.
func (s *server) own() error {
	if os.Geteuid() != 0 {
		return nil
	}
	other, err := user.Lookup("postgres")
	if err != nil {
		return err
	}
	uid, err := strconv.Atoi(other.Uid)
	if err != nil {
		return err
	}
	s.as = []string{"setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"}
	return os.Chown(s.dir, uid, -1)
}

func (s *server) run(program string, args ...string) error {
	words := append(slices.Clone(s.as), filepath.Join(s.programs, program))
	words = append(words, args...)
	out, err := exec.Command(words[0], words[1:]...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", program, err, out)
	}
	return nil
}

func (s *server) address(database string) string {
	if s.given != "" {
		return s.given
	}
	return "postgres://postgres@/" + database + "?" + url.Values{"host": {s.dir}}.Encode()
}

func (s *server) stop() error {
	if s.given != "" {
		return s.admin.Close(context.Background())
	}
	return errors.Join(s.admin.Close(context.Background()), s.halt(), os.RemoveAll(s.dir))
}

// halt stops the server at once, as a crash does.
func (s *server) halt() error {
	return s.run("pg_ctl", "-D", s.data(), "-m", "immediate", "-w", "stop")
}

// Restart stops the server at once, as a crash does, and starts it again.
func Restart(t testing.TB) {
	t.Helper()
	s := running
	if s.given != "" {
		t.Skip("other tests use the server")
	}
	if err := s.restart(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (s *server) restart(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := errors.Join(s.admin.Close(ctx), s.halt(),
		s.run("pg_ctl", s.starting()...))
	if err == nil {
		s.admin, err = pgx.Connect(ctx, s.address("postgres"))
	}
	return err
}

func (s *server) failOver(ctx context.Context) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := &server{programs: s.programs, settings: s.settings}
	if next.dir, err = os.MkdirTemp("", "pgtest"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(next.dir)) }() // after the exchange, the stopped one's
	if err := next.own(); err != nil {
		return err
	}
	err = next.run("pg_basebackup", "-h", s.dir, "-U", "postgres", "-D", next.data(), "-R", "-X", "stream",
		"-c", "fast")
	if err == nil {
		err = next.run("pg_ctl", next.starting()...)
	}
	if err != nil {
		return err
	}
	for _, statement := range []string{ // from here on, each commit waits for the standby
		"ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()", "CREATE SCHEMA standby"} {
		if _, err := s.admin.Exec(ctx, statement); err != nil {
			return errors.Join(err, next.halt())
		}
	}
	err = errors.Join(s.admin.Close(ctx), s.halt(),
		next.run("pg_ctl", "-D", next.data(), "-w", "promote"))
	s.dir, next.dir = next.dir, s.dir
	if err == nil {
		s.admin, err = pgx.Connect(ctx, s.address("postgres"))
	}
	return err
}

func (s *server) takeConnections(ctx context.Context, long time.Duration) (err error) {
	var taken []*pgx.Conn
	defer func() {
		for _, c := range taken {
			err = errors.Join(err, c.Close(context.WithoutCancel(ctx)))
		}
	}()
	for end := time.Now().Add(long); time.Now().Before(end) && ctx.Err() == nil; {
		if c, err := pgx.Connect(ctx, s.address("postgres")+"&application_name=taken"); err == nil {
			taken = append(taken, c)
			continue
		}
		if err := s.exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = " +
			"'client backend' AND application_name <> 'taken' AND pid <> pg_backend_pid() LIMIT 1; " +
			"SELECT pg_sleep(0.02)"); err != nil {
			return err
		}
	}
	return nil
}

// Database returns the address of a new, empty database, which a schema of the
// server takes the place of: it costs less. It skips the test if there is no
// PostgreSQL.
func Database(t testing.TB) string {
	t.Helper()
	address, err := New()
	if errors.Is(err, errMissing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, name := range []string{"", "_samples", "_workspace"} { // the parts that the store may have added
			if err := running.exec("DROP SCHEMA IF EXISTS " + schemaOf(address) + name + " CASCADE"); err != nil {
				t.Error(err)
			}
		}
	})
	return address
}

// New is Database without a test.
func New() (address string, err error) {
	if err := start(); err != nil {
		return "", err
	}
	name := fmt.Sprint("test_", os.Getpid(), "_", made.Add(1)) // other processes may use the server
	return running.address("postgres") + "&search_path=" + name, running.exec("CREATE SCHEMA " + name)
}

var made atomic.Int64

func schemaOf(address string) string {
	_, name, _ := strings.Cut(address, "search_path=")
	return name
}

func (s *server) exec(statement string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.admin.PgConn().Exec(context.Background(), statement).ReadAll()
	return err
}

func (s *server) text(query string, args ...any) (text string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err = s.admin.QueryRow(context.Background(), query, args...).Scan(&text)
	return text, err
}

// Dump returns the rows of a schema beside that of a database as text, such as
// "_workspace".
func Dump(address, beside string) (string, error) {
	tables, err := running.text(`SELECT string_agg(format('SELECT x::text AS t FROM %I.%I x', schemaname, tablename), `+
		`' UNION ALL ') FROM pg_tables WHERE schemaname = $1::text`, schemaOf(address)+beside)
	if err != nil {
		return "", err
	}
	return running.text("SELECT string_agg(t, ' ') FROM (" + tables + ") x")
}

// Kept is the content of a database, for Restore.
type Kept struct{ shape, restore string }

// shape identifies the tables, columns and indexes of a schema.
const shape = `SELECT coalesce(md5(string_agg(c.relname || ' ' || c.relnatts, ',' ORDER BY c.relname)), '') ` +
	`FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1`

// Keep remembers the content of a database.
func Keep(address string) (k Kept, err error) {
	name := schemaOf(address)
	if k.shape, err = running.text(shape, name); err != nil {
		return k, err
	}
	each := func(format string) (string, error) {
		return running.text(`SELECT string_agg(format($2::text, $1::text, tablename), ';') FROM pg_tables `+
			`WHERE schemaname = $1::text`, name, format)
	}
	keep, err := each("CREATE TABLE kept%1$s.%2$I AS TABLE %1$s.%2$I")
	if err != nil {
		return k, err
	}
	if k.restore, err = each("DELETE FROM %1$s.%2$I; INSERT INTO %1$s.%2$I TABLE kept%1$s.%2$I"); err != nil {
		return k, err
	}
	return k, running.exec("CREATE SCHEMA kept" + name + ";" + keep)
}

// Restore gives a database the rows that it had, and reports whether its tables are
// still the same.
func Restore(address string, k Kept) (bool, error) {
	now, err := running.text(shape, schemaOf(address))
	if err != nil || now != k.shape {
		return false, err
	}
	return true, running.exec(k.restore)
}
