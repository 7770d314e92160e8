// Package localca is a certificate authority for one data folder: it issues the
// certificate with which a portal serves HTTPS on this machine.
//
// Open loads the authority, or creates it. Its own certificate can only certify
// servers, and only for localhost, loopback addresses and the given names: a critical
// name constraint (RFC 5280, 4.2.1.10), so that a computer that trusts it is not at risk
// on any other site. A name that the constraint does not cover needs a new authority,
// which has to be trusted again; a name that is left out does not.
//
// Read returns the certificate of the authority without its key, for programs that trust
// it. Hosts says whether the hosts file leads a name to this machine.
//
// # Secrets
//
// The key of the authority is in the system keyring, or else in a file that only the
// user can read. The key of the server's certificate is in memory only. Neither is in a
// backup: another machine creates an authority of its own.
//
// # Units and shapes
//
// Names are host names in lower case, without a trailing dot, a port or a wildcard.
//
// # Concurrency
//
// An Authority is safe for concurrent use. It starts no goroutines: a certificate is
// renewed by the first handshake that needs a new one.
//
// # Errors
//
// fault.Invalid, with the field names: a name that no certificate can be for.
// fault.Offline: the keyring that holds the key does not respond. fault.Conflict: the
// key cannot be used, or the folder cannot be written.
package localca

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/private"
)

const (
	// Folder is the folder of the authority in a data folder.
	Folder = "https"

	certFile = "authority.crt"
	keyFile  = "authority.key" // only without a keyring

	lifetime     = 10 * 365 * 24 * time.Hour // of the authority
	leafLifetime = 90 * 24 * time.Hour       // of the server's certificate; Apple accepts up to 825 days
	renewBefore  = 30 * 24 * time.Hour
	skew         = time.Hour // clocks that are behind
)

// Keys stores the key of an authority outside of the data folder.
type Keys interface {
	Available() (ok bool, why string)
	Get(account string) (string, error)      // fault.Unknown if there is none
	Set(account, secret string) (lasts bool) // lasts: it outlives the process
	Delete(account string) error
}

// Options configures an authority.
type Options struct {
	Data     string           // the data folder
	Instance string           // id of the portal; part of the authority's name
	Names    []string         // as CheckNames returns them
	IP       net.IP           // the loopback address that is listened on
	Keys     Keys             // nil: the key is in a file
	Clock    func() time.Time // time.Now when nil
	Log      *slog.Logger     // slog.Default when nil
}

// Authority issues the certificate of one server.
type Authority struct {
	o       Options
	cert    *x509.Certificate
	key     *ecdsa.PrivateKey
	leafKey *ecdsa.PrivateKey // the same until the process ends, so that a pin of it lasts
	created string            // why it was created now; empty if it was not

	mu   sync.Mutex
	leaf *tls.Certificate
}

// Open loads the authority of a data folder. It creates one if there is none, or none
// that covers the names.
func Open(o Options) (*Authority, error) {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	a := &Authority{o: o}
	var err error
	if a.created, err = a.load(); err != nil {
		return nil, err
	}
	if a.created != "" {
		if err := a.create(); err != nil {
			return nil, err
		}
		o.Log.Info("a new certificate authority was created for HTTPS; trust it with spyglass trust", "why", a.created)
	}
	if a.leafKey, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		return nil, err
	}
	_, err = a.Certificate(nil)
	return a, err
}

// Created reports whether Open has created the authority, so that it has to be trusted
// (again).
func (a *Authority) Created() bool { return a.created != "" }

