package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"spyglass/app/explorer/catalog"
	"spyglass/app/explorer/client"
	"spyglass/app/explorer/outgoing"
	"spyglass/app/explorer/rehearsal"
	"spyglass/app/rehearse"
	"spyglass/app/snippet"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/loopback"
	"spyglass/backend/server"
)

// Rehearsal is a command about the rehearsal in a data folder.
type Rehearsal struct {
	Do      string `json:"do"`      // one of the Rehearse constants
	Portal  string `json:"portal"`  // the address of the portal; empty for the report
	Token   string `json:"token"`   // a bearer token of the portal
	Offline bool   `json:"offline"` // the diff does not read the portal again
	Format  string `json:"format"`  // text, json or the id of a language for scripts

	Out              string    `json:"-"` // file of the result; empty: standard output
	Progress, Stdout io.Writer `json:"-"`
}

// The commands.
const (
	RehearseCopy   = "copy"
	RehearseReport = "report"
	RehearseDiff   = "diff"
)

// Run runs the command in the process that has the data folder open, or else in this one.
// A copy creates the data folder.
func (r *Rehearsal) Run(ctx context.Context, o server.Options) error {
	if _, ok := snippet.Find(r.Format); r.Format != "text" && r.Format != "json" && !(ok && r.Do == RehearseDiff) {
		allowed := []string{"text", "json"}
		for _, l := range snippet.Languages {
			allowed = append(allowed, l.ID)
		}
		if r.Do != RehearseDiff {
			allowed = allowed[:2]
		}
		return fault.New(fault.Invalid, "--format must be one of %s, not %q", strings.Join(allowed, ", "), r.Format)
	}
	if r.Do == RehearseCopy && r.Portal == "" {
		return fault.New(fault.Invalid, "--portal is missing: the address of the portal to copy")
	}
	line := func(text string) { fmt.Fprintln(r.Progress, shown(text)) }
	j := &job{Rehearse: r}
	var text string
	if r.Portal != "" {
		t, err := r.reach(o.Version)
		if err != nil {
			return err
		}
		t.Client.CloseIdle()
	}
	if r.Do == RehearseCopy {
		if err := os.MkdirAll(o.Data, 0o700); err != nil {
			return err
		}
	} else if err := hasPortal(o); err != nil {
		return err
	}
	err := inFolder(ctx, o, func(a *App) (err error) {
		text, err = a.rehearse(ctx, r, line)
		return err
	}, func(taken error) error {
		sent, err := json.Marshal(j)
		if err != nil {
			return err
		}
		got, err := server.Run(ctx, o.Data, taken, sent, line)
		if err != nil {
			return err
		}
		return json.Unmarshal(got, &text)
	})
	if err != nil {
		return err
	}
	if r.Out != "" {
		return writeFile(r.Out, []byte(text))
	}
	_, err = io.WriteString(r.Stdout, text)
	return err
}

// copies returns the function that runs the portal of a rehearsal next to this portal.
func copies(o server.Options) func(context.Context, string) (*rehearsal.Copy, error) {
	o = server.Options{Listen: "127.0.0.1:0", Version: o.Version, NoLimits: true, NoHistory: true, Page: o.Page,
		Log: o.Log, Clock: o.Clock}
	return func(ctx context.Context, dir string) (_ *rehearsal.Copy, err error) {
		o := o
		o.Data = dir
		a, err := Open(ctx, o)
		if err != nil {
			return nil, err
		}
		defer func() {
			if err != nil {
				err = errors.Join(err, a.close(ctx))
			}
		}()
		return a.copied(ctx)
	}
}

// tokenNote is the note of the token with which this portal reaches a copy.
const tokenNote = "Rehearsal"

// copied returns the portal as the copy of another one, with a new token. It deletes
// those of earlier starts.
func (a *App) copied(ctx context.Context) (*rehearsal.Copy, error) {
	id, err := a.Sessions.UserID(ctx, administrator)
	if err != nil {
		return nil, err
	}
	token, err := a.Sessions.CreateToken(ctx, id, tokenNote, administrator)
	if err != nil {
		return nil, err
	}
	r := &Rehearsal{Portal: a.Origin(), Token: token.Bearer}
	t, err := r.reach(a.version)
	if err != nil {
		return nil, err
	}
	t.ReadOnly, t.Catalog = false, catalog.New(a.Endpoints())
	if err := dropTokens(ctx, t, token.AccessID); err != nil {
		return nil, err
	}
	return &rehearsal.Copy{Target: t, Token: token.Bearer, Close: a.close,
		Enter: func(context.Context) (string, error) {
			return a.Origin() + "/launch?t=" + url.QueryEscape(a.Sessions.Launch(id, false)), nil
		}}, nil
}

