// Spyglass is a monitoring portal with an API explorer, in one program.
//
// main reads the command line and starts one of: the desktop window, serve,
// collector, run, mock, rehearse, trust, untrust, user, token, backup, restore,
// migrate, check, mcp, updates, version. Standard output has only the result of a command; log
// lines go to standard error. If a command fails, it prints one sentence and exits with
// code 1; run, whose code 1 means that a check failed, with code 2.
package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"
	_ "time/tzdata" // Windows has no time zones of its own

	"github.com/spf13/cobra" // Apache-2.0: commands, flags and their help
	"github.com/spf13/pflag" // BSD-3-Clause: cobra's flags, whose errors it distinguishes
	"golang.org/x/term"      // BSD-3-Clause: a password that is typed is not shown

	"spyglass/app"
	"spyglass/app/link"
	"spyglass/app/mcp"
	"spyglass/app/shell"
	"spyglass/app/trust"
	"spyglass/app/updates"
	"spyglass/backend/agent"
	"spyglass/backend/backup"
	"spyglass/backend/fault"
	"spyglass/backend/localca"
	"spyglass/backend/server"
	"spyglass/backend/service"
	"spyglass/frontend"
)

// version is printed by spyglass version; releases set it with -ldflags -X.
var version = "0.1.0"

// updateURL and updateKey are the manifest of the updates of this build, and the public key
// of its signature (app/updates); releases set them with -ldflags -X. Without, only the
// flags of spyglass updates name them, and the settings have no button to check.
var updateURL, updateKey string

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if c, err := command().ExecuteContextC(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "spyglass: "+fault.Sentence(err))
		stop()
		if c.Name() == runName && !errors.Is(err, errChecks) {
			os.Exit(2)
		}
		os.Exit(1)
	}
}

func command() *cobra.Command {
	var o server.Options
	var listen string
	root := &cobra.Command{
		Use: "spyglass [LINK]", Short: "A monitoring portal on your own machine, with an API explorer",
		Long:         "Without a command, opens the desktop window on the demo portal, and a spyglass:// link in it.",
		SilenceUsage: true, SilenceErrors: true, Args: cobra.ArbitraryArgs, Version: version,
		SuggestionsMinimumDistance: 2,
		RunE: func(c *cobra.Command, args []string) error {
			// another program passes the link: it must not start a command
			if len(args) > 0 && !link.Is(args[0]) {
				return noCommand(c, args[0])
			}
			o.Demo = true
			if o.Listen = listen; listen == "" {
				o.Listen, o.SamePort = "127.0.0.1:0", true
			}
			return window(c.Context(), o, args)
		},
	}
	root.Flags().StringVar(&listen, "listen", "", "address and port of the portal (default: the previous ones)")
	root.PersistentFlags().StringVar(&o.Data, "data", "", "the data folder (default: the system's folder for "+
		"application data)")
	root.PersistentFlags().StringSliceVar(&o.Without, "without", nil, "start without a lost file: series.db, "+
		"workspace.db or portal.db.key")
	root.PersistentPreRunE = func(*cobra.Command, []string) (err error) {
		if o.Data == "" {
			o.Data, err = dataFolder()
		}
		o.UpdateURL, o.UpdateKey = updateURL, updateKey
		o.Version, o.Page, o.Log = version, frontend.Files(), slog.New(slog.NewTextHandler(os.Stderr, nil))
		o.Workspace = app.Workspace(o.Log)
		return err
	}
	root.AddCommand(serveCommand(&o), collectorCommand(&o), runCommand(&o), mockCommand(&o),
		rehearseCommand(&o), trustCommand(&o), untrustCommand(&o), userCommand(&o),
		tokenCommand(&o), backupCommand(&o), restoreCommand(&o), migrateCommand(&o), checkCommand(&o),
		mcpCommand(&o), updatesCommand(&o), &cobra.Command{
			Use: "version", Short: "Print the version", Args: takes(),
			Run: func(*cobra.Command, []string) { fmt.Println("spyglass " + version) },
		})
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetVersionTemplate("spyglass {{.Version}}\n")
	root.SetFlagErrorFunc(wrongFlag)
	return root
}

// takes returns a check that a command has exactly these arguments.
func takes(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return fault.New(fault.Invalid, "%s is missing; usage: %s", names[len(args)], c.UseLine())
		case len(args) > len(names):
			return fault.New(fault.Invalid, "unexpected argument %q; usage: %s", args[len(names)], c.UseLine())
		}
		return nil
	}
}

// group returns a command that only has subcommands.
func group(use, short string, others ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use: use, Short: short, DisableFlagsInUseLine: true, Args: cobra.ArbitraryArgs, SuggestionsMinimumDistance: 2,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return noCommand(c, args[0])
			}
			return c.Help()
		},
	}
	c.AddCommand(others...)
	return c
}

func noCommand(c *cobra.Command, name string) error {
	near := ";"
	if found := c.SuggestionsFor(name); len(found) > 0 {
		near = "; did you mean " + found[0] + "?"
	}
	return fault.New(fault.Invalid,
		"there is no command %s%s %s --help lists all commands", name, near, c.CommandPath())
}

func wrongFlag(c *cobra.Command, err error) error {
	if wrong := (*pflag.InvalidValueError)(nil); errors.As(err, &wrong) {
		wants := map[string]string{"int": "must be a whole number", "bool": "must be true or false",
			"time":     "must be a time such as 2026-01-15T09:00:00Z",
			"duration": "must be a duration such as 200ms or 2s"}[wrong.GetFlag().Value.Type()]
		return fault.New(fault.Invalid, "--%s %s, not %q", wrong.GetFlag().Name, wants, wrong.GetValue())
	}
	return fault.New(fault.Invalid, "%v; %s --help lists the flags", err, c.CommandPath())
}

