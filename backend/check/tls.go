package check

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"time"
)

func tlsCheck(d *Dialer) Check {
	return Check{
		Name: "tls", Title: "TLS certificate",
		Needs: &Need{Property: "tls.host", Label: "Host name", Example: "shop.example.net"},
		Doc:   "The TLS certificate of a host.",
		Attributes: []Setting{{"host", "the name to request; empty: the device's"}, {"port", "default: 443"},
			{"timeout", "how long to wait, in milliseconds; 10000 unless given"}},
		Fields: []Setting{{"daysLeft", "days until the certificate expires"},
			{"valid", "1 when it is trusted, and for that name, else 0"}, {"handshakeTime", "time to agree on the " +
				"keys, in milliseconds"}},
		ConnectsTo: func(t *Task) string { return t.Attribute("host", t.Host) },
		Run: func(ctx context.Context, t *Task) (Values, error) {
			ctx, cancel, err := t.within(ctx, 10*time.Second)
			if err != nil {
				return nil, err
			}
			defer cancel()
			host := t.Attribute("host", t.Host)
			address, err := target(host, t.Attribute("port", ""), 443)
			if err != nil {
				return nil, err
			}
			raw, err := d.DialContext(ctx, "tcp", address)
			if err != nil {
				return nil, err
			}
			defer raw.Close()
			// The check reports certificate problems itself, and sends nothing.
			conn := tls.Client(raw, &tls.Config{
				ServerName: host, InsecureSkipVerify: true, //nolint:gosec // judged below
			})
			began := time.Now()
			if err := conn.HandshakeContext(ctx); err != nil {
				return nil, err
			}
			chain := conn.ConnectionState().PeerCertificates
			if len(chain) == 0 {
				return nil, &Failure{Text: "The host sent no certificate.", Responded: true}
			}
			doubt := judged(chain, host)
			values := Values{"handshakeTime": millis(began), "daysLeft": time.Until(chain[0].NotAfter).Hours() / 24,
				"valid": truth(doubt == nil)}
			if doubt != nil {
				return values, doubt
			}
			return values, nil
		},
	}
}

// judged returns why the system does not trust the certificate for that host now;
// nil if it does.
func judged(chain []*x509.Certificate, host string) *Failure {
	between := x509.NewCertPool()
	for _, c := range chain[1:] {
		between.AddCert(c)
	}
	_, err := chain[0].Verify(x509.VerifyOptions{DNSName: host, Intermediates: between})
	if err == nil {
		return nil
	}
	text := distrust(err)
	if text == "" {
		text = "The certificate is not trusted: " + plainly(err) + "."
	}
	return &Failure{Text: text, Responded: true}
}

func truth(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
