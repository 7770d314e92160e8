//go:build window

package desktop

import (
	"fmt"
	"strconv"
	"testing"
	"time"
)

// chartHeight returns the height in pixels of the worst alert's chart; 0 if it is not
// drawn.
const chartHeight = `named('region', 'Selected alert')?.querySelector('canvas')?.clientHeight ?? 0`

func TestOverviewDrawsTheChartOfTheWorstAlert(t *testing.T) {
	a := open(t, desk(t), t.TempDir())
	a.page.until("the page has its tabs", `!!named('button', 'New tab')`, "true")
	a.page.until("the page has the keyboard", `document.hasFocus()`, "true")
	a.press("ctrl+k")
	a.page.until("Ctrl+K opens the command palette", dialogOpen, "true")
	a.page.until("the palette has the keyboard", command, "true")
	a.typeText("Overview")
	a.press("Return")
	var height string
	var err error
	eventually(t, 2*time.Minute, func() bool { // the demo creates its history first
		height, err = a.page.eval(chartHeight)
		pixels, _ := strconv.Atoi(height)
		return pixels > 100
	}, func() string { return fmt.Sprintf("the chart is %q pixels high (%v), want more than 100", height, err) })
}
