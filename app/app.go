// Package app puts the portal, the Explorer and the window together.
//
// Open runs a portal with the Explorer beside it, on one port; Window shows it
// on the desktop until it is closed. Both keep everything in one data folder:
// portal.db belongs to backend/server, workspace.db to app/workspace,
// window.json (size, place and theme) to this package; with server.Options.Database,
// the first two are in that database. Response bodies are spooled to a folder that is
// emptied at every start.
//
// # Errors
//
// What can fail fails in Open; what fails later is returned by Wait. Both have
// stopped everything they started when they return an error.
package app

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"spyglass/app/autostart"
	"spyglass/app/diagnose"
	"spyglass/app/explorer"
	"spyglass/app/explorer/window"
	"spyglass/app/keychain"
	"spyglass/app/mcp"
	"spyglass/app/shell/tray"
	"spyglass/app/trust"
	"spyglass/app/updates"
	"spyglass/app/workspace"
	"spyglass/backend/api"
	"spyglass/backend/fault"
	"spyglass/backend/portal/people"
	"spyglass/backend/resource"
	"spyglass/backend/server"
)

// App is one running portal with its Explorer.
type App struct {
	*server.Server
	keys      *keychain.Keychain
	native    *desk
	workspace *workspace.Workspace
	explorer  *explorer.Explorer
	agents    *mcp.Handler
	log       *slog.Logger
	version   string       // of this program
	desktop   bool         // it has its own window
	window    atomic.Int64 // the user of the window; 0 for none yet
	paused    atomic.Bool  // notices are paused in the tray's menu
}

// Open starts a portal with the Explorer.
func Open(ctx context.Context, o server.Options) (*App, error) {
	return open(ctx, o, &desk{})
}

func open(ctx context.Context, o server.Options, native *desk) (_ *App, err error) {
	private()
	tail := diagnose.NewTail(cmp.Or(o.Log, slog.Default()).Handler())
	o.Log = slog.New(tail)
	a := &App{keys: openKeys(o.Log), native: native, log: o.Log, version: o.Version,
		desktop: native.shown}
	o.Look, o.Keys, o.SwitchHTTPS = a.look, a.keys, native.shown
	o.Workspace = workspaceWith(a.keys)
	// a.agents is set before the portal starts to listen
	o.Agents = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { a.agents.ServeHTTP(w, r) })
	o.Run = a.runJob
	if raise := o.Raise; raise != nil {
		o.Raise = func(args []string) { // a.explorer is set before the portal starts to listen
			a.OpenLinks(args)
			raise(args)
		}
	}
	if a.Server, err = server.New(ctx, o); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.close(ctx))
		}
	}()
	if _, err := os.Stat(filepath.Join(o.Data, "workspace.db")); err == nil && o.Database != "" {
		a.log.Warn("the tabs and the history in workspace.db are not used: they are in the database now", "data",
			o.Data)
	}
	quota := int64(workspace.Quota)
	if a.desktop { // the disk belongs to the user
		quota = 0
	}
	err = a.OpenBeside(ctx, o.WorkspaceName(), func(path string, sibling server.Sibling) (file string, err error) {
		a.workspace, err = workspace.Open(ctx, workspace.Options{
			Path: path, Database: o.Database, KeyOf: a.DB(), Secrets: secrets{a.keys, a.Setting.Instance},
			Log: o.Log, Clock: o.Clock, Sibling: sibling,
			Upgrade: a.ReportUpgrade, Quota: quota, Twice: o.Twice,
		})
		if err != nil {
			return "", err
		}
		return a.workspace.FileID(), nil
	})
	if err != nil {
		return nil, err
	}
	folder, err := filepath.Abs(o.Data)
	if err != nil {
		return nil, err
	}
	collections, err := folderOf("--collections", o.Collections)
	if err != nil {
		return nil, err
	}
	rehearsals, err := folderOf("--rehearsals", o.Rehearsals)
	if err != nil {
		return nil, err
	}
	if a.desktop {
		rehearsals = filepath.Join(folder, "rehearsals")
	}
	var desktop explorer.Native // of this machine, not for users of a served portal
	var atSignIn window.Autostart
	if a.desktop {
		desktop = native
		if atSignIn, err = startsWith(folder); err != nil {
			return nil, err
		}
	}
	a.explorer, err = explorer.New(explorer.Options{
		Workspace: a.workspace, Catalog: a.Endpoints(),
		BaseURL: func() string { return a.Link() + "/api" }, Address: a.Address(), Pin: a.Pin(),
		ClientOrigin: a.ClientOrigin, HTTPS: a.Server, Trust: trust.Computer{Prompt: a.desktop},
		Cookie:     func(secret string) string { return a.Sessions.CookieName() + "=" + secret },
		PortalName: a.PortalName, Networks: a.Networks, Instance: a.Setting.Instance, Version: o.Version,
		Folder: folder, Desktop: a.desktop, Tray: a.desktop && tray.Has, Demo: a.Setting.Demo, Notice: a.notice,
		Keyring: func() bool { return o.Database != "" || a.hasKeyring() },
		Native:  desktop, Autostart: atSignIn, Updates: checkUpdates(o),
		Changes: a.Changes, Storage: a.Storage, Counts: a.DB().Counts,
		Databases: a.Databases(), Collections: collections, Sharing: a.sharing(),
		Rehearsals: rehearsals, OpenCopy: copies(o),
		Tail:        tail,
		DocumentDir: filepath.Join(o.Data, "documents"), Log: o.Log,
	})
	if err != nil {
		return nil, err
	}
	a.agents = mcp.NewHandler(mcp.Options{Writes: a.AgentsMayWrite, Version: o.Version, Log: o.Log}, mcp.Portal{
		Name: a.PortalName, Address: a.Address, Origin: a.Link, Handler: a.Server, Endpoints: a.Endpoints(),
	})
	if err := a.Start(a.explorer.Endpoints(), explorer.Details()...); err != nil {
		return a, err
	}
	a.OnDrain(a.explorer.EndStreams)
	a.OnDrain(a.agents.Close)
	return a, nil
}