// dataFolder returns the system's folder for application data.
func dataFolder() (string, error) {
	if folder := os.Getenv("XDG_DATA_HOME"); folder != "" && filepath.IsAbs(folder) {
		return filepath.Join(folder, "spyglass"), nil
	}
	if folder := os.Getenv("LocalAppData"); folder != "" {
		return filepath.Join(folder, "Spyglass"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fault.New(fault.Invalid, "there is no home folder for the data; set a folder with --data")
	}
	if _, err := os.Stat(filepath.Join(home, "Library", "Application Support")); err == nil {
		return filepath.Join(home, "Library", "Application Support", "Spyglass"), nil
	}
	return filepath.Join(home, ".local", "share", "spyglass"), nil
}

func serveCommand(o *server.Options) *cobra.Command {
	var still time.Time
	var secretFile string
	c := &cobra.Command{
		Use: "serve", Short: "Run the portal and the Explorer without a window", Args: takes(),
		Example: "  spyglass serve --demo --listen 127.0.0.1:8443\n" +
			"  spyglass serve --demo --https --name acme.example.test --listen 127.0.0.1:443\n" +
			"  spyglass serve --data /var/lib/spyglass --listen portal.example.net:8443 --tls-cert cert.pem " +
			"--tls-key key.pem",
		RunE: func(c *cobra.Command, _ []string) error {
			limit, err := c.Flags().GetString("rate-limit")
			if err != nil {
				return err
			}
			if limit != "on" && limit != "off" {
				return fault.New(fault.Invalid, "--rate-limit must be on or off, not %q", limit)
			}
			if c.Flags().Changed("demo-devices") && (!o.Demo || o.DemoDevices < 1) {
				return fault.New(fault.Invalid, "--demo-devices requires --demo, and must be at least 1")
			}
			if o.ReportLimit < 1 {
				return fault.New(fault.Invalid, "--report-limit must be at least 1")
			}
			if o.Socket, err = server.InheritedSocket(); err != nil {
				return err
			}
			if o.Socket != nil && !c.Flags().Changed("listen") {
				o.Listen = o.Socket.Addr().String()
			}
			if o.OIDCSecret, err = oidcSecret(secretFile); err != nil {
				return err
			}
			o.NoLimits, o.OIDC = limit == "off", true
			if o.HTTPS && !c.Flags().Changed("listen") {
				o.Listen = net.JoinHostPort("127.0.0.1", strconv.Itoa(server.UsualHTTPSPort))
			}
			if c.Flags().Changed("clock") {
				o.Clock = func() time.Time { return still }
			}
			return serve(c.Context(), *o)
		},
	}
	databaseFlag(c, o)
	samplesFlags(c, o)
	f := c.Flags()
	f.StringVar(&o.Listen, "listen", "127.0.0.1:0", "address and port; port 0 selects a free one; with --https the "+
		"default is 127.0.0.1:"+strconv.Itoa(server.UsualHTTPSPort))
	f.BoolVar(&o.HTTPS, "https", false, "serve HTTPS to this machine, with the certificate authority of the data "+
		"folder; run spyglass trust so that clients accept it")
	f.StringArrayVar(&o.Names, "name", nil, "a host name for --https, such as acme.example.test; repeat it for more")
	f.BoolVar(&o.Demo, "demo", false, "fill an empty data folder with the demo environment")
	f.IntVar(&o.ReportLimit, "report-limit", server.UsualReportLimit, "with --database: maximum size of the file of a "+
		"report, in MB")
	f.StringVar(&o.Seed, "seed", "", "YAML or JSON file with the groups, devices, users and tokens of a new portal; "+
		"a portal that has been seeded is left as it is")
	f.IntVar(&o.DemoDevices, "demo-devices", 0, "number of demo devices (default: a company of 152)")
	f.String("rate-limit", "on", "on, or off for load tests")
	f.StringVar(&o.Collections, "collections", "", "administrators can keep collections in folders below this one "+
		"(default: none)")
	f.StringVar(&o.Rehearsals, "rehearsals", "", "administrators can copy remote portals into this folder, to "+
		"rehearse changes (default: none)")
	f.StringVar(&o.TLSCert, "tls-cert", "", "certificate file; required for addresses other than loopback")
	f.StringVar(&o.TLSKey, "tls-key", "", "private key file of the certificate")
	f.StringVar(&secretFile, "oidc-secret-file", "", "file with the client secret for signing in with OpenID Connect "+
		"(default: the settings, or "+oidcSecretVariable+")")
	f.TimeVar(&still, "clock", still, []string{time.RFC3339}, "stop the portal's clock at this time")
	_ = f.MarkHidden("clock") // for pictures that are compared: npm run screens
	f.DurationVar(&o.ClockOff, "clock-off", 0, "error of the machine's clock")
	_ = f.MarkHidden("clock-off") // for go run ./build torture nodes
	return c
}

// Environment variables for --database and --key-file, and for the key itself.
const (
	databaseVariable = "SPYGLASS_DATABASE"
	keyFileVariable  = "SPYGLASS_KEY_FILE"
	keyVariable      = "SPYGLASS_KEY"
)

// oidcSecretVariable is the environment variable for the client secret of OpenID Connect.
const oidcSecretVariable = "SPYGLASS_OIDC_SECRET"

// oidcSecret reads the client secret from a file, or from the environment.
func oidcSecret(file string) (string, error) {
	if file == "" {
		return os.Getenv(oidcSecretVariable), nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fault.New(fault.Invalid, "--oidc-secret-file: %v", err)
	}
	return strings.TrimSpace(string(text)), nil
}

// databaseFlag adds --database to a command that opens the portal. It refuses a
// password in it: other users of the machine can read arguments.
func databaseFlag(c *cobra.Command, o *server.Options) {
	c.Flags().StringVar(&o.Database, "database", "", "keep the portal in a PostgreSQL database, such as "+
		"postgres://spyglass@db.example.net/spyglass (default: "+databaseVariable+"; without it, in files). The "+
		"password comes from PGPASSWORD, the file that PGPASSFILE names, or "+databaseVariable+", never from this flag")
	var keyFile string
	c.Flags().StringVar(&keyFile, "key-file", "", "with --database: the file of the key that decrypts passwords and "+
		"access keys, in place of portal.db.key in the data folder (default: "+keyFileVariable+"). "+keyVariable+
		" can hold the key itself, in Base64")
	c.PreRunE = func(c *cobra.Command, _ []string) error {
		if err := checkDatabase(o); err != nil {
			return err
		}
		if keyFile != "" && o.Database == "" {
			return fault.New(fault.Invalid, "--key-file requires --database")
		}
		if o.Database == "" {
			return nil
		}
		return readKey(o, keyFile)
	}
}

// samplesFlags adds the flags of the sample store. Like --database, it refuses a password
// in an argument.
func samplesFlags(c *cobra.Command, o *server.Options) {
	var tokenFile string
	f := c.Flags()
	f.StringVar(&o.Samples.URL, "samples", "", "keep samples in a time-series database with the interface of "+
		"Prometheus, such as http://prometheus.example.net:9090 (default: SPYGLASS_SAMPLES; without it, in the "+
		"portal's database)")
	f.StringVar(&o.Samples.Write, "samples-write", "", "address for remote write (default: SPYGLASS_SAMPLES_WRITE, or "+
		"--samples with /api/v1/write)")
	f.StringVar(&o.Samples.Tenant, "samples-tenant", "", "tenant of Mimir or Thanos (default: SPYGLASS_SAMPLES_TENANT)")
	f.StringVar(&tokenFile, "samples-token-file", "", "file of a bearer token for both (default: "+
		"SPYGLASS_SAMPLES_TOKEN_FILE; SPYGLASS_SAMPLES_TOKEN can hold the token itself)")
	before := c.PreRunE
	c.PreRunE = func(c *cobra.Command, args []string) error {
		for _, flag := range []string{"samples", "samples-write"} {
			if u, err := url.Parse(c.Flag(flag).Value.String()); err == nil && u.User != nil {
				return fault.New(fault.Invalid, "--%s must not contain a user or a password, which other users of "+
					"this machine could read; set SPYGLASS_SAMPLES", flag)
			}
		}
		o.Samples.URL = cmp.Or(o.Samples.URL, os.Getenv("SPYGLASS_SAMPLES"))
		o.Samples.Write = cmp.Or(o.Samples.Write, os.Getenv("SPYGLASS_SAMPLES_WRITE"))
		o.Samples.Tenant = cmp.Or(o.Samples.Tenant, os.Getenv("SPYGLASS_SAMPLES_TENANT"))
		o.Samples.Token = os.Getenv("SPYGLASS_SAMPLES_TOKEN")
		if tokenFile = cmp.Or(tokenFile, os.Getenv("SPYGLASS_SAMPLES_TOKEN_FILE")); tokenFile != "" {
			text, err := os.ReadFile(tokenFile)
			if err != nil {
				return fault.New(fault.Invalid, "the token of the sample store cannot be read: %v", err)
			}
			o.Samples.Token = strings.TrimSpace(string(text))
		}
		return before(c, args)
	}
}

// readKey sets the key of a portal in a database, from a file or from the environment.
func readKey(o *server.Options, file string) (err error) {
	o.Key, err = server.ReadKey(cmp.Or(file, os.Getenv(keyFileVariable)), os.Getenv(keyVariable), o.Log)
	return err
}

// checkDatabase completes and checks the address of the database.
func checkDatabase(o *server.Options) error {
	if o.Database == "" {
		o.Database = os.Getenv(databaseVariable)
		return nil
	}
	return checkAddress("--database", o.Database)
}

// checkAddress refuses an argument that is not the address of a database, or has a
// password.
func checkAddress(flag, address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return fault.New(fault.Invalid, flag+" must be an address such as "+
			"postgres://spyglass@db.example.net/spyglass")
	}
	if _, given := u.User.Password(); given || u.Query().Has("password") {
		return fault.New(fault.Invalid, flag+" must not contain a password, which other users of this "+
			"machine could read. Set PGPASSWORD or PGPASSFILE, or the whole address as "+databaseVariable)
	}
	return nil
}

