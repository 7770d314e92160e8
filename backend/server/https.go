package server

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"spyglass/backend/api"
	"spyglass/backend/fault"
	"spyglass/backend/localca"
	"spyglass/backend/private"
	"spyglass/backend/resource"
)

// UsualHTTPSPort is the port of HTTPS until another one is chosen.
const UsualHTTPSPort = 8443

// HTTPS sets an address over TLS for clients on this machine.
type HTTPS struct {
	On    bool     `json:"on"`
	Port  int      `json:"port"`
	Names []string `json:"names"` // host names, besides localhost and the address itself
}

// HTTPSState is the address over TLS as it is now.
type HTTPSState struct {
	HTTPS
	Switchable bool          // SetHTTPS can change it
	Problem    string        // why it is on, but not served; empty if it is served
	Addresses  []string      // origins; those with a name first
	Hosts      localca.Hosts // how the names lead to this machine
}

// secure is the address over TLS: the listener of a portal that has its own certificate
// authority, or a second one beside that of the desktop.
type secure struct {
	mu        sync.Mutex // held while it changes
	set       HTTPS
	problem   string
	listener  net.Listener // the second one; nil without
	http      *http.Server
	authority *localca.Authority
	hosts     api.SecureHosts // of the second one
}

// checkHTTPS checks the options for HTTPS, and returns the names.
func checkHTTPS(o Options) ([]string, error) {
	if !o.HTTPS {
		if len(o.Names) > 0 {
			return nil, fault.New(fault.Invalid, "--name requires --https")
		}
		return nil, nil
	}
	if o.TLSCert != "" || o.TLSKey != "" {
		return nil, fault.New(fault.Invalid, "--https creates a certificate; leave out --tls-cert and --tls-key, or "+
			"use them without --https")
	}
	return localca.CheckNames(o.Names)
}

// secured wraps the portal's own listener in TLS, if it is to be served so.
func (s *Server) secured(l net.Listener) (net.Listener, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	switch {
	case s.o.HTTPS: // the authority is opened before the portal starts
		config.GetCertificate = s.certificate
	case s.o.TLSCert != "":
		pair, err := tls.LoadX509KeyPair(s.o.TLSCert, s.o.TLSKey)
		if err != nil {
			_ = l.Close()
			return nil, fault.New(fault.Invalid, "the certificate cannot be used: %v", err)
		}
		config.Certificates = []tls.Certificate{pair}
		s.pin = fingerprint(&pair)
	default:
		return l, nil
	}
	hosts := hosts(l.Addr().String(), s.o.Listen, true, s.o.Names...)
	return api.NewTLSListener(l, config, func() []string { return hosts }), nil
}

func (s *Server) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	s.secure.mu.Lock()
	a := s.secure.authority
	s.secure.mu.Unlock()
	if a == nil {
		return nil, errors.New("HTTPS is off")
	}
	return a.Certificate(hello)
}

// openHTTPS opens the authority of a portal that is served over TLS.
func (s *Server) openHTTPS() (err error) {
	if !s.o.HTTPS {
		return nil
	}
	at := s.listener.Addr().(*net.TCPAddr)
	s.secure.set = HTTPS{On: true, Port: at.Port, Names: s.o.Names}
	if s.secure.authority, err = s.openAuthority(s.o.Names, at.IP); err == nil {
		s.pin = s.secure.authority.Pin()
	}
	return err
}

func (s *Server) openAuthority(names []string, ip net.IP) (*localca.Authority, error) {
	return localca.Open(localca.Options{Data: s.o.Data, Instance: s.Setting.Instance, Names: names, IP: ip,
		Keys: s.o.Keys, Clock: s.o.Clock, Log: s.o.Log})
}

// HTTPSState returns the address over TLS as it is now.
func (s *Server) HTTPSState() HTTPSState {
	s.secure.mu.Lock()
	defer s.secure.mu.Unlock()
	state := HTTPSState{HTTPS: s.secure.set, Switchable: s.o.SwitchHTTPS, Problem: s.secure.problem}
	state.Names = slices.Clone(state.Names)
	ip := s.ip()
	file := s.o.HostsFile
	if file == "" {
		file = localca.HostsFile()
	}
	state.Hosts = localca.LookUp(file, ip, state.Names)
	for _, host := range append(slices.Clone(state.Names), ip.String()) {
		state.Addresses = append(state.Addresses, httpsOrigin(host, state.Port))
	}
	return state
}

