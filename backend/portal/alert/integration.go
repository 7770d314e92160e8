package alert

import (
	"encoding/json"
	"net/mail"
	"net/url"
	"slices"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/loopback"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// integrationRows names the rows of Integration.
const integrationRows resource.Name[*Integration] = "integration"

// Integration delivers notifications: a mail server or a web hook.
type Integration struct {
	ID           int64
	Name         string
	Description  string
	Type         string
	Host         string
	Port         int64
	Security     string
	Username     string
	Password     string // sealed
	From         string
	URL          string
	Method       string
	Headers      []resource.Property
	SecretHeader string
	Secret       string // sealed
	Payload      string // template of the body; empty for the default body
	SigningKey   string // sealed
	SendInClear  bool   // may send secrets and signed bodies to another machine over http://
	GroupAbove   int64
	GroupWait    int64 // seconds
}

// The types of integration.
const (
	IntegrationSMTP = "smtp"
	IntegrationHTTP = "http"
)

// Integrations declares /setting/integrations.
var Integrations = resource.Resource[*Integration]{
	Name: integrationRows, Label: "integration", Sample: 3, Path: "/setting/integrations",
	Category: ground.CategorySettings, Object: resource.Setting, Area: ground.AreaAlerting,
	Doc: "A channel for notifications: the mail server that sends them, or a webhook that recipients name as their " +
		"method.",
	Fields: []resource.Field[*Integration]{
		{Name: "id", At: func(i *Integration) any { return &i.ID }, Doc: "Set by the portal", ReadOnly: true,
			Example: 2},
		{Name: "name", At: func(i *Integration) any { return &i.Name }, Doc: "Unique; recipients name it as their " +
			"method",
			Required: true, MaxLen: 64, Index: true, Example: "on-call"},
		{Name: "description", At: func(i *Integration) any { return &i.Description }, Doc: "Its purpose",
			MaxLen:  4000,
			Example: "Calls the on-call engineer"},
		{Name: "type", At: func(i *Integration) any { return &i.Type }, Doc: "smtp, a mail server, or http, a webhook",
			Required: true, OneOf: []any{IntegrationSMTP, IntegrationHTTP}, Example: IntegrationHTTP},
		{Name: "host", At: func(i *Integration) any { return &i.Host }, Doc: "smtp: name or address of the mail server",
			MaxLen: 255},
		{Name: "port", At: func(i *Integration) any { return &i.Port }, Doc: "smtp: its port", Default: 587,
			Min: resource.Bound(1), Max: resource.Bound(65_535)},
		{Name: "security", At: func(i *Integration) any { return &i.Security },
			Doc: "smtp: starttls, tls from the first byte, or none", Default: "starttls",
			OneOf: []any{"starttls", "tls", "none"}},
		{Name: "username", At: func(i *Integration) any { return &i.Username },
			Doc: "smtp: user name to sign in with; empty: no sign-in", MaxLen: 255},
		{Name: "password", At: func(i *Integration) any { return &i.Password }, Doc: "smtp: the password; never shown",
			WriteOnly: true, Sealed: true},
		{Name: "from", At: func(i *Integration) any { return &i.From }, Doc: "smtp: sender address of notifications",
			MaxLen: 255},
		{Name: "url", At: func(i *Integration) any { return &i.URL },
			Doc:    "http: where notices are sent, http or https",
			MaxLen: 2048, Example: "https://duty.example.net/hooks/spyglass"},
		{Name: "method", At: func(i *Integration) any { return &i.Method }, Doc: "http: the method", Default: "POST",
			OneOf: []any{"POST", "PUT"}},
		{Name: "headers", At: func(i *Integration) any { return &i.Headers },
			Doc: "http: additional headers; put a secret into secret", Default: []resource.Property{},
			Example: []resource.Property{{Name: "X-Team", Value: "network"}}},
		{Name: "secretHeader", At: func(i *Integration) any { return &i.SecretHeader },
			Doc: "http: the header that carries the secret", Default: "Authorization", MaxLen: 64},
		{Name: "secret", At: func(i *Integration) any { return &i.Secret },
			Doc: "http: value of that header, Bearer included; never shown", WriteOnly: true, Sealed: true,
			MaxLen:  4096,
			Example: "Bearer example"},
		{Name: "payload", At: func(i *Integration) any { return &i.Payload },
			Doc: "http: the JSON that is sent, ##TOKENS## as in the text of an alert, and ##EVENT##, ##SUBJECT##, " +
				"##BODY##, " +
				"##RECIPIENT##; empty for the usual one", MaxLen: 65_536,
			Example: `{"text":"##SUBJECT##","state":"##EVENT##"}`},
		{Name: "signingKey", At: func(i *Integration) any { return &i.SigningKey },
			Doc: "http: each body is signed with it, see X-Spyglass-Signature; never shown", WriteOnly: true,
			Sealed: true,
			MaxLen: 255},
		{Name: "sendInClear", At: func(i *Integration) any { return &i.SendInClear }, Doc: ground.SendInClearDoc},
		{Name: "groupAbove", At: func(i *Integration) any { return &i.GroupAbove }, Default: 10, Min: resource.Bound(0),
			Max: resource.Bound(1000),
			Doc: "How many notifications a recipient gets individually within groupWait; the rest are combined into " +
				"one digest. 0: no digest"},
		{Name: "groupWait", At: func(i *Integration) any { return &i.GroupWait },
			Doc: "Seconds for which notices beyond groupAbove are collected", Default: 30, Min: resource.Bound(0),
			Max: resource.Bound(3600)},
	},
	Unique: [][]string{{"name"}},
	Check: func(w *resource.Write, was, now *Integration) error {
		now.Name = strings.TrimSpace(now.Name)
		if slices.Contains([]string{ByEmail, BySMSEmail, "sms", "voice"}, strings.ToLower(now.Name)) {
			return fault.At("name", "name: %s is the name of a built-in method", now.Name)
		}
		if was != nil {
			if err := now.keepsSecrets(w, was); err != nil {
				return err
			}
		}
		if now.Type == IntegrationSMTP {
			return now.checkMail()
		}
		if err := now.checkHook(); err != nil {
			return err
		}
		if now.Secret == "" && now.SigningKey == "" {
			return nil
		}
		if was != nil && was.Type == now.Type && was.URL == now.URL && was.SendInClear == now.SendInClear &&
			!w.Given("secret") && !w.Given("signingKey") {
			return nil // stored before consent was required
		}
		return loopback.CheckConsent(now.URL, "the secret", now.SendInClear)
	},
	After: func(w *resource.Write, was, now *Integration) error {
		if was == nil || was.Name == now.Name {
			return nil
		}
		return changeRecipients(w, func(r *Recipient) bool {
			if !strings.EqualFold(r.Method, was.Name) || r.Is("GROUP") {
				return false
			}
			r.Method = now.Name
			return true
		})
	},
	Remove: func(w *resource.Write, i *Integration) error {
		return refuseWhileNotified(w, "through the integration "+i.Name,
			func(r *Recipient) bool { return !r.Is("GROUP") && strings.EqualFold(r.Method, i.Name) })
	},
}

// keepsSecrets refuses to keep a stored secret when its destination changes: a
// user who may change the destination need not know the secret, and could
// otherwise receive it there.
func (i *Integration) keepsSecrets(w *resource.Write, was *Integration) error {
	if was.Password != "" && !w.Given("password") &&
		(i.Host != was.Host || i.Port != was.Port || i.Security != was.Security || i.Type != was.Type) {
		return fault.At("password",
			"password is required again, because the mail server has changed; send an empty text for none")
	}
	if was.Secret != "" && !w.Given("secret") && (i.URL != was.URL || i.SecretHeader != was.SecretHeader ||
		i.Type != was.Type) {
		return fault.At("secret",
			"secret is required again, because the address has changed; send an empty text for none")
	}
	if was.SigningKey != "" && !w.Given("signingKey") && (i.URL != was.URL || i.Type != was.Type) {
		return fault.At("signingKey",
			"signingKey is required again, because the address has changed; send an empty text for none")
	}
	return nil
}

func (i *Integration) checkMail() error {
	from, err := mail.ParseAddress(i.From)
	switch {
	case i.Host == "" || strings.ContainsAny(i.Host, " /\\\"'<>@"):
		return fault.At("host", "host must be the name or address of a mail server")
	case err != nil || from.Address == "":
		return fault.At("from", "from is not a valid email address")
	case i.Username != "" && i.Security == "none" && i.Password != "":
		return fault.At("security", "security must be starttls or tls, because a password is sent")
	}
	return nil
}

func (i *Integration) checkHook() error {
	u, err := url.Parse(i.URL)
	if err != nil || i.URL == "" || !ground.IsWebLink(i.URL) {
		return fault.At("url", "url must be a webhook address that begins with http:// or https://")
	}
	if u.User != nil {
		return fault.At("url", "url must not contain a user and password; put them into secret, as Basic …")
	}
	if !isHeader(i.SecretHeader) {
		return fault.At("secretHeader", "secretHeader must be the name of a header")
	}
	if strings.ContainsAny(i.Secret, "\r\n") {
		return fault.At("secret", "secret must be one line of text")
	}
	if i.Payload != "" && !json.Valid([]byte(tokens.ReplaceAllString(i.Payload, "x"))) {
		return fault.At("payload", "payload is not valid JSON; use ##TOKENS## inside its strings only")
	}
	for _, h := range i.Headers {
		switch name := strings.ToLower(h.Name); {
		case !isHeader(name) || strings.ContainsAny(h.Value, "\r\n"):
			return fault.At("headers", "headers: %q is not a valid one-line header", h.Name)
		case slices.Contains([]string{"host", "content-length", "transfer-encoding", "connection"}, name):
			return fault.At("headers", "headers: %s is set automatically", h.Name)
		case name == "authorization" || name == "cookie" || resource.SecretName(h.Name) || strings.EqualFold(h.Name,
			i.SecretHeader):
			return fault.At("headers", "headers: %s carries a secret; use secretHeader and secret, which are kept "+
				"encrypted",
				h.Name)
		}
	}
	return nil
}

// isHeader reports whether name is a token of RFC 9110, 5.6.2: letters, digits
// and some punctuation.
func isHeader(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("!#$%&'*+-.^_`|~", r))
	})
}
