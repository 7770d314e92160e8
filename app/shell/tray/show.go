//go:build desktop && !darwin

package tray

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

// Has reports whether the window has an icon in the tray, on desktops with a
// tray.
const Has = true

// tray is the icon in the desktop's tray, and its menu.
type tray struct {
	Menu
	icons map[Level][]byte
	head  *systray.MenuItem // the number of open alerts
	worst [MostWorst]*systray.MenuItem

	mu      sync.Mutex
	current Tray // the last tray shown
}

// Show shows the tray's content until closing. A process has one tray, and
// nothing has to wait for it: Linux removes the icon with the program.
func (m Menu) Show(contents <-chan Tray, closing <-chan struct{}) {
	var shown *tray
	for {
		select {
		case <-closing:
			if shown != nil {
				end()
			}
			return
		case now := <-contents:
			if shown == nil {
				var err error
				if shown, err = newTray(m, now); err != nil {
					m.Log.Warn("the desktop's tray shows no icon", "err", err)
					return
				}
				continue
			}
			shown.update(now)
		}
	}
}

func newTray(m Menu, first Tray) (*tray, error) {
	icons, err := iconsOf(m.Icon)
	if err != nil {
		return nil, err
	}
	if runtime.GOOS == "windows" {
		for level, icon := range icons {
			icons[level] = ico(icon)
		}
	}
	t := &tray{Menu: m, icons: icons}
	log.SetFlags(0) // the library's own messages; everything else uses slog
	log.SetOutput(libraryLog{m.Log})
	systray.SetTitle(m.Title)
	systray.SetOnTapped(m.Open)
	return t, start(func() {
		t.menu()
		t.update(first)
	})
}

// menu builds the menu once; later only its entries change.
func (t *tray) menu() {
	t.entry("Open "+t.Title, t.Open)
	systray.AddSeparator()
	t.head = t.entry("", nil)
	t.head.Disable()
	for i := range t.worst {
		t.worst[i] = systray.AddMenuItem("", "")
		clicks := t.worst[i].ClickedCh
		t.Tasks.Keep("tray", func(context.Context) { t.follow(i, clicks) })
	}
	systray.AddSeparator()
	pause := systray.AddMenuItemCheckbox("Pause notices", "", false)
	t.Tasks.Keep("tray", func(context.Context) {
		for range pause.ClickedCh {
			if pause.Checked() {
				pause.Uncheck()
			} else {
				pause.Check()
			}
			t.Pause(pause.Checked())
		}
	})
	t.entry("Quit", t.Quit)
}

// entry adds an entry to the menu; a click on it calls do, unless do is nil.
func (t *tray) entry(text string, do func()) *systray.MenuItem {
	item := systray.AddMenuItem(text, "")
	if do != nil {
		t.Tasks.Keep("tray", func(context.Context) {
			for range item.ClickedCh {
				do()
			}
		})
	}
	return item
}

// follow opens the link of entry i when it is clicked.
func (t *tray) follow(i int, clicks <-chan struct{}) {
	for range clicks {
		t.mu.Lock()
		link := ""
		if i < len(t.current.Worst) {
			link = t.current.Worst[i].Link
		}
		t.mu.Unlock()
		if link != "" {
			t.Link(link)
		}
	}
}

func (t *tray) update(now Tray) {
	t.mu.Lock()
	t.current = now
	t.mu.Unlock()
	systray.SetIcon(t.icons[now.Level])
	systray.SetTooltip(t.Title + ": " + now.Text)
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

// label escapes text for a menu: it doubles the character that marks a shortcut
// key.
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

// libraryLog logs the library's messages, a line at a time.
type libraryLog struct{ log *slog.Logger }

func (l libraryLog) Write(line []byte) (int, error) {
	l.log.Warn("the desktop's tray shows no icon, or an old one", "err", strings.TrimSpace(string(line)))
	return len(line), nil
}
