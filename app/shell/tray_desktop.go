//go:build desktop && !darwin

package shell

import (
	"context"
	"log"
	"log/slog"
	"runtime"
	"strings"
	"sync"

	// Apache-2.0. On Linux it uses D-Bus, without GTK; on Windows it has a
	// message loop of its own, on a thread of its own.
	"fyne.io/systray"
)

// HasTray reports whether the window has an icon in the desktop's tray, where
// the desktop has one.
const HasTray = true

// tray is the icon in the desktop's tray, and its menu.
type tray struct {
	window Window
	icons  map[Level][]byte
	head   *systray.MenuItem // how many alerts are open
	worst  [MostWorst]*systray.MenuItem

	mu   sync.Mutex
	told Tray // the tray shown for worst
}

// showTray shows the tray's content until the window closes. There is one tray
// in a process, and nothing waits for it: Linux removes the icon with the
// program.
func (r *running) showTray() {
	var shown *tray
	for {
		select {
		case <-r.closing:
			if shown != nil {
				endTray()
			}
			return
		case now := <-r.window.Tray:
			if shown == nil {
				var err error
				if shown, err = r.newTray(now); err != nil {
					r.window.Log.Warn("the desktop's tray shows no icon", "err", err)
					return
				}
				continue
			}
			shown.tell(now)
		}
	}
}

func (r *running) newTray(first Tray) (*tray, error) {
	icons, err := trayIcons(r.window.Icon)
	if err != nil {
		return nil, err
	}
	if runtime.GOOS == "windows" {
		for level, icon := range icons {
			icons[level] = ico(icon)
		}
	}
	t := &tray{window: r.window, icons: icons}
	log.SetFlags(0) // what the library has to say; all else here has slog
	log.SetOutput(trayLog{r.window.Log})
	systray.SetTitle(t.window.Title)
	systray.SetOnTapped(r.raise)
	return t, startTray(func() {
		t.menu(r)
		t.tell(first)
	})
}

// menu makes the menu, once; its entries stay, and change.
func (t *tray) menu(r *running) {
	r.entry("Open "+t.window.Title, r.raise)
	systray.AddSeparator()
	t.head = r.entry("", nil)
	t.head.Disable()
	for i := range t.worst {
		t.worst[i] = systray.AddMenuItem("", "")
		clicks := t.worst[i].ClickedCh
		r.tasks.Keep(r.wails, "tray", func(context.Context) { t.open(i, clicks) })
	}
	systray.AddSeparator()
	pause := systray.AddMenuItemCheckbox("Pause notices", "", false)
	r.tasks.Keep(r.wails, "tray", func(context.Context) {
		for range pause.ClickedCh {
			if pause.Checked() {
				pause.Uncheck()
			} else {
				pause.Check()
			}
			t.window.Pause(pause.Checked())
		}
	})
	r.entry("Quit", r.quit)
}

// entry adds a line to the menu; a click on it calls do, unless that is nil.
func (r *running) entry(text string, do func()) *systray.MenuItem {
	item := systray.AddMenuItem(text, "")
	if do != nil {
		r.tasks.Keep(r.wails, "tray", func(context.Context) {
			for range item.ClickedCh {
				do()
			}
		})
	}
	return item
}

// open opens the link of entry i at each click on it.
func (t *tray) open(i int, clicks <-chan struct{}) {
	for range clicks {
		t.mu.Lock()
		link := ""
		if i < len(t.told.Worst) {
			link = t.told.Worst[i].Link
		}
		t.mu.Unlock()
		if link != "" {
			t.window.Link(link)
		}
	}
}

func (t *tray) tell(now Tray) {
	t.mu.Lock()
	t.told = now
	t.mu.Unlock()
	systray.SetIcon(t.icons[now.Level])
	systray.SetTooltip(t.window.Title + ": " + now.Text)
	t.head.SetTitle(now.Text)
	for i, item := range t.worst {
		if i >= len(now.Worst) {
			item.Hide()
			continue
		}
		item.SetTitle(label(now.Worst[i].Text))
		item.Show()
	}
}

// longestLabel limits the letters of a name in a line of the menu.
const longestLabel = 60

// label escapes text for a menu: it doubles the character that marks a letter
// as a shortcut key.
func label(text string) string {
	if letters := []rune(text); len(letters) > longestLabel {
		text = string(letters[:longestLabel-1]) + "…"
	}
	mark := "_"
	if runtime.GOOS == "windows" {
		mark = "&"
	}
	return strings.ReplaceAll(text, mark, mark+mark)
}

// trayLog logs the library's messages, a line at a time.
type trayLog struct{ log *slog.Logger }

func (l trayLog) Write(line []byte) (int, error) {
	l.log.Warn("the desktop's tray shows no icon, or an old one", "err", strings.TrimSpace(string(line)))
	return len(line), nil
}