// open returns nil without an error if a signal ends it before the portal is open.
func open(ctx context.Context, o server.Options) (*app.App, error) {
	portal, err := app.Open(ctx, o)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil, nil
	}
	return portal, err
}

// serve runs until a signal ends it.
func serve(ctx context.Context, o server.Options) error {
	o.Upgrade = printUpgrade(os.Stderr)
	portal, err := open(ctx, o)
	if portal == nil || err != nil {
		return err
	}
	for _, name := range []string{"admin", "operator", "viewer"} {
		if password, ok := portal.Passwords[name]; ok {
			fmt.Fprintf(os.Stderr, "%s password: %s\n", name, password)
		}
	}
	if err := portal.PasswordsShown(ctx); err != nil {
		o.Log.WarnContext(ctx, "the first passwords change at the next start: cannot record that they were shown",
			"err", err)
	}
	if o.HTTPS {
		explainHTTPS(os.Stderr, portal.HTTPSState(), o.Data)
	}
	fmt.Println("spyglass: " + portal.Link())
	if err := server.NotifyReady("Serving " + portal.Link()); err != nil {
		o.Log.WarnContext(ctx, "systemd does not know that the portal serves", "err", err)
	}
	return portal.Wait(ctx)
}

// printUpgrade writes the progress of an upgrade, at most one line a second, and reports
// it to systemd.
func printUpgrade(out io.Writer) func(server.Progress) {
	var last time.Time
	return func(p server.Progress) {
		if time.Since(last) < time.Second {
			return
		}
		last = time.Now()
		fmt.Fprintln(out, "spyglass: upgrading "+p.String())
		_ = server.NotifyStatus("Upgrading " + p.String()) // the line above says it, too
	}
}

