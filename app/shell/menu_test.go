package shell

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/wailsapp/wails/v2/pkg/menu"
)

func TestOnlyMacOSHasAMenuBar(t *testing.T) {
	if bar := applicationMenu("linux", nil); bar != nil {
		t.Errorf("on Linux the menu bar is %+v", bar)
	}
	var labels []string
	for _, m := range applicationMenu("darwin", nil).Items {
		labels = append(labels, m.Label)
	}
	// The menus without a label have a role: application, Edit and Window.
	if want := []string{"", "File", "", "View", "", "Help"}; !slices.Equal(labels, want) {
		t.Errorf("the menus are %q, want %q", labels, want)
	}
}

func TestItemsOfTheMenuBarRunCommandsOfThePage(t *testing.T) {
	source, err := os.ReadFile("../../frontend/src/commands.ts")
	if err != nil {
		t.Fatal(err)
	}
	var chosen string
	taken := map[string]string{} // items by keys
	for _, m := range applicationMenu("darwin", func(command string) { chosen = command }).Items {
		if m.SubMenu == nil {
			continue // a role
		}
		for _, item := range m.SubMenu.Items {
			if item.Type == menu.SeparatorType {
				continue
			}
			item.Click(nil)
			if !strings.Contains(string(source), "id: '"+chosen+"',") {
				t.Errorf("%s runs %q, which the page does not have", item.Label, chosen)
			}
			if k := item.Accelerator; k != nil {
				keys := strings.Join(append([]string{k.Key}, modifiers(item)...), "+")
				if other := taken[keys]; other != "" {
					t.Errorf("%s and %s have the same keys", other, item.Label)
				}
				taken[keys] = item.Label
			}
		}
	}
	if len(taken) < 10 {
		t.Errorf("%d items have keys: %v", len(taken), taken)
	}
}

func modifiers(item *menu.MenuItem) (all []string) {
	for _, m := range item.Accelerator.Modifiers {
		all = append(all, string(m))
	}
	slices.Sort(all)
	return all
}
