package app

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"

	"spyglass/app/shell"
	"spyglass/backend/fault"
	"spyglass/backend/server"
	"spyglass/build/icon"
)

// Window opens the desktop window on the portal of a data folder and returns
// when it is closed. When one is open on that folder already, it comes to the
// front instead, and is given args.
func Window(ctx context.Context, o server.Options, args []string) error {
	raise := make(chan []string, 1)
	o.Listen = "127.0.0.1:0"
	o.Raise = func(args []string) {
		select {
		case raise <- args:
		default: // it is coming to the front already
		}
	}
	a, err := Open(ctx, o)
	if fault.Is(err, fault.Conflict) {
		if _, asked := server.Ask(ctx, o, server.Command{Do: server.DoRaise, Args: args}); asked == nil {
			return nil
		}
	}
	if err != nil {
		return err
	}
	path := filepath.Join(o.Data, "window.json")
	last := loadWindow(path, o.Log)
	err = shell.Run(ctx, shell.Window{
		Title: "Spyglass", Icon: icon.PNG, Theme: last.Theme, Raise: raise, Native: a.native, Log: o.Log,
		Open: func() string {
			link, err := a.Launch(ctx)
			if err != nil {
				o.Log.ErrorContext(ctx, "the window cannot sign in by itself", "err", err)
				return a.Origin()
			}
			return link
		},
		Load: func() shell.Place { return last.Place },
		Save: func(p shell.Place) {
			last.Place = p
			if user := a.window.Load(); user != 0 {
				last.Theme = a.theme(context.WithoutCancel(ctx), user)
			}
			saveWindow(path, last, o.Log)
		},
	})
	return errors.Join(err, a.close(ctx))
}

// Launch is an address that signs in whoever opens it first, within 30 s: as
// the user of the credential in the OS keyring, or else as the administrator,
// whose portal this is. The keyring then holds a fresh credential.
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
	user, err := a.Sessions.UserID(ctx, "admin")
	if err != nil {
		return 0, err
	}
	secret, err := a.Sessions.Credential(ctx, user)
	if err != nil {
		return 0, err
	}
	a.keys.Set(account, secret)
	if password := a.Passwords["admin"]; password != "" {
		a.keys.Set(a.Setting.Instance+"/admin", password)
	}
	return user, nil
}

// notice is what a person should know of the keyring; empty when it answers.
func (a *App) notice() string {
	if ok, why := a.keys.Available(); !ok && a.native.HasWindow() {
		return why
	}
	return ""
}

// lastWindow is what window.json keeps of the window: what must be known before
// the keyring has told who opens it.
type lastWindow struct {
	shell.Place
	Theme string `json:"theme"`
}

func loadWindow(path string, log *slog.Logger) (last lastWindow) {
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &last)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		log.Warn("the window's last place cannot be read; it opens in the middle", "file", path, "err", err)
		return lastWindow{}
	}
	return last
}

// saveWindow replaces the file in one step, so that a crash leaves the old or the new one.
func saveWindow(path string, last lastWindow, log *slog.Logger) {
	text, err := json.Marshal(last)
	if err == nil {
		err = os.WriteFile(path+".new", text, 0o600)
	}
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		log.Warn("the window's place cannot be kept", "file", path, "err", err)
	}
}
