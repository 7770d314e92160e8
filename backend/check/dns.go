package check

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/miekg/dns" // the standard library only queries the system's name servers, and does not support SOA
)

// recordTypes lists the types that can be queried.
var recordTypes = []string{"A", "AAAA", "MX", "TXT", "NS", "CNAME", "SOA", "PTR"}

func dnsCheck(d *Dialer) Check {
	return Check{
		Name: "dns", Title: "DNS", PublishedName: "dns",
		Needs: &Need{Property: "dns.name", Label: "Name to resolve", Example: "example.net"},
		Doc:   "The responses of a device as a name server.",
		Attributes: []Setting{
			{"host", "the name to look up; for PTR also an address"},
			{"type", strings.Join(recordTypes, ", ") + "; A unless given"},
			{"port", "53 unless given"}, {"timeout", "how long to wait, in milliseconds; 5000 unless given"},
		},
		Fields: []Setting{{"responseTime", "response time, in milliseconds"},
			{"answers", "records of that type in the response; 0 if the name does not exist"}},
		Run: func(ctx context.Context, t *Task) (Values, error) {
			ctx, cancel, err := t.within(ctx, 5*time.Second)
			if err != nil {
				return nil, err
			}
			defer cancel()
			question, err := questionOf(t)
			if err != nil {
				return nil, err
			}
			address, err := target(t.Host, t.Attribute("port", ""), 53)
			if err != nil {
				return nil, err
			}
			began := time.Now()
			response, err := d.query(ctx, "udp", address, question)
			if err == nil && response.Truncated {
				response, err = d.query(ctx, "tcp", address, question)
			}
			if errors.Is(err, errRefused) {
				return nil, errRefused
			}
			if err != nil {
				return nil, fmt.Errorf("%s does not respond as a name server: %w", address, err)
			}
			if response.Rcode != dns.RcodeSuccess && response.Rcode != dns.RcodeNameError {
				return nil, &Failure{Text: fmt.Sprintf("%s returned %s", address, dns.RcodeToString[response.Rcode]),
					Responded: true}
			}
			out := Values{"responseTime": millis(began), "answers": 0}
			for _, record := range response.Answer {
				if record.Header().Rrtype == question.Question[0].Qtype {
					out["answers"]++
				}
			}
			return out, nil
		},
	}
}

// questionOf returns the DNS query of the task.
func questionOf(t *Task) (*dns.Msg, error) {
	name, kind := t.Attribute("host", ""), strings.ToUpper(t.Attribute("type", "A"))
	if !slices.Contains(recordTypes, kind) {
		return nil, fmt.Errorf("the type must be %s, not %q", strings.Join(recordTypes, ", "), kind)
	}
	if _, err := netip.ParseAddr(name); err == nil && kind == "PTR" {
		if name, err = dns.ReverseAddr(name); err != nil {
			return nil, err
		}
	}
	if _, ok := dns.IsDomainName(name); !ok || name == "" {
		return nil, fmt.Errorf("the host is %q, which is not a valid name", name)
	}
	return new(dns.Msg).SetQuestion(dns.Fqdn(name), dns.StringToType[kind]), nil
}

// query sends one query. It ends when ctx ends.
func (d *Dialer) query(ctx context.Context, network, address string, question *dns.Msg) (*dns.Msg, error) {
	conn, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	client := dns.Client{Timeout: time.Hour} // ctx ends sooner
	response, _, err := client.ExchangeWithConnContext(ctx, question, &dns.Conn{Conn: conn})
	if ctx.Err() != nil { // whichever ended first, the name server did not respond
		return nil, &net.OpError{Op: "read", Net: network, Addr: conn.RemoteAddr(), Err: ctx.Err()}
	}
	return response, err
}
