package app

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	"spyglass/app/shell"
	"spyglass/app/shell/notice"
	"spyglass/app/shell/tray"
	"spyglass/backend/fault"
	"spyglass/backend/server"
	"spyglass/backend/service"
	"spyglass/build/icon"
)

// Window opens the desktop window on the portal of a data folder and returns when
// it is closed. If a window is open on that folder already, it brings that one to
// the front instead. It opens args, which are spyglass:// links. The portal opens
// while the window appears; if that fails, the window shows the error, and Window
// returns it when the window is closed.
func Window(ctx context.Context, o server.Options, args []string) error {
	if err := awaitPredecessor(); err != nil {
		return err
	}
	raise := make(chan struct{}, 1)
	held := make(chan struct{})
	o.Raise = func([]string) {
		select {
		case raise <- struct{}{}:
		default: // it is coming to the front already
		}
	}
	o.Held = func() { close(held) }
	p := &opening{native: &desk{shown: true}, opened: make(chan struct{}), ways: make(chan wayIn, 1),
		upgrading: make(chan struct{})}
	o.Upgrade = p.progress(o.Upgrade)
	tasks := service.Group{Guard: &service.Guard{Log: o.Log}} // nothing waits for them; p.opened is closed in any case
	tasks.Go("opening the portal", func() { p.open(ctx, o, args) })
	notices, trays := make(chan notice.Notice), make(chan tray.Tray)
	select {
	case <-held:
	case <-p.opened:
		if fault.Is(p.err, fault.Conflict) {
			if _, failed := server.Send(ctx, o, server.Command{Do: server.DoRaise, Args: args}); failed == nil {
				return nil
			}
		}
	}
	gc := delayGC(o.Log)
	defer gc.Stop()
	path := filepath.Join(o.Data, "window.json")
	last := loadWindow(path, o.Log)
	updating, enough := context.WithCancel(ctx)
	updates := service.Group{Guard: tasks.Guard}
	updates.Go("desktop notifications", func() {
		p.update(updating, "desktop notifications of critical alerts have stopped",
			func(a *App) error { return a.sendNotices(updating, notices) })
	})
	updates.Go("the tray", func() {
		p.update(updating, "the tray icon no longer shows alerts",
			func(a *App) error { return a.updateTray(updating, trays) })
	})
	err := shell.Run(ctx, shell.Window{
		Title: "Spyglass", Icon: icon.PNG, Version: o.Version, Theme: last.Theme, Raise: raise,
		Notices: notices, Tray: trays,
		Native: &p.native.Native, Log: o.Log,
		Pause: p.pause,
		Link: func(text string) {
			tasks.Go("opening a link", func() { p.link(text) })
			o.Raise(nil)
		},
		Trouble: shell.Trouble{Folder: o.Data, Again: p.native.Restart},
		Open:    func() (string, error) { return p.address(ctx) },
		Load:    func() shell.Places { return last.Places },
		Save: func(places shell.Places) {
			last.Places = places
			if theme, known := p.theme(ctx); known {
				last.Theme = theme
			}
			saveWindow(path, last, o.Log)
		},
	})
	enough()
	<-p.opened
	updates.Wait()
	switch {
	case p.err == nil:
		err = errors.Join(err, p.app.close(ctx))
	case ctx.Err() != nil && errors.Is(p.err, context.Canceled):
		p.err = nil // it was stopped before it was open
	}
	if err == nil && p.native.again.Load() {
		return startAgain()
	}
	return errors.Join(err, p.err)
}

// delayGC delays garbage collection while the window opens, when the page and the
// portal need the CPU, and collects garbage after that. From then on there is
// little garbage, and it is collected earlier than by Go's default: at 40 % of
// the live heap, which takes milliseconds per minute. It also gives back what of the
// program itself was needed to start.
func delayGC(log *slog.Logger) *time.Timer {
	// percent of the live heap; by then the history of a demo is filled, too
	const lazy, thrifty, quiet = 400, 40, 30 * time.Second
	debug.SetGCPercent(lazy)
	return time.AfterFunc(quiet, func() {
		debug.SetGCPercent(thrifty)
		runtime.GC() // pooled memory survives the first collection
		debug.FreeOSMemory()
		giveBack(log)
	})
}

// opening is a portal that opens together with its window.
type opening struct {
	native *desk
	opened chan struct{} // closed when app or err is set
	app    *App
	err    error
	ways   chan wayIn // the first, created before the window requests it

	upgrading chan struct{} // closed when an upgrade begins
	upgrade   atomic.Pointer[server.Progress]
}

// progress returns a function that stores the progress of an upgrade for the window,
// before it calls next, which may be nil.
func (p *opening) progress(next func(server.Progress)) func(server.Progress) {
	return func(now server.Progress) {
		if p.upgrade.Swap(&now) == nil {
			close(p.upgrading)
		}
		if next != nil {
			next(now)
		}
	}
}

// wayIn is an address that signs in, with its creation time.
type wayIn struct {
	address string
	made    time.Time
}

func (p *opening) open(ctx context.Context, o server.Options, links []string) {
	defer close(p.opened)
	// the error if opening panics
	p.err = errors.New("the portal did not start because of an internal error in Spyglass; see the log")
	if p.app, p.err = open(ctx, o, p.native); p.err == nil {
		p.app.OpenLinks(links)
		p.ways <- wayIn{p.app.enter(ctx), time.Now()}
	}
}

