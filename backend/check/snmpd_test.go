package check_test

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"spyglass/backend/check"
)

// snmpd starts Debian's SNMP agent with the community and the user of the other
// tests, and returns its port.
func snmpd(t *testing.T) (port string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("this agent runs on Linux; the others of these tests run everywhere")
	}
	const program = "/usr/sbin/snmpd"
	if _, err := os.Stat(program); err != nil {
		t.Fatal("snmpd is missing: apt-get install snmpd, or go run ./build test go, which installs it")
	}
	free, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ = net.SplitHostPort(free.LocalAddr().String())
	_ = free.Close()
	folder := t.TempDir()
	conf := filepath.Join(folder, "snmpd.conf")
	if err := os.WriteFile(conf, []byte("rocommunity harbour\ncreateUser spyglass SHA-256 hazel-otter-41 AES "+
		"teal-anchor-30\nrouser spyglass priv\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), program, "-f", "-Lo", "-C", "-c", conf, "-p", filepath.Join(folder, "pid"),
		"udp:127.0.0.1:"+port)
	run.Env = append(os.Environ(), "SNMP_PERSISTENT_DIR="+folder)
	said, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	ready := make(chan struct{})
	go func() {
		defer close(ended)
		begun := false
		for lines := bufio.NewScanner(said); lines.Scan(); {
			if !begun && strings.Contains(lines.Text(), "NET-SNMP version") {
				begun = true
				close(ready)
			}
		}
	}()
	t.Cleanup(func() {
		_ = run.Process.Kill()
		<-ended
		_ = run.Wait()
	})
	select {
	case <-ready:
	case <-ended:
		t.Fatal("snmpd ended at once")
	}
	return port
}

func TestSNMPUnderstandsDebiansAgent(t *testing.T) {
	port := snmpd(t)
	const upTime, packets = ".1.3.6.1.2.1.1.3.0", ".1.3.6.1.2.1.11.1.0"
	for _, properties := range [][]string{
		{"snmp.version", "v1", "snmp.community", "harbour"}, {"snmp.community", "harbour"}, user,
	} {
		properties = append([]string{"snmp.port", port}, properties...)
		name := fmt.Sprint(properties[2:])
		task := check.Task{Method: "snmp", Host: "127.0.0.1", Fields: []string{upTime, packets},
			Attributes: attributes("timeout", "9000"), Properties: attributes(properties...)}
		got, err := look(t, &check.Dialer{}, task)
		if err != nil || len(got) != 2 || got[packets] < 1 {
			t.Errorf("%s: got %v (%v)", name, got, err)
		}
		found, err := check.Discoverers(check.All(&check.Dialer{}))["snmp"].Discover(t.Context(), check.Search{
			Host: "127.0.0.1", Attributes: map[string]any{"name": "snmp", "discoveryType": "wildcard",
				"OID": ".1.3.6.1.2.1.2.2.1.2"}, Properties: task.Properties,
		})
		if err != nil || !slices.ContainsFunc(found, func(f check.Found) bool { return f.DisplayName == "lo" }) {
			t.Errorf("%s: the interfaces are %v (%v)", name, found, err)
		}
	}
	stranger := check.Task{Method: "snmp", Host: "127.0.0.1", Fields: []string{upTime},
		Attributes: attributes("timeout", "900"), Properties: attributes("snmp.port", port, "snmp.community",
			"kestrel-osl")}
	if got, err := look(t, &check.Dialer{}, stranger); err == nil ||
		!strings.Contains(err.Error(), "no SNMP agent responds at 127.0.0.1:"+port) {
		t.Errorf("another community gets %v (%v)", got, err)
	}
}