// dropTokens deletes the tokens of a copy with tokenNote, but for one.
func dropTokens(ctx context.Context, t *outgoing.Target, but string) error {
	var old struct {
		Items []struct {
			ID, AdminID    int64
			AccessID, Note string
		}
	}
	path := "/setting/admins/apitokens?size=1000&filter=" + url.QueryEscape(`note:"`+tokenNote+`"`)
	_, text, err := t.Fetch(ctx, t.Plain("GET", path, ""), 1<<20)
	if err == nil {
		err = json.Unmarshal(text, &old)
	}
	for _, one := range old.Items {
		if err == nil && one.AccessID != but && one.Note == tokenNote {
			path := fmt.Sprintf("/setting/admins/%d/apitokens/%d", one.AdminID, one.ID)
			_, _, err = t.Fetch(ctx, t.Plain("DELETE", path, ""), 1<<20)
		}
	}
	return err
}

// rehearse runs the command as the administrator. It returns the result in its format.
func (a *App) rehearse(ctx context.Context, r *Rehearsal, line func(string)) (text string, err error) {
	err = a.headless(ctx, func(h *headless) error {
		target, err := h.Target(ctx, &h.call)
		if err != nil {
			return err
		}
		own := &rehearse.Rehearsal{Dir: filepath.Join(h.Folder(), rehearse.Folder), Local: target, Line: line}
		if r.Do == RehearseDiff && r.Portal == "" && !r.Offline {
			report, err := own.Report()
			if err != nil {
				return err
			}
			r.Portal = report.URL
		}
		if r.Portal != "" && !r.Offline {
			if own.Remote, err = r.reach(target.Version); err != nil {
				return err
			}
			defer own.Remote.Client.CloseIdle()
		}
		text, err = r.result(ctx, own)
		return err
	})
	return text, err
}

// result is a report or a diff.
type result interface{ Text(w io.Writer) error }

func (r *Rehearsal) result(ctx context.Context, own *rehearse.Rehearsal) (string, error) {
	var got result
	var err error
	switch r.Do {
	case RehearseCopy:
		got, err = own.Copy(ctx)
	case RehearseReport:
		got, err = own.Report()
	default:
		var d *rehearse.Diff
		if d, err = own.Diff(ctx); err == nil {
			if language, ok := snippet.Find(r.Format); ok {
				return d.Script(language), nil
			}
			got = d
		}
	}
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	if r.Format == "json" {
		enc := json.NewEncoder(&out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		err = enc.Encode(got)
	} else {
		err = got.Text(&out)
	}
	return out.String(), err
}

// reach returns the portal, with the token.
func (r *Rehearsal) reach(version string) (*outgoing.Target, error) {
	u, err := url.Parse(r.Portal)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" {
		return nil, fault.New(fault.Invalid, "%q is not the address of a portal; use one like "+
			"https://portal.example:8443", r.Portal)
	}
	if u.Path = strings.TrimRight(u.Path, "/"); u.Path == "" {
		u.Path = "/api" // a portal of ours prints its address without it
	}
	if r.Token != "" && loopback.InClear(u.String()) {
		return nil, fault.New(fault.Denied, "%s would get the token in clear text over http://. Use https://", u.Host)
	}
	c, err := client.For(&workspace.Portal{BaseURL: u.String()}, "", client.Bounds{})
	if err != nil {
		return nil, err
	}
	t := &outgoing.Target{Name: u.Host, URL: u.String(), Version: version, Client: c, Timeout: time.Minute,
		ReadOnly: true, Secrets: []string{r.Token}}
	t.Sign = func(*outgoing.Request) (headers [][2]string) {
		if r.Token != "" {
			headers = append(headers, [2]string{"Authorization", "Bearer " + r.Token})
		}
		if strings.HasSuffix(u.Path, outgoing.LenientMount) {
			headers = append(headers, [2]string{"X-Version", "3"})
		}
		return headers
	}
	t.Place()
	return t, nil
}