// explainHTTPS prints the addresses of the names, and what they need on this computer.
func explainHTTPS(out io.Writer, at server.HTTPSState, data string) {
	for i := range at.Names {
		fmt.Fprintln(out, "also at "+at.Addresses[i])
	}
	for _, name := range at.Hosts.Other {
		fmt.Fprintf(out, "%s leads elsewhere in %s; change its line\n", name, at.Hosts.File)
	}
	if at.Hosts.Line != "" {
		fmt.Fprintf(out, "add this line to %s: %s\n", at.Hosts.File, at.Hosts.Line)
	}
	fmt.Fprintln(out, "certificate authority: "+localca.File(data))
}

// window opens the desktop window; a build without one, and a computer that cannot
// show it, serve and open the default browser.
func window(ctx context.Context, o server.Options, args []string) error {
	if !shell.Desktop {
		return app.Browse(ctx, o, args, printAddress)
	}
	if missing := shell.DisplayMissing(); missing != "" {
		return fault.New(fault.Offline, "%s", missing)
	}
	if missing := shell.ViewMissing(); missing != "" {
		return browse(ctx, o, args, missing)
	}
	return app.Window(ctx, o, args)
}

func printAddress(origin string) { fmt.Println("spyglass: " + origin) }

// browse opens the default browser, and explains why in a message that ends the
// program when it is closed: there is nothing else to close.
func browse(ctx context.Context, o server.Options, args []string, missing string) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	err := app.Browse(ctx, o, args, func(origin string) {
		fmt.Fprintln(os.Stderr, "spyglass: "+missing)
		printAddress(origin)
		messages := service.Group{Guard: &service.Guard{Log: o.Log}} // nobody waits: a message ends with the program
		messages.Go("the message about the window", func() {
			if shell.Say("Spyglass", missing+"\n\nUntil then, Spyglass opens in your browser, at "+origin+
				".\n\nChoose OK to quit Spyglass.") {
				stop()
			}
		})
	})
	if err != nil {
		shell.Say("Spyglass", fault.Sentence(err))
	}
	return err
}

func collectorCommand(o *server.Options) *cobra.Command {
	a := agent.Options{}
	c := &cobra.Command{
		Use: "collector", Short: "Run a collector for a portal on another machine", Args: takes(),
		Long: "With --portal and --token, registers this machine with the portal and starts collecting.\n" +
			"Without them, collects for the portal it is registered with. Use the token of an installer.",
		RunE: func(c *cobra.Command, _ []string) (err error) {
			a.Folder, a.Version, a.Log = o.Data, o.Version, o.Log
			if a.Token == "-" {
				a.Token, err = secret(c, "the token")
			}
			if err != nil {
				return err
			}
			return agent.Run(c.Context(), a)
		},
	}
	f := c.Flags()
	f.StringVar(&a.Portal, "portal", "", "address of the portal, https://portal.example:8443")
	f.StringVar(&a.Token, "token", "",
		"installation token; - reads it from standard input, where no other user sees it")
	f.BoolVar(&a.Once, "register", false, "only register; start the command again to collect")
	return c
}

// runName is the name of the command whose exit code distinguishes failed checks from errors.
const runName = "run"

// errChecks marks the error that a run was complete and found failures.
var errChecks = errors.New("requests failed")

