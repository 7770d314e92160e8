package shell

import (
	"github.com/wailsapp/wails/v2/pkg/menu"
	"github.com/wailsapp/wails/v2/pkg/menu/keys"
)

// entry is an item of the menu bar that runs a command of the page.
type entry struct {
	label   string // an ellipsis if a dialog follows; "" for a line
	command string // its id in the page's list
	keys    string // the command's default keys, as keys.Parse reads them; "" for none
}

// The menus that the page's commands fill, in the order of Apple's Human Interface
// Guidelines (The menu bar). The page receives keys first, and handles those it knows.
var (
	fileMenu = []entry{
		{"New Request", "request.new", "cmdorctrl+t"},
		{"Reopen Closed Tab", "tab.reopen", "cmdorctrl+shift+t"},
		{},
		{"Close Tab", "tab.close", "cmdorctrl+w"},
		{"Save Request…", "request.save", "cmdorctrl+s"},
		{},
		{"Import…", "exchange.import", ""},
		{"Export…", "exchange.export", ""},
		{},
		{"Settings…", "settings", "cmdorctrl+,"},
	}
	viewMenu = []entry{
		{"Monitor", "view.monitor", ""},
		{"Explorer", "view.api", ""},
		{"Command Palette…", "palette", "cmdorctrl+k"},
		{},
		{"Actual Size", "zoom.reset", "cmdorctrl+0"},
		{"Zoom In", "zoom.in", "cmdorctrl+="},
		{"Zoom Out", "zoom.out", "cmdorctrl+-"},
		{},
		{"Toggle Full Screen", "window.full", "ctrl+cmdorctrl+f"},
	}
	helpMenu = []entry{
		{"Take the Tour", "tour", ""},
		{"Keyboard Shortcuts", "keys", "cmdorctrl+/"},
	}
)

// applicationMenu returns the menu bar of macOS, without which ⌘C and similar keys do
// nothing there; nil on other systems, where the page has all commands. run receives
// the id of a chosen command.
func applicationMenu(system string, run func(command string)) *menu.Menu {
	if system != "darwin" {
		return nil
	}
	submenu := func(label string, entries []entry) *menu.MenuItem {
		items := menu.NewMenu()
		for _, e := range entries {
			items.Append(e.item(run))
		}
		return menu.SubMenu(label, items)
	}
	return menu.NewMenuFromItems(menu.AppMenu(), submenu("File", fileMenu), menu.EditMenu(),
		submenu("View", viewMenu), menu.WindowMenu(), submenu("Help", helpMenu))
}

func (e entry) item(run func(command string)) *menu.MenuItem {
	if e.command == "" {
		return menu.Separator()
	}
	var keysOf *keys.Accelerator
	if e.keys != "" {
		var err error
		if keysOf, err = keys.Parse(e.keys); err != nil {
			panic(err) // the table is wrong
		}
	}
	return menu.Text(e.label, keysOf, func(*menu.CallbackData) { run(e.command) })
}