// load reads the authority. why is the reason to create one instead.
func (a *Authority) load() (why string, err error) {
	cert, err := Read(a.o.Data)
	if fault.Is(err, fault.Unknown) {
		return "there was none", nil
	}
	if err != nil {
		return "", err
	}
	text, err := a.loadKey()
	if err != nil || text == "" {
		return "the key of the previous one is gone", err
	}
	key, err := parseKey(text)
	if err != nil {
		return "", a.unusable("the key of the certificate authority cannot be read", err)
	}
	if !key.PublicKey.Equal(cert.PublicKey) {
		return "the key of the previous one is another one", nil
	}
	if a.o.Clock().Add(leafLifetime).After(cert.NotAfter) {
		return "the previous one is about to expire", nil
	}
	for _, name := range a.o.Names {
		if !slices.Contains(cert.PermittedDNSDomains, name) {
			return "the previous one is not for " + name, nil
		}
	}
	a.cert, a.key = cert, key
	return "", nil
}

// loadKey returns the key as PEM; "" if it is missing.
func (a *Authority) loadKey() (string, error) {
	path := a.path(keyFile)
	info, err := os.Lstat(path)
	if err == nil {
		if !info.Mode().IsRegular() || private.OthersMay(path, info) {
			return "", a.unusable("other users can read the key of the certificate authority, "+path, nil)
		}
		text, err := os.ReadFile(path)
		return string(text), err
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if a.o.Keys == nil {
		return "", nil
	}
	text, err := a.o.Keys.Get(a.account())
	if err == nil {
		return text, nil
	}
	if ok, _ := a.o.Keys.Available(); !ok {
		return "", fault.New(fault.Offline, "the key of the certificate authority is in the system keyring, which "+
			"does not respond. Unlock the keyring, or delete the folder %s to create another authority", a.path(""))
	}
	return "", nil
}

func (a *Authority) unusable(what string, err error) error {
	return &fault.Error{Kind: fault.Conflict, Err: err, Message: what + ". Delete the folder " + a.path("") +
		" to create another authority, run spyglass untrust before that"}
}

func (a *Authority) account() string { return a.o.Instance + "/https-authority" }

func (a *Authority) path(file string) string { return filepath.Join(a.o.Data, Folder, file) }

// create replaces the authority. The key is stored first: with a certificate that is not
// of this key, the next start creates another.
func (a *Authority) create() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	now := a.o.Clock()
	template := &x509.Certificate{
		Subject:   pkix.Name{CommonName: CommonName(a.o.Instance), Organization: []string{"Spyglass"}},
		NotBefore: now.Add(-skew), NotAfter: now.Add(lifetime),
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true,
		KeyUsage: x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		PermittedDNSDomainsCritical: true,
		PermittedDNSDomains:         append([]string{"localhost"}, a.o.Names...),
		PermittedIPRanges: []*net.IPNet{{IP: net.IPv4(127, 0, 0, 0).To4(), Mask: net.CIDRMask(8, 32)},
			{IP: net.IPv6loopback, Mask: net.CIDRMask(128, 128)}},
	}
	raw, err := sign(template, template, key, key)
	if err != nil {
		return err
	}
	if a.cert, err = x509.ParseCertificate(raw); err != nil {
		return err
	}
	a.key = key
	if err := private.MkdirAll(a.path("")); err != nil {
		return a.unwritable(err)
	}
	if err := a.storeKey(); err != nil {
		return a.unwritable(err)
	}
	if err := private.Replace(a.path(certFile), a.PEM()); err != nil {
		return a.unwritable(err)
	}
	return nil
}

func (a *Authority) unwritable(err error) error {
	if fault.NoRoom(err) {
		return &fault.Error{Kind: fault.Full, Err: err, Message: "the disk of the data folder is full; HTTPS was not " +
			"turned on"}
	}
	return &fault.Error{Kind: fault.Conflict, Err: err, Message: fmt.Sprintf("the certificate authority cannot be "+
		"stored in %s: %v", a.path(""), err)}
}

// storeKey stores the key in the keyring, or else in a file.
func (a *Authority) storeKey() error {
	raw, err := x509.MarshalPKCS8PrivateKey(a.key)
	if err != nil {
		return err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: keyType, Bytes: raw})
	if a.o.Keys != nil {
		if a.o.Keys.Set(a.account(), string(text)) {
			if err := os.Remove(a.path(keyFile)); !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			return nil
		}
		_ = a.o.Keys.Delete(a.account()) // or it would be stored when the keyring responds again
	}
	return private.Replace(a.path(keyFile), text)
}

