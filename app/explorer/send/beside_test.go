package send

import (
	"fmt"
	"strings"
	"testing"
)

func TestPanicIsRethrownWhereTheTaskIsAwaited(t *testing.T) {
	ran := false
	beside(func() { ran = true })()
	if !ran {
		t.Error("it was not waited for")
	}
	defer func() {
		why := fmt.Sprint(recover())
		if !strings.HasPrefix(why, "boom\n") || !strings.Contains(why, "beside_test.go") {
			t.Errorf("got %q; want boom, and where it was", why)
		}
	}()
	beside(func() { panic("boom") })()
	t.Error("the panic was lost")
}