// startsWith returns the system's setting that opens the window of a data folder at
// sign-in; nil if there is none.
func startsWith(folder string) (window.Autostart, error) {
	if !autostart.Has() {
		return nil, nil
	}
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	program = strings.TrimSuffix(program, " (deleted)") // Linux, after an upgrade
	return autostart.Program{Name: "Spyglass", Command: []string{program, "--data", folder}}, nil
}

// checkUpdates returns the check for a newer version; nil if the build does not say where.
func checkUpdates(o server.Options) func(context.Context) (*updates.Update, error) {
	if o.UpdateURL == "" || o.UpdateKey == "" {
		return nil
	}
	return func(ctx context.Context) (*updates.Update, error) {
		return updates.Check(ctx, updates.Options{URL: o.UpdateURL, Key: o.UpdateKey, Version: o.Version,
			Folder: o.Data, Clock: o.Clock})
	}
}

// sharing lets the users of a served portal share collections; nil in the desktop window,
// which has one user.
func (a *App) sharing() *workspace.Sharing {
	if a.desktop {
		return nil
	}
	return &workspace.Sharing{
		UserID: func(ctx context.Context, name string) (int64, error) {
			found, err := resource.Find(ctx, a.DB(), people.UserRows,
				resource.Where{Field: "username", Op: "=", Value: name})
			if err == nil && len(found) == 0 {
				err = fault.New(fault.Unknown, "there is no user %s", name)
			}
			if err != nil {
				return 0, err
			}
			return found[0].ID, nil
		},
		UserName: func(ctx context.Context, id int64) (string, error) {
			u, err := resource.Get(ctx, a.DB(), people.UserRows, id)
			if err != nil {
				return "", err
			}
			return u.Username, nil
		},
		Users: func(ctx context.Context) (names []string, err error) {
			all, err := resource.Find(ctx, a.DB(), people.UserRows,
				resource.Where{Field: "status", Op: "=", Value: "active"})
			for _, u := range all {
				if u.APIOnly {
					continue
				}
				names = append(names, u.Username)
			}
			slices.SortFunc(names, func(a, b string) int {
				return cmp.Compare(strings.ToLower(a), strings.ToLower(b))
			})
			return names, err
		},
		Audit: func(ctx context.Context, c *resource.Change) error {
			return a.DB().Write(ctx, func(tx resource.Tx) error { return tx.Note(ctx, c) })
		},
	}
}

