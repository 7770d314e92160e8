package shell

import (
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"

	"spyglass/backend/service"
)

// Native gives a page access to the desktop. The zero value has no window: it
// opens links, and everything else returns ErrNoWindow.
type Native struct {
	mu   sync.Mutex
	acts acts // nil while there is no window
}

// acts is implemented by a window.
type acts interface {
	saveFile(name string) (path string, err error)
	chooseFolder(title string) (path string, err error)
	setClipboard(text string) error
	toggleFullScreen()
	setTitle(title string)
	quit()
}

// attach sets n's window; nil removes it.
func (n *Native) attach(a acts) {
	if n == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.acts = a
}

func (n *Native) window() (acts, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.acts == nil {
		return nil, ErrNoWindow
	}
	return n.acts, nil
}

// HasWindow reports whether methods other than OpenLink are available now.
func (n *Native) HasWindow() bool {
	_, err := n.window()
	return err == nil
}

// SaveFile opens a save dialog, with name as the suggestion, and returns the
// chosen path; "" if the user cancels. It blocks until the dialog closes.
func (n *Native) SaveFile(name string) (path string, err error) {
	w, err := n.window()
	if err != nil {
		return "", err
	}
	return w.saveFile(filepath.Base(name))
}

// ChooseFolder opens a dialog that selects or creates a folder, and returns its path; ""
// if the user cancels. It blocks until the dialog closes.
func (n *Native) ChooseFolder(title string) (path string, err error) {
	w, err := n.window()
	if err != nil {
		return "", err
	}
	return w.chooseFolder(title)
}

// SetClipboard puts text on the clipboard.
func (n *Native) SetClipboard(text string) error {
	w, err := n.window()
	if err != nil {
		return err
	}
	return w.setClipboard(text)
}

// ToggleFullScreen switches the window to full screen, or back.
func (n *Native) ToggleFullScreen() error {
	w, err := n.window()
	if err != nil {
		return err
	}
	w.toggleFullScreen()
	return nil
}

// SetTitle sets the title of the window.
func (n *Native) SetTitle(title string) error {
	w, err := n.window()
	if err != nil {
		return err
	}
	w.setTitle(title)
	return nil
}

// Quit closes the window, as its close button does.
func (n *Native) Quit() error {
	w, err := n.window()
	if err != nil {
		return err
	}
	w.quit()
	return nil
}

// OpenLink opens an http or https address in the system's browser. It refuses any
// other address, because it could start a program.
func (n *Native) OpenLink(link string) error {
	link, err := webAddress(link)
	if err != nil {
		return err
	}
	name, args := opener(runtime.GOOS, link)
	path, err := exec.LookPath(name)
	if err != nil {
		return fmt.Errorf("there is no %s to open a browser with: open %s yourself", name, link)
	}
	cmd := exec.Command(path, args...)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("the browser did not open: %w", err)
	}
	reap(cmd)
	return nil
}

// reap waits in the background for a started program to exit.
func reap(cmd *exec.Cmd) {
	new(service.Group).Go("another program", func() { _ = cmd.Wait() })
}

// webAddress returns link in its canonical form, if it is a web address.
func webAddress(link string) (string, error) {
	u, err := url.Parse(link)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", errors.New("only http and https links can be opened")
	}
	return u.String(), nil
}

// opener returns the command that opens link in the default browser.
func opener(goos, link string) (name string, args []string) {
	switch goos {
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler", link}
	case "darwin":
		return "open", []string{link}
	default:
		return "xdg-open", []string{link}
	}
}