// update runs a function that sends updates to the desktop, once the portal is
// open; ended is the log message if it fails before ctx ends.
func (p *opening) update(ctx context.Context, ended string, by func(*App) error) {
	<-p.opened
	if p.err != nil {
		return
	}
	if err := by(p.app); err != nil && ctx.Err() == nil {
		p.app.log.WarnContext(ctx, ended, "err", err)
	}
}

// pause pauses or resumes notices; there is a tray only after the portal has
// opened.
func (p *opening) pause(paused bool) { p.app.paused.Store(paused) }

// link opens a spyglass:// link as soon as the portal is open.
func (p *opening) link(text string) {
	<-p.opened
	if p.err == nil {
		p.app.OpenLinks([]string{text})
	}
}

// fresh is the maximum age of a sign-in address for the window; the address is
// valid for 30 s.
const fresh = 15 * time.Second

// address returns the address of the window's page as soon as the portal is open. During
// an upgrade, it returns a shell.Busy at once.
func (p *opening) address(ctx context.Context) (string, error) {
	select {
	case <-p.opened:
	case <-p.upgrading:
		select {
		case <-p.opened:
		default:
			now := p.upgrade.Load()
			return "", &shell.Busy{Doing: now.String(), Percent: now.Percent()}
		}
	}
	if p.err != nil {
		return "", errors.New(fault.Sentence(p.err))
	}
	select {
	case first := <-p.ways:
		if time.Since(first.made) < fresh {
			return first.address, nil
		}
	default: // the window requests another
	}
	return p.app.enter(ctx), nil
}

// theme returns the page theme that the window's user has selected, as soon as it
// is known.
func (p *opening) theme(ctx context.Context) (theme string, known bool) {
	select {
	case <-p.opened:
	default:
		return "", false
	}
	if p.err != nil || p.app.window.Load() == 0 {
		return "", false
	}
	return p.app.look(context.WithoutCancel(ctx), p.app.window.Load())["theme"], true
}

// enter returns Launch's address, or that of the sign-in page.
func (a *App) enter(ctx context.Context) string {
	address, err := a.Launch(ctx)
	if err != nil {
		a.log.ErrorContext(ctx, "the window cannot sign in automatically", "err", err)
		return a.Origin()
	}
	return address
}

// Launch returns an address that signs in the first browser to open it, within 30
// s: as the user of the credential in the OS keyring, or else as the
// administrator, who owns this portal. It then stores a new credential in the
// keyring.
func (a *App) Launch(ctx context.Context) (string, error) {
	user, err := a.resume(ctx)
	if err != nil {
		return "", err
	}
	a.window.Store(user)
	return a.Origin() + "/launch?t=" + url.QueryEscape(a.Sessions.Launch(user, true)), nil
}

func (a *App) resume(ctx context.Context) (int64, error) {
	account := a.Setting.Instance + "/session"
	if secret, err := a.keys.Get(account); err == nil {
		if user, err := a.Sessions.Resume(ctx, secret); err == nil {
			return user, nil
		} else if !fault.Is(err, fault.NoLogin) {
			return 0, err
		}
	}
	user, err := a.Sessions.UserID(ctx, administrator)
	if err != nil {
		return 0, err
	}
	secret, err := a.Sessions.Credential(ctx, user)
	if err != nil {
		return 0, err
	}
	a.keys.Set(account, secret)
	a.keepFirstPassword(ctx)
	return user, nil
}

const administrator = "admin"

// keepFirstPassword stores the initial password of a new portal's administrator
// in the keyring, where the user can look it up, and deletes it after it has
// changed. It never stores a password that the user has chosen. Changing the
// password ends the credential, so the next start checks this.
func (a *App) keepFirstPassword(ctx context.Context) {
	account := a.Setting.Instance + "/" + administrator
	if password := a.Passwords[administrator]; password != "" {
		if lasts := a.keys.Set(account, password); !lasts {
			return // no user has seen it: the next start creates another
		}
		if err := a.PasswordsShown(ctx); err != nil {
			a.log.WarnContext(ctx, "the first passwords change at the next start", "err", err)
		}
		return
	}
	kept, err := a.keys.Get(account)
	if err != nil {
		return
	}
	if good, err := a.Sessions.IsPassword(ctx, administrator, kept); good || err != nil {
		return
	}
	if err := a.keys.Delete(account); err != nil {
		a.log.WarnContext(ctx, "the administrator's old password stays in the keyring", "err", err)
	}
}

// hasKeyring reports whether stored secrets outlive the process.
func (a *App) hasKeyring() bool {
	ok, _ := a.keys.Available()
	return ok
}

// notice returns a warning about the keyring; empty when it works.
func (a *App) notice() string {
	if ok, why := a.keys.Available(); !ok && a.native.HasWindow() {
		return why
	}
	return ""
}

// lastWindow is the part of window.json about the window: settings that are
// needed before the keyring has identified the user.
type lastWindow struct {
	Theme  string       `json:"theme"`
	Places shell.Places `json:"places"`
}

func loadWindow(path string, log *slog.Logger) (last lastWindow) {
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &last)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		log.Warn("the window's last position cannot be read; it opens centered", "file", path, "err", err)
		return lastWindow{}
	}
	return last
}

// saveWindow replaces the file in one step, so that after a crash the file is
// either the old or the new one.
func saveWindow(path string, last lastWindow, log *slog.Logger) {
	text, err := json.Marshal(last)
	if err == nil {
		err = os.WriteFile(path+".new", text, 0o600)
	}
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		_ = os.Remove(path + ".new") // a full disk leaves half of it
		log.Warn("the window's position cannot be stored", "file", path, "err", err)
	}
}