func runCommand(o *server.Options) *cobra.Command {
	r := app.Collection{}
	var given []string
	c := &cobra.Command{
		Use: runName + " COLLECTION", Short: "Send the requests of a collection, and check the responses",
		Args: takes("COLLECTION"),
		Long: "COLLECTION is a file that the Explorer exported, a folder with a collection.yaml, or the name of a\n" +
			"collection in the data folder. With --portal, sends to that portal, with the bearer token in\n" +
			"SPYGLASS_TOKEN if that is set.\n" +
			"Without --portal, sends to the portal of the data folder as its administrator, and starts that portal\n" +
			"if it is not running. Waits when a portal limits the rate of requests.\n" +
			"Exits with code 0 if all requests passed, 1 if a check failed, and 2 if the run could not be completed.",
		Example: "  spyglass run fleet.spyglass.json --portal https://portal.example:8443 --report junit " +
			"--out report.xml\n" +
			"  spyglass run ./fleet --portal https://portal.example:8443 --var site=fra\n" +
			"  spyglass run Fleet --data /var/lib/spyglass --data-file devices.csv --parallel 4",
		RunE: func(c *cobra.Command, args []string) error {
			r.Name, r.Token = args[0], os.Getenv("SPYGLASS_TOKEN")
			r.Progress, r.Stdout, r.Vars = c.ErrOrStderr(), c.OutOrStdout(), map[string]string{}
			for _, one := range given {
				name, value, ok := strings.Cut(one, "=")
				if !ok || name == "" {
					return fault.New(fault.Invalid, "--var must be NAME=VALUE, not %q", one)
				}
				r.Vars[name] = value
			}
			failed, err := r.Run(c.Context(), *o)
			if err == nil && failed > 0 {
				err = &fault.Error{Kind: fault.Conflict, Err: errChecks, Message: fmt.Sprintf("%d failed", failed)}
			}
			return err
		},
	}
	f := c.Flags()
	f.StringVar(&r.Portal, "portal", "", "address of the portal, https://portal.example:8443")
	f.StringArrayVar(&given, "var", nil, "a variable, NAME=VALUE; repeat it for more")
	f.StringVar(&r.Env, "env", "", "the environment whose variables are used (default: the active one of the data "+
		"folder, or the first one of the file)")
	f.StringVar(&r.Data, "data-file", "", "CSV or JSON file; the requests run once for each row")
	f.IntVar(&r.Parallel, "parallel", 1, "how many rows, or requests without a data file, run at a time")
	f.BoolVar(&r.Stop, "bail", false, "stop at the first failure")
	f.StringVar(&r.Report, "report", "", "write a report: junit, json or html")
	f.StringVar(&r.Out, "out", "", "file of the report (default: standard output)")
	return c
}

func mockCommand(o *server.Options) *cobra.Command {
	m := app.Mock{}
	c := &cobra.Command{
		Use: "mock", Short: "Serve recorded responses, for tests without a network", Args: takes(),
		Long: "Serves the recorded response to the same method, path, query and body. Recorded responses come from\n" +
			"the history of the administrator's Explorer, the examples of a collection, or a HAR file.\n" +
			"Checks no credentials: any token or LMv1 signature is accepted.",
		Example: "  spyglass mock --listen 127.0.0.1:9090\n" +
			"  spyglass mock --from history:Production --latency 200ms --fail 429:10%\n" +
			"  spyglass mock --from Fleet --from recorded.har",
		RunE: func(c *cobra.Command, _ []string) error {
			m.Stdout = c.OutOrStdout()
			return m.Run(c.Context(), *o)
		},
	}
	f := c.Flags()
	f.StringVar(&m.Listen, "listen", "127.0.0.1:0", "address and port; port 0 selects a free one")
	f.StringArrayVar(&m.From, "from", []string{"history"}, "history, history:PORTAL, the name of a collection, or a "+
		"file: HAR, or a collection with examples; repeat it for more")
	f.DurationVar(&m.Latency, "latency", 0, "time to wait before each response, such as 200ms")
	f.StringVar(&m.Fail, "fail", "", "status and percentage of the requests to fail, such as 429:10%")
	f.BoolVar(&m.Loose, "loose", false, "if no recorded request has the same query and body, use the one with the "+
		"most similar query")
	return c
}

func rehearseCommand(o *server.Options) *cobra.Command {
	command := func(do, use, short, long string, formats string) (*cobra.Command, *app.Rehearsal) {
		r := &app.Rehearsal{Do: do}
		c := &cobra.Command{Use: use, Short: short, Long: long, Args: takes(),
			RunE: func(c *cobra.Command, _ []string) error {
				r.Token, r.Progress, r.Stdout = os.Getenv("SPYGLASS_TOKEN"), c.ErrOrStderr(), c.OutOrStdout()
				return r.Run(c.Context(), *o)
			}}
		c.Flags().StringVar(&r.Format, "format", "text", "of the result: "+formats)
		c.Flags().StringVar(&r.Out, "out", "", "file of the result (default: standard output)")
		return c, r
	}
	copies, r := command(app.RehearseCopy, "copy --portal URL",
		"Copy a portal into the data folder, or resume the copy",
		"Copies device groups, devices, data sources, alert rules, escalation chains, maintenance windows, roles and\n"+
			"what these refer to into the portal of the data folder, which must not have any. Uses the bearer token\n"+
			"in SPYGLASS_TOKEN, keeps to the portal's rate limit, and writes nothing to it. Secrets are never copied.",
		"text or json")
	copies.Flags().StringVar(&r.Portal, "portal", "", "address of the portal, https://portal.example:8443")
	copies.Example = "  spyglass rehearse copy --portal https://portal.example:8443 --data ~/rehearsal"
	report, _ := command(app.RehearseReport, "report", "Print what was copied, and what differs", "", "text or json")
	diff, d := command(app.RehearseDiff, "diff", "List the requests that make the changes in the portal",
		"Compares the portal of the data folder with its state when the copy was complete, and the portal that was\n"+
			"copied with its state then. Writes nothing to either.", "text, json, or the language of a script: curl, "+
			"python, javascript, go, powershell, groovy")
	diff.Flags().BoolVar(&d.Offline, "offline", false, "do not read the portal again")
	diff.Example = "  spyglass rehearse diff --data ~/rehearsal\n" +
		"  spyglass rehearse diff --data ~/rehearsal --format python --out changes.py"
	return group("rehearse", "Copy a portal, try changes, and list the requests that make them in the portal", copies,
		report, diff)
}