const keyType = "PRIVATE KEY"

func parseKey(text string) (*ecdsa.PrivateKey, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil || block.Type != keyType {
		return nil, errors.New("it is not a private key in PEM")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	ec, ok := key.(*ecdsa.PrivateKey)
	if !ok {
		return nil, errors.New("it is not an ECDSA key")
	}
	return ec, nil
}

// sign issues a certificate with a random serial number.
func sign(template, parent *x509.Certificate, of, by *ecdsa.PrivateKey) ([]byte, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, err
	}
	template.SerialNumber = serial
	return x509.CreateCertificate(rand.Reader, template, parent, &of.PublicKey, by)
}

// Certificate returns the server's certificate, for tls.Config.GetCertificate. It issues
// a new one renewBefore it expires, or after the clock was set back.
func (a *Authority) Certificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.o.Clock()
	if l := a.leaf; l != nil && now.Before(l.Leaf.NotAfter.Add(-renewBefore)) && !now.Before(l.Leaf.NotBefore) {
		return l, nil
	}
	names := append([]string{"localhost"}, a.o.Names...)
	template := &x509.Certificate{
		Subject:   pkix.Name{CommonName: names[len(names)-1], Organization: []string{"Spyglass"}},
		NotBefore: now.Add(-skew), NotAfter: now.Add(leafLifetime),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		DNSNames:              names, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	if a.o.IP != nil && !slices.ContainsFunc(template.IPAddresses, a.o.IP.Equal) {
		template.IPAddresses = append(template.IPAddresses, a.o.IP)
	}
	raw, err := sign(template, a.cert, a.leafKey, a.key)
	if err != nil {
		return nil, err
	}
	leaf, err := x509.ParseCertificate(raw)
	if err != nil {
		return nil, err
	}
	a.leaf = &tls.Certificate{Certificate: [][]byte{raw, a.cert.Raw}, PrivateKey: a.leafKey, Leaf: leaf}
	return a.leaf, nil
}

// Pin returns the SHA-256 of the server's public key in hexadecimal, which renewals keep.
func (a *Authority) Pin() string {
	leaf, err := a.Certificate(nil)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(leaf.Leaf.RawSubjectPublicKeyInfo)
	return hex.EncodeToString(sum[:])
}

// PEM returns the certificate of the authority.
func (a *Authority) PEM() []byte { return Encode(a.cert) }

// Encode returns a certificate as PEM.
func Encode(c *x509.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})
}

// CommonName returns the name of a portal's authority, by which trust stores know it.
func CommonName(instance string) string { return "Spyglass on this computer, " + instance }

// File returns the path of the certificate of a data folder's authority.
func File(data string) string { return filepath.Join(data, Folder, certFile) }

// Read returns the certificate of the authority of a data folder; fault.Unknown if there
// is none.
func Read(data string) (*x509.Certificate, error) {
	text, err := os.ReadFile(File(data))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.Unknown, "the data folder %s has no certificate authority. Turn on HTTPS first: "+
			"spyglass serve --https", data)
	}
	if err != nil {
		return nil, err
	}
	block, rest := pem.Decode(text)
	if block == nil || block.Type != "CERTIFICATE" || len(bytes.TrimSpace(rest)) > 0 {
		return nil, damaged(data, nil)
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, damaged(data, err)
	}
	if !cert.IsCA || !cert.PermittedDNSDomainsCritical || len(cert.PermittedDNSDomains) == 0 {
		return nil, damaged(data, errors.New("it has no name constraints"))
	}
	return cert, nil
}

func damaged(data string, err error) error {
	return &fault.Error{Kind: fault.Conflict, Err: err, Message: "the certificate authority in " + File(data) +
		" is damaged. Delete the folder " + filepath.Dir(File(data)) + " to create another one"}
}
