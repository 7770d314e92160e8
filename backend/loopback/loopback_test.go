package loopback_test

import (
	"testing"

	"spyglass/backend/fault"
	"spyglass/backend/loopback"
)

func TestLoopbackIsOnlyThisMachine(t *testing.T) {
	for host, want := range map[string]bool{
		"127.0.0.1": true, "127.0.0.0": true, "127.255.255.254": true, "::1": true, "0:0:0:0:0:0:0:1": true,
		"::ffff:127.0.0.1": true, "::ffff:7f00:1": true, "localhost": true, "LocalHost": true, "localhost.": true,

		"": false, ".": false, "0.0.0.0": false, "::": false, "::ffff:0.0.0.0": false, "128.0.0.1": false,
		"126.255.255.255": false,
		"10.0.0.1":        false, "::2": false, "fe80::1": false, "::127.0.0.1": false, "64:ff9b::127.0.0.1": false,
		"2002:7f00:1::": false,
		"localhost..":   false, "localhost.example.net": false, "localhost.localdomain": false, "localhosts": false,
		"localhost-1":   false,
		"app.localhost": false, "example.localhost.": false, "127.0.0.1.example.net": false, "127.0.0.1.": false,
		"localhost ": false,
		" 127.0.0.1": false, "localhost\x00": false, "ⅼocalhost": false, "１２７.0.0.1": false,
		"127.0.0.1:80": false, "localhost:80": false, "[::1]": false, "[::1]:80": false, "::1%lo": false,
		"::1%eth0":              false,
		"::ffff:127.0.0.1%eth0": false, "fe80::1%lo": false, "127.0.0.1/8": false, "127.0.0.1@example.net": false,
		"2130706433": false, "0x7f000001": false, "0x7f.0.0.1": false, "017700000001": false, "0177.0.0.1": false,
		"127.1": false, "127.0.0.01": false,
	} {
		if got := loopback.Host(host); got != want {
			t.Errorf("Host(%q) = %v, want %v", host, got, want)
		}
	}
}

func TestUnencryptedIsHTTPToAnotherMachine(t *testing.T) {
	for address, want := range map[string]bool{
		"": false, "https://example.net/x": false, "HTTPS://example.net": false, "http://127.0.0.1:8080/x": false,
		"http://[::1]:80/":           false,
		"http://[::ffff:127.0.0.1]/": false, "http://localhost": false, "http://LOCALHOST.:80/": false,
		"https://0.0.0.0":    false,
		"http://example.net": true, "HTTP://example.net": true, "http://0.0.0.0:80": true, "http://[::]": true,
		"http://[::1%25eth0]/": true,
		"http://2130706433/":   true, "http://0177.0.0.1/": true, "http://app.localhost/": true,
		"http://localhost.example.net":  true,
		"http://localhost@example.net/": true, "ftp://example.net": true, "//example.net": true, "http://[": true,
		"http://127.0.0.1.:80": true,
	} {
		if got := loopback.InClear(address); got != want {
			t.Errorf("InClear(%q) = %v, want %v", address, got, want)
		}
	}
}

func TestUnencryptedSecretNeedsConsent(t *testing.T) {
	err := loopback.CheckConsent("http://example.net", "the secret", false)
	const want = "http://example.net would get the secret in clear text over http://. Use https://, or turn on Send " +
		"in clear text over http://."
	if f := fault.Of(err); err == nil || f.Field != "sendInClear" || f.Message != want {
		t.Errorf("without consent: %v", err)
	}
	for address, consented := range map[string]bool{"http://example.net": true, "https://example.net": false,
		"http://127.0.0.1": false} {
		if err := loopback.CheckConsent(address, "the secret", consented); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
}