// folderOf returns the absolute path of the folder that a flag names; empty for an empty
// name.
func folderOf(flag, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	path, err := filepath.Abs(name)
	if err == nil {
		var info os.FileInfo
		if info, err = os.Stat(path); err == nil && !info.IsDir() {
			err = errors.New("it is a file")
		}
	}
	if err != nil {
		return "", &fault.Error{Kind: fault.Invalid, Err: err, Message: "the folder of " + flag + " cannot be used: " +
			err.Error()}
	}
	return path, nil
}

// ExplorerEndpoints returns the endpoints that the page requests below
// /explorer.
func (a *App) ExplorerEndpoints() []resource.Endpoint { return a.explorer.Endpoints() }

// OpenLinks opens spyglass:// links in the page as soon as there is one.
func (a *App) OpenLinks(links []string) { a.explorer.OpenLinks(links) }

// look returns the theme and layout for the first paint of a user's page; nil if
// unknown.
func (a *App) look(ctx context.Context, userID int64) api.Look {
	var look struct {
		Theme, View, Density, FontSize string
		Monitor                        struct{ Screen string }
		Zoom                           float64
		Fonts                          struct{ UI, Code string }
	}
	err := a.workspace.Settings(ctx, userID, map[string]any{
		"theme": &look.Theme, "view": &look.View, "density": &look.Density, "fontSize": &look.FontSize,
		"monitor": &look.Monitor,
		"zoom":    &look.Zoom, "fonts": &look.Fonts,
	})
	if err != nil {
		return nil
	}
	values := api.Look{"view": cmp.Or(look.View, "welcome"), "density": look.Density, "font-size": look.FontSize}
	if look.Theme == "dark" || look.Theme == "light" { // otherwise the system's theme
		values["theme"] = look.Theme
	}
	if look.View == "monitor" {
		values["screen"] = cmp.Or(look.Monitor.Screen, "overview")
	}
	if a.desktop { // a browser has its own zoom, and may have other fonts each time
		values["font-ui"], values["font-code"] = look.Fonts.UI, look.Fonts.Code
		if look.Zoom > 0 {
			values["zoom"] = strconv.FormatFloat(look.Zoom, 'f', -1, 64)
		}
	}
	return values
}

// Wait serves until ctx ends or serving fails, and then stops everything.
func (a *App) Wait(ctx context.Context) error {
	var err error
	select {
	case <-ctx.Done():
	case err = <-a.Failed():
	}
	return errors.Join(err, a.close(ctx))
}

// patience limits how long stopping everything may take.
const patience = 10 * time.Second

func (a *App) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	var errs []error
	if a.explorer != nil && a.desktop {
		a.explorer.Stop() // first: nobody waits for its requests when the window has closed
	}
	errs = append(errs, a.Stop(ctx))
	if a.agents != nil {
		a.agents.Close()
	}
	if a.explorer != nil {
		a.explorer.Close()
	}
	if a.workspace != nil {
		errs = append(errs, a.workspace.Close())
	}
	return errors.Join(errs...)
}

// Workspace returns the Explorer's workspace, for commands that move a portal.
func Workspace(log *slog.Logger) server.Workspace { return workspaceWith(openKeys(log)) }

func workspaceWith(keys *keychain.Keychain) server.Workspace {
	return workspace.Moved(func(instance string) workspace.Secrets { return secrets{keys, instance} })
}

func openKeys(log *slog.Logger) *keychain.Keychain { return keychain.Open("Spyglass", log) }

// secrets stores the workspace's secrets in the keyring, separately for each
// portal.
type secrets struct {
	keys     *keychain.Keychain
	instance string
}

func (s secrets) Get(name string) (string, error) { return s.keys.Get(s.instance + "/" + name) }
func (s secrets) Set(name, secret string) (lasts bool) {
	return s.keys.Set(s.instance+"/"+name, secret)
}
func (s secrets) Delete(name string) error { return s.keys.Delete(s.instance + "/" + name) }
