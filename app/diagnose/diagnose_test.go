package diagnose

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestWriterKeepsTheLastLinesAndForwardsAll(t *testing.T) {
	var out bytes.Buffer
	tail := NewTail(slog.NewTextHandler(&out, nil))
	log := slog.New(tail)
	log.Debug("unheard")
	log.Warn("first", "at", 1)
	for i := range mostLines - 1 {
		log.With("of", "many").Info(fmt.Sprint("line ", i))
	}
	log.WithGroup("disk").Error("second", "long", strings.Repeat("x", mostBytes))

	if got := strings.Count(out.String(), "\n"); got != mostLines+1 {
		t.Errorf("%d lines were passed on, want %d", got, mostLines+1)
	}
	kept := strings.Split(strings.TrimSuffix(string(tail.Log()), "\n"), "\n")
	if len(kept) != mostLines || !strings.HasSuffix(kept[0], `msg="line 0" of=many`) ||
		!strings.Contains(kept[mostLines-1], "msg=second disk.long=xxx") {
		t.Errorf("%d lines are kept, the first %q", len(kept), kept[0])
	}
	troubles := strings.Split(strings.TrimSuffix(string(tail.Troubles()), "\n"), "\n")
	if len(troubles) != 2 || !strings.HasSuffix(troubles[0], "level=WARN msg=first at=1") ||
		len(troubles[1]) > mostBytes+3 {
		t.Errorf("the troubles are %q", troubles)
	}
}