func trustCommand(o *server.Options) *cobra.Command {
	return &cobra.Command{
		Use: "trust", Short: "Make this computer accept the certificate of serve --https", Args: takes(),
		Long: "Adds the certificate authority of the data folder to the store of the system, and on Linux to those\n" +
			"of Chromium and Firefox. It can only certify localhost, loopback addresses and the names of\n" +
			"serve --name.\n" +
			"On Linux, only root can change the store of the system: without root, the command prints what to run.",
		Example: "  spyglass trust --data /var/lib/spyglass",
		RunE: func(c *cobra.Command, _ []string) error {
			return changeTrust(c, o.Data, trust.Computer.Add)
		},
	}
}

func untrustCommand(o *server.Options) *cobra.Command {
	return &cobra.Command{
		Use: "untrust", Short: "Undo spyglass trust", Args: takes(),
		RunE: func(c *cobra.Command, _ []string) error {
			return changeTrust(c, o.Data, trust.Computer.Remove)
		},
	}
}

// changeTrust changes the stores of this computer, and prints the state of each.
func changeTrust(c *cobra.Command, data string,
	change func(trust.Computer, context.Context, trust.Authority) error) error {
	authority, err := trust.Of(data)
	if err != nil {
		return err
	}
	computer := trust.Computer{}
	err = change(computer, c.Context(), authority)
	for _, s := range computer.States(c.Context(), authority) {
		is := "not trusted"
		switch {
		case s.Trusted:
			is = "trusted"
		case s.Problem != "":
			is += ": " + s.Problem
		}
		fmt.Fprintln(c.OutOrStdout(), s.Store+": "+is)
	}
	return err
}

func userCommand(o *server.Options) *cobra.Command {
	role := "readonly"
	add := &cobra.Command{
		Use: "add NAME", Short: "Add a user; prompts for the password, or reads it from standard input",
		Args: takes("NAME"),
		Example: "  spyglass user add kim --role operator\n" +
			"  head -c 24 /dev/urandom | base64 | spyglass user add nightly --role manager",
		RunE: func(c *cobra.Command, args []string) error {
			return withPassword(c, *o, server.Command{Do: server.DoAddUser, Name: args[0], Role: role})
		},
	}
	add.Flags().StringVar(&role, "role", role, "the user's role")
	password := &cobra.Command{
		Use: "password NAME", Short: "Set a user's password; prompts for it, or reads it from standard input",
		Args: takes("NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			return withPassword(c, *o, server.Command{Do: server.DoSetPassword, Name: args[0]})
		},
	}
	reset := &cobra.Command{
		Use: "reset-2fa NAME", Short: "Delete a user's second factor, to set it up again at the next sign-in",
		Args: takes("NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			_, err := server.Send(c.Context(), *o, server.Command{Do: server.DoResetFactor, Name: args[0]})
			return err
		},
	}
	for _, c := range []*cobra.Command{add, password, reset} {
		databaseFlag(c, o)
	}
	return group("user", "Add users, set their passwords and reset their second factor", add, password, reset)
}

func withPassword(c *cobra.Command, o server.Options, command server.Command) error {
	var err error
	if command.Password, err = secret(c, "the password"); err != nil {
		return err
	}
	_, err = server.Send(c.Context(), o, command)
	return err
}

// secret reads one line from standard input, without echo on a terminal.
func secret(c *cobra.Command, what string) (string, error) {
	read := func() (string, error) { return bufio.NewReader(io.LimitReader(c.InOrStdin(), 4096)).ReadString('\n') }
	if fd := int(os.Stdin.Fd()); term.IsTerminal(fd) {
		before, err := term.GetState(fd)
		if err != nil {
			return "", err
		}
		defer func() { _ = term.Restore(fd, before) }() // also if Ctrl+C ends the reading
		fmt.Fprintf(c.ErrOrStderr(), "Enter %s (not shown): ", what)
		defer fmt.Fprintln(c.ErrOrStderr())
		read = func() (string, error) {
			typed, err := term.ReadPassword(fd)
			return string(typed), err
		}
	}
	type line struct {
		text string
		err  error
	}
	lines := make(chan line, 1)
	var reads service.Group // nobody waits: standard input cannot be interrupted
	reads.Go("standard input", func() {
		defer close(lines)
		text, err := read()
		lines <- line{text, err}
	})
	select {
	case <-c.Context().Done():
		return "", fault.New(fault.Invalid, "stopped before %s was entered; nothing was changed", what)
	case l := <-lines:
		if l.err != nil && !errors.Is(l.err, io.EOF) {
			return "", l.err
		}
		if l.text = strings.TrimRight(l.text, "\r\n"); l.text == "" {
			return "", fault.New(fault.Invalid, "write %s on standard input, on one line", what)
		}
		return l.text, nil
	}
}

func tokenCommand(o *server.Options) *cobra.Command {
	var user string
	create := &cobra.Command{
		Use: "create --user NAME", Short: "Create an API token and print it as one JSON object", Args: takes(),
		RunE: func(c *cobra.Command, _ []string) error {
			if user == "" {
				return fault.New(fault.Invalid, "--user is missing: the token has the permissions of that user")
			}
			token, err := server.Send(c.Context(), *o, server.Command{Do: server.DoCreateToken, Name: user})
			if err != nil {
				return err
			}
			return json.NewEncoder(os.Stdout).Encode(token)
		},
	}
	databaseFlag(create, o)
	create.Flags().StringVar(&user, "user", "", "the user whose permissions the token has")
	return group("token", "Create API tokens", create)
}