// ip returns the address that is listened on.
func (s *Server) ip() net.IP {
	if s.listener != nil {
		if at, ok := s.listener.Addr().(*net.TCPAddr); ok {
			return at.IP
		}
	}
	return net.IPv4(127, 0, 0, 1)
}

func httpsOrigin(host string, port int) string {
	if port == 443 && !strings.Contains(host, ":") {
		return "https://" + host
	}
	return "https://" + net.JoinHostPort(host, strconv.Itoa(port))
}

// ClientOrigin returns the origin for programs on this machine: over TLS if that is on,
// with the first name that leads here.
func (s *Server) ClientOrigin() string {
	state := s.HTTPSState()
	if !state.On || state.Problem != "" {
		return s.Link()
	}
	for i, name := range state.Names {
		if !slices.Contains(state.Hosts.Missing, name) && !slices.Contains(state.Hosts.Other, name) {
			return state.Addresses[i]
		}
	}
	return state.Addresses[len(state.Addresses)-1]
}

// SetHTTPS turns HTTPS on or off, or changes its port and names. Connections that are
// open end if the port changes. It notes the change in the audit log.
func (s *Server) SetHTTPS(ctx context.Context, to HTTPS) error {
	if !s.o.SwitchHTTPS {
		return fault.New(fault.Conflict, "this portal is served by spyglass serve. Start it with --https or without "+
			"to change that")
	}
	var err error
	if to.Names, err = localca.CheckNames(to.Names); err != nil {
		return err
	}
	if to.Port < 1 || to.Port > 65535 {
		return fault.At("port", "the port must be a number from 1 to 65535")
	}
	s.secure.mu.Lock()
	defer s.secure.mu.Unlock()
	before := s.secure.set
	if err := s.applyHTTPS(ctx, to); err != nil {
		return err
	}
	if err := s.storeHTTPS(to); err != nil {
		return errors.Join(err, s.applyHTTPS(ctx, before))
	}
	return s.Note(ctx, describe(to))
}

// Note writes a sentence about the call that ctx serves to the audit log.
func (s *Server) Note(ctx context.Context, sentence string) error {
	call := resource.CallOf(ctx)
	if call == nil {
		call = &resource.Call{At: s.o.Clock()}
	}
	return s.db.Write(ctx, func(tx resource.Tx) error {
		return tx.Note(ctx, &resource.Change{Call: call, Action: "change", Object: "portal", Title: sentence})
	})
}

// describe returns the sentence of the audit log.
func describe(to HTTPS) string {
	if !to.On {
		return "Turned off HTTPS"
	}
	return fmt.Sprintf("Turned on HTTPS on port %d for %s", to.Port,
		strings.Join(append([]string{"localhost"}, to.Names...), ", "))
}

// applyHTTPS makes the second listener what it is to be; nothing changes if it fails. The
// caller holds the lock.
func (s *Server) applyHTTPS(ctx context.Context, to HTTPS) error {
	if !to.On {
		s.closeHTTPS(ctx)
		s.secure.set, s.secure.problem = to, ""
		return nil
	}
	l := s.secure.listener
	if l == nil || l.Addr().(*net.TCPAddr).Port != to.Port {
		var err error
		if l, err = s.listenHTTPS(to.Port); err != nil {
			return err
		}
	}
	authority, err := s.openAuthority(to.Names, s.ip())
	if err != nil {
		if l != s.secure.listener {
			_ = l.Close()
		}
		return err
	}
	if l != s.secure.listener {
		s.closeHTTPS(ctx)
		s.serveHTTPS(l)
	}
	s.secure.authority, s.secure.set, s.secure.problem = authority, to, ""
	s.secure.hosts.Set(hosts(l.Addr().String(), "", true, to.Names...))
	return nil
}

