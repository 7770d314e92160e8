package notify

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"time"

	// go-mail (MIT) supports SMTP with STARTTLS, authentication and MIME; the
	// standard library's net/smtp is frozen.
	smtp "github.com/wneessen/go-mail"

	"spyglass/backend/portal/alert"
)

// mailer sends mail through an integration of type smtp.
type mailer struct{ *Service }

func (m mailer) send(ctx context.Context, i *alert.Integration, d *alert.Delivery) error {
	message, err := m.message(i, d)
	if err != nil {
		return refused{err}
	}
	file, err := m.attachment(ctx, d)
	if err != nil {
		return err
	}
	limit := attempt
	if file != nil {
		limit = carrying
		message.SetAttachments([]*smtp.File{{Name: file.Name, ContentType: smtp.ContentType(file.Type),
			Header: textproto.MIMEHeader{}, Writer: file.Write}})
	}
	client, err := m.client(i, limit)
	if err != nil {
		return refused{err}
	}
	return judged(client.DialAndSendWithContext(ctx, message), i.Host, message.IsDelivered())
}

func (m mailer) client(i *alert.Integration, limit time.Duration) (*smtp.Client, error) {
	trust := &tls.Config{ServerName: i.Host, MinVersion: tls.VersionTLS12, RootCAs: m.o.Roots}
	options := []smtp.Option{
		smtp.WithPort(int(i.Port)), smtp.WithTimeout(limit), smtp.WithDialContextFunc(m.o.Dial),
		smtp.WithTLSConfig(trust),
	}
	switch i.Security {
	case "tls":
		options = append(options, smtp.WithSSL(), smtp.WithDialContextFunc(m.secure(trust)))
	case "none":
		options = append(options, smtp.WithTLSPolicy(smtp.NoTLS))
	default:
		options = append(options, smtp.WithTLSPolicy(smtp.TLSMandatory))
	}
	if i.Username != "" {
		options = append(options, smtp.WithSMTPAuth(smtp.SMTPAuthAutoDiscover), smtp.WithUsername(i.Username),
			smtp.WithPassword(i.Password))
	}
	return smtp.NewClient(i.Host, options...)
}

// secure returns a dialer for connections with TLS from the first byte.
func (m mailer) secure(trust *tls.Config) smtp.DialContextFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		raw, err := m.o.Dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		conn := tls.Client(raw, trust)
		if err := conn.HandshakeContext(ctx); err != nil {
			return nil, errors.Join(err, raw.Close())
		}
		return conn, nil
	}
}

func (m mailer) message(i *alert.Integration, d *alert.Delivery) (*smtp.Msg, error) {
	message := smtp.NewMsg()
	if err := message.From(i.From); err != nil {
		return nil, fmt.Errorf("the integration %s has no valid sender address: %w", i.Name, err)
	}
	if err := message.To(d.Address); err != nil {
		return nil, fmt.Errorf("%s is not a valid email address: %w", d.Address, err)
	}
	message.Subject(d.Subject)
	message.SetMessageIDWithValue(d.Key + "@spyglass")
	message.SetDateWithValue(time.Unix(int64(d.CreatedOn), 0))
	message.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: prevents out-of-office replies
	message.SetUserAgent("Spyglass/" + m.o.Version)
	text := d.Body
	if page := m.o.page(d.AlertID); page != "" {
		text += "\n\n" + page
	}
	message.SetBodyString(smtp.TypeTextPlain, text+"\n\n-- \n"+m.o.Name()+"\n")
	return message, nil
}

// judged classifies an error: as permanent if the server refuses the mail, or as
// unsent if it certainly has not accepted it. After any other error it may have
// accepted it.
func judged(err error, host string, delivered bool) error {
	if err == nil {
		return nil
	}
	var sent *smtp.SendError
	if errors.As(err, &sent) && !sent.IsTemp() && sent.ErrorCode() >= 500 {
		return refused{fmt.Errorf("%s rejected the email: %w", host, err)}
	}
	answered := sent == nil || sent.ErrorCode() > 0 // without a code the transfer did not begin
	err = fmt.Errorf("%s did not accept the email: %w", host, err)
	if answered && !delivered {
		return unsent{err}
	}
	return err
}