func backupCommand(o *server.Options) *cobra.Command {
	c := &cobra.Command{
		Use: "backup FILE", Short: "Write the whole portal to one file; the portal may be running", Args: takes("FILE"),
		Long: "Writes the portal with its samples, its reports and the Explorer's tabs to a new file.\n" +
			"Passwords and access keys stay encrypted in it. The key that decrypts them is portal.db.key in\n" +
			"the data folder: keep a copy of it somewhere else. Secrets in the system keyring are not included.\n" +
			"With --database, makes the same kind of file of the portal in that database, also with the encrypted\n" +
			"secrets of the Explorer.",
		RunE: func(c *cobra.Command, args []string) error {
			if err := server.Backup(c.Context(), *o, args[0], printProgress(c.ErrOrStderr())); err != nil {
				return err
			}
			fmt.Fprintf(c.ErrOrStderr(), "%s holds the portal of %s\n", args[0], o.Data)
			return nil
		},
	}
	databaseFlag(c, o)
	return c
}

func restoreCommand(o *server.Options) *cobra.Command {
	var withoutKey bool
	c := &cobra.Command{
		Use: "restore FILE", Short: "Replace the contents of the data folder with a backup", Args: takes("FILE"),
		Long: "Checks the whole backup first, and changes nothing if it is damaged. Users,\n" +
			"passwords and tokens become those in the backup. Stop the portal of the folder first.\n" +
			"The old data stays in the folder before-restore until the next restore; Settings, Data in the\n" +
			"app brings it back or deletes it.\n" +
			"With --database, all of it goes into that database, which must be empty.",
		RunE: func(c *cobra.Command, args []string) error {
			moved, err := server.Restore(c.Context(), *o, args[0], withoutKey, printProgress(c.ErrOrStderr()))
			if err != nil {
				return err
			}
			printLeft(c.ErrOrStderr(), moved)
			where := o.Data
			if o.Database != "" {
				where = "the database"
			}
			fmt.Fprintf(c.ErrOrStderr(), "%s holds the portal of %s\n", where, args[0])
			return nil
		},
	}
	databaseFlag(c, o)
	c.Flags().BoolVar(&withoutKey, "without-key", false, "restore even if portal.db.key is not the key of the "+
		"backup: passwords and access keys have to be entered again")
	return c
}

func migrateCommand(o *server.Options) *cobra.Command {
	var from, to, keyFile string
	c := &cobra.Command{
		Use: "migrate --from PLACE --to PLACE", Short: "Move a portal into a PostgreSQL database, or back into files",
		Args: takes(),
		Long: "One place is a data folder, the other one the address of an empty database, or the other way round.\n" +
			"Without --from or --to, that place is the database in " + databaseVariable + ". Stop the portal first.\n" +
			"Moves all rows and samples with their ids, the files of reports, and the Explorer's tabs, variables,\n" +
			"collections and history, and then compares both places. If it is interrupted, the same command\n" +
			"resumes it. The files of a portal that has moved into a database stay in the data folder, renamed.\n" +
			"Secrets stay encrypted with the portal's key. The Explorer's secrets in the system keyring move, too,\n" +
			"if you run the command as the user of the portal; otherwise it lists them.",
		Example: "  spyglass migrate --from /var/lib/spyglass --to postgres://spyglass@db.example.net/spyglass\n" +
			"  spyglass migrate --from postgres://spyglass@db.example.net/spyglass --to /var/lib/spyglass",
		RunE: func(c *cobra.Command, _ []string) error {
			back, err := placesOf(o, from, to)
			if err != nil {
				return err
			}
			if err := readKey(o, keyFile); err != nil {
				return err
			}
			all, err := server.Migrate(c.Context(), *o, back, printMove(c.ErrOrStderr()))
			if err == nil {
				err = printMoved(c.OutOrStdout(), all)
			}
			if err != nil {
				return err
			}
			printLeft(c.ErrOrStderr(), all)
			return nil
		},
	}
	c.Flags().StringVar(&from, "from", "", "the data folder or the address of the database that has the portal")
	c.Flags().StringVar(&to, "to", "", "the address of the database or the data folder that gets it")
	c.Flags().StringVar(&keyFile, "key-file", "", "the file of the portal's key, if the data folder has no "+
		"portal.db.key (default: "+keyFileVariable+"). "+keyVariable+" can hold the key itself, in Base64")
	return c
}

// placesOf sets the data folder and the database of a migration. back means that the
// folder is the target.
func placesOf(o *server.Options, from, to string) (back bool, err error) {
	variable := os.Getenv(databaseVariable)
	isAddress := func(place string) bool { return strings.Contains(place, "://") || place == "" && variable != "" }
	if isAddress(from) == isAddress(to) || from == "" && to == "" {
		return false, fault.New(fault.Invalid, "--from and --to must be a data folder and the address of a database, "+
			"such as postgres://spyglass@db.example.net/spyglass")
	}
	flag, address, folder := "--to", to, from
	if back = isAddress(from); back {
		flag, address, folder = "--from", from, to
	}
	o.Data, o.Database = folder, address
	if address == "" {
		o.Database = variable
		return back, nil
	}
	return back, checkAddress(flag, address)
}

// printMove writes the progress of a migration, at most one line a second.
func printMove(out io.Writer) func(server.MoveProgress) {
	var last time.Time
	return func(p server.MoveProgress) {
		if time.Since(last) < time.Second {
			return
		}
		last = time.Now()
		of := ""
		if p.Total > 0 {
			of = fmt.Sprintf(" of %d", p.Total)
		}
		fmt.Fprintf(out, "%s %s: %d%s rows\n", p.Doing, p.Table, p.Done, of)
	}
}