func (s *Server) listenHTTPS(port int) (net.Listener, error) {
	address := net.JoinHostPort(s.ip().String(), strconv.Itoa(port))
	l, err := net.Listen("tcp", address)
	if err != nil {
		f := cannotListen(address, err, "Choose another port")
		f.Field = "port"
		return nil, f
	}
	return api.NewTLSListener(api.CapConns(l, s.o.Log), &tls.Config{MinVersion: tls.VersionTLS12,
		GetCertificate: s.certificate}, s.secure.hosts.Names), nil
}

// cannotListen returns the error of an address that cannot be listened on; instead says
// what to do about it.
func cannotListen(address string, err error, instead string) *fault.Error {
	why := "another program may have the port"
	_, port, _ := net.SplitHostPort(address)
	if number, _ := strconv.Atoi(port); errors.Is(err, fs.ErrPermission) && number > 0 && number < 1024 {
		why = "ports below 1024 are for administrators here"
		if runtime.GOOS == "linux" {
			why += "; sudo sysctl net.ipv4.ip_unprivileged_port_start=" + port + " opens them to everybody"
		}
	}
	return fault.New(fault.Conflict, "%s cannot be listened on (%v): %s. %s", address, cause(err), why, instead)
}

// serveHTTPS serves the portal on the second listener, too. The caller holds the lock.
func (s *Server) serveHTTPS(l net.Listener) {
	server := s.newHTTP(s.handler)
	s.secure.listener, s.secure.http = l, server
	s.wait.Go("HTTPS server", func() {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.o.Log.Error("HTTPS has stopped", "err", err)
		}
	})
}

// closeHTTPS closes the second listener. The caller holds the lock.
func (s *Server) closeHTTPS(ctx context.Context) {
	if s.secure.http == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, closeHTTPSWithin)
	defer cancel()
	if s.secure.http.Shutdown(ctx) != nil {
		_ = s.secure.http.Close() // aborts the remaining requests
	}
	s.secure.hosts.Set(nil)
	s.secure.listener, s.secure.http, s.secure.authority = nil, nil, nil
}

// closeHTTPSWithin limits how long open requests may take when HTTPS is turned off. The
// request that does so may be one of them.
const closeHTTPSWithin = time.Second

// startHTTPS opens the second listener as it was set last. If that fails, the portal
// starts without it.
func (s *Server) startHTTPS(context.Context) {
	s.secure.mu.Lock()
	defer s.secure.mu.Unlock()
	to, err := s.loadHTTPS()
	if err == nil {
		err = s.applyHTTPS(context.Background(), to)
	}
	if err != nil {
		s.secure.set, s.secure.problem = to, fault.Sentence(err)
		s.o.Log.Warn("HTTPS is not served", "err", err)
	}
}

func (s *Server) stopHTTPS(ctx context.Context) error {
	s.secure.mu.Lock()
	defer s.secure.mu.Unlock()
	s.closeHTTPS(ctx)
	return nil
}

func (s *Server) httpsFile() string { return filepath.Join(s.o.Data, localca.Folder, "settings.json") }

func (s *Server) loadHTTPS() (HTTPS, error) {
	to := HTTPS{Port: UsualHTTPSPort, Names: []string{}}
	text, err := os.ReadFile(s.httpsFile())
	if errors.Is(err, fs.ErrNotExist) {
		return to, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &to)
	}
	if err == nil {
		to.Names, err = localca.CheckNames(to.Names)
	}
	if err != nil {
		return HTTPS{Port: UsualHTTPSPort, Names: []string{}}, &fault.Error{Kind: fault.Conflict, Err: err,
			Message: "the settings of HTTPS cannot be read; turn it on again"}
	}
	return to, nil
}

// storeHTTPS replaces the settings in one step.
func (s *Server) storeHTTPS(to HTTPS) error {
	file := s.httpsFile()
	text, err := json.Marshal(to)
	if err == nil {
		err = private.MkdirAll(filepath.Dir(file))
	}
	if err == nil {
		err = private.Replace(file, text)
	}
	return err
}