// printLeft writes what a migration has not moved.
func printLeft(out io.Writer, all []server.Moved) {
	for _, one := range all {
		for _, what := range one.Left {
			fmt.Fprintf(out, "not moved: the %s. The system keyring of this user does not have it; enter it again\n",
				what)
		}
	}
}

// printMoved writes the tables of a migration with the rows and the beginning of the sum
// of both sides, and returns an error if they differ.
func printMoved(out io.Writer, all []server.Moved) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "TABLE\tROWS\tSUM\tIN THE TARGET")
	differ := 0
	for _, one := range all {
		result := "same"
		if !one.Same() {
			result = fmt.Sprintf("differs: %d rows, %.12s", one.To.Rows, one.To.Hash)
			differ++
		}
		fmt.Fprintf(w, "%s\t%d\t%.12s\t%s\n", one.Table, one.From.Rows, one.From.Hash, result)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if differ > 0 {
		return fault.New(fault.Conflict, "%d tables differ. The source was changed after an interrupted migration, or "+
			"the target is in use; empty the target and repeat the command", differ)
	}
	return nil
}

func checkCommand(o *server.Options) *cobra.Command {
	return &cobra.Command{
		Use: "check", Short: "Check every database of the data folder for damage", Args: takes(),
		Long: "Reads portal.db, series.db and workspace.db completely; a portal may be running on them. Changes\n" +
			"nothing. Exits with code 1 if a database is damaged, and prints what to do.",
		RunE: func(c *cobra.Command, _ []string) error {
			return server.Check(c.Context(), o.Data, func(file string) { fmt.Println(file + " is sound") })
		},
	}
}

func mcpCommand(o *server.Options) *cobra.Command {
	var portal string
	var writes bool
	c := &cobra.Command{
		Use: "mcp", Short: "Serve an agent on standard input and output (Model Context Protocol)", Args: takes(),
		Long: "An agent, such as Claude Desktop or an editor, starts this command and gets tools that read the\n" +
			"portal: its alerts, charts and every endpoint of the API. Without --portal, it uses the portal that\n" +
			"runs on the data folder. Put the bearer of an API token into the environment variable " +
			mcp.TokenVariable +
			":\nthe agent has the permissions of that token's user.",
		Example: "  SPYGLASS_TOKEN=… spyglass mcp\n" +
			"  SPYGLASS_TOKEN=… spyglass mcp --portal https://portal.example.net:8443",
		RunE: func(c *cobra.Command, _ []string) (err error) {
			token := os.Getenv(mcp.TokenVariable)
			if err := os.Unsetenv(mcp.TokenVariable); err != nil {
				return err
			}
			at := server.Result{Origin: portal}
			if portal == "" {
				at, err = server.Running(o.Data)
			}
			if err != nil {
				return err
			}
			return mcp.Run(c.Context(), mcp.Stdio{Portal: at.Origin, Fingerprint: at.Fingerprint, Token: token,
				Writes: writes, Version: o.Version, Log: o.Log, In: os.Stdin, Out: os.Stdout})
		},
	}
	c.Flags().StringVar(&portal, "portal", "", "address of a portal, https://portal.example:8443")
	c.Flags().BoolVar(&writes, "allow-writes", false, "let the agent change the portal, after a preview of each change")
	return c
}

func updatesCommand(o *server.Options) *cobra.Command {
	u := updates.Options{URL: updateURL, Key: updateKey}
	c := &cobra.Command{
		Use: "updates", Short: "Check whether there is a newer version", Args: takes(),
		Long: "Reads a small signed list over the network, and prints the version in it and where to get it.\n" +
			"Spyglass never does this by itself, sends nothing about this machine, and downloads and installs nothing.",
		Example: "  spyglass updates --from https://example.net/spyglass/stable.json --key RWQ…",
		RunE: func(c *cobra.Command, _ []string) error {
			if u.URL == "" || u.Key == "" {
				return fault.New(fault.Invalid, "this build does not name a list of updates; use --from and --key, "+
					"from the publisher of your Spyglass")
			}
			u.Folder, u.Version = o.Data, o.Version
			if err := os.MkdirAll(u.Folder, 0o700); err != nil {
				return err
			}
			found, err := updates.Check(c.Context(), u)
			if err != nil {
				return err
			}
			if !found.Newer {
				fmt.Printf("spyglass %s is up to date\n", o.Version)
				return nil
			}
			fmt.Printf("spyglass %s is available: %s\n", found.Version, found.Link)
			return nil
		},
	}
	c.Flags().StringVar(&u.URL, "from", u.URL, "address of the list of updates")
	c.Flags().StringVar(&u.Key, "key", u.Key, "public key of its signature, as minisign writes it")
	return c
}

// printProgress writes the progress of a backup or a restore, one line per event.
func printProgress(out io.Writer) func(backup.Progress) {
	const mega = 1e6
	return func(p backup.Progress) {
		if p.Doing == server.MovingRows {
			fmt.Fprintf(out, "%s %s: %d rows\n", p.Doing, p.File, p.Done)
			return
		}
		of := ""
		if p.Total > 0 {
			of = fmt.Sprintf(" of %.1f", float64(p.Total)/mega)
		}
		fmt.Fprintf(out, "%s %s: %.1f%s MB\n", p.Doing, p.File, float64(p.Done)/mega, of)
	}
}
