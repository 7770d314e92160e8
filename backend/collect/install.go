package collect

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/collector"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
	"spyglass/backend/session"
)

// installation is the lifetime of an installer's token.
const installation = time.Hour

// installer is a downloadable installer.
type installer struct {
	Name      string `json:"osAndArch" doc:"Linux64, Win64 or Darwin64"`
	OS        string `json:"os" doc:"linux, windows or darwin"`
	Arch      string `json:"architecture" doc:"the processor, amd64 or arm64"`
	Available bool   `json:"available" doc:"whether this portal has the program for that system"`
	Size      int64  `json:"size" doc:"size of the program, in bytes; 0 if it is not available"`
	SHA256    string `json:"sha256" doc:"SHA-256 of the program, in hex; empty if it is not available"`
	Link      string `json:"link" doc:"URL of its script"`
}

// installers is the response of the list.
type installers struct {
	Total    int         `json:"total" doc:"number of items"`
	SearchID *string     `json:"searchId" doc:"always null"`
	Items    []installer `json:"items" doc:"one for each system"`
	Data     *string     `json:"data" doc:"always null"`
}

// downloadToken is a token for one installation.
type downloadToken struct {
	Token     string           `json:"token" doc:"shown once; for spyglass collector --token"`
	ExpiresOn resource.Seconds `json:"expiresOn" doc:"when it expires, in epoch seconds"`
	Collector int64            `json:"collectorId" doc:"id of its collector"`
}

func (s *Service) installEndpoints() []resource.Endpoint {
	list, token := resource.SchemaOf(installers{}), resource.SchemaOf(downloadToken{})
	builtIn := resource.Failure{Kind: fault.Invalid, When: "the collector is the built-in one"}
	missing := resource.Failure{Kind: fault.Conflict, When: "the portal has no program for that system"}
	which := resource.Param{Name: "osAndArch", In: "path", Required: true,
		Schema: resource.Schema{Type: "string", Doc: "The operating system, case-insensitive",
			Enum: []any{"Linux64", "Win64", "Darwin64"}}, Example: "Linux64"}
	osParam := which
	osParam.Name = "os"
	at := func(below string) resource.Example {
		return resource.Example{Path: fmt.Sprintf("/setting/collectors/%d%s", sample, below)}
	}
	return []resource.Endpoint{
		{
			Method: "GET", Path: path + "/installers", Category: ground.CategorySettings,
			Summary: "List installers of a collector",
			Doc: "Returns the operating systems for collectors, and whether this portal has the program for each. " +
				"The built-in collector has the list, too, and nothing to download. It always has the program for " +
				"its own system; put others into the folder installers of the data folder.",
			Right:  resource.Right{Object: resource.Setting, Area: ground.AreaCollectors, Op: resource.Read},
			Params: []resource.Param{idParam}, Response: &list, Errors: failures(), Example: at("/installers"),
			Handle: s.list,
		},
		{
			Method: "GET", Path: path + "/installers/{osAndArch}", Category: ground.CategorySettings,
			Summary: "Download an installer",
			Doc: "Returns a script that downloads the portal's program and registers it as this collector. It " +
				"contains a token for one installation within an hour; creating it is recorded in the audit log, " +
				"and revokes older tokens. The caller needs View access to the devices of the collector.",
			Right: right(ground.AreaCollectors), Params: []resource.Param{idParam, which}, Response: &resource.Schema{
				Type: "string", Format: "text/plain", Doc: "The script"}, Once: true,
			Errors: failures(builtIn), Example: at("/installers/Linux64"), Handle: s.script,
		},
		{
			Method: "GET", Path: path + "/installers/{osAndArch}/program", Category: ground.CategorySettings,
			Summary: "Download a collector's program",
			Doc:     "Returns the program that an installer downloads with its token.",
			Right:   right(collector.AreaInstalling), Params: []resource.Param{idParam, which},
			Response: &resource.Schema{
				Type: "string", Format: "application/octet-stream", Doc: "The program"},
			Errors: failures(builtIn, missing), Example: at("/installers/" + ownSystem() + "/program"),
			Handle: s.program,
		},
		{
			Method: "POST", Path: path + "/downloadToken", Category: ground.CategorySettings,
			Summary: "Create an installation token",
			Doc: "Creates a token for one installation of this collector within an hour, for spyglass collector " +
				"--token. The caller needs View access to the devices of the collector, because it receives their " +
				"secrets.",
			Right: right(ground.AreaCollectors), Params: []resource.Param{idParam}, Response: &token, Once: true,
			Errors: failures(builtIn), Example: at("/downloadToken"), Handle: s.makeToken,
		},
		{
			Method: "GET", Path: path + "/downloadToken", Category: ground.CategorySettings,
			Summary: "Get an installation token",
			Doc:     "Creates a token like POST, for clients of the published API. HEAD creates none.",
			Right:   right(ground.AreaCollectors), Params: []resource.Param{idParam}, Response: &token, Once: true,
			Errors: failures(builtIn), Example: at("/downloadToken"), Handle: s.makeToken,
		},
		{
			Method: "GET", Path: path + "/bootstraps/{os}", Category: ground.CategorySettings,
			Summary: "Download a bootstrap installer",
			Doc: "Returns the same script as GET installers/{osAndArch}: it is small, and fetches the program when " +
				"it runs. It contains a token for one installation within an hour.",
			Right: right(ground.AreaCollectors), Params: append([]resource.Param{idParam, osParam},
				bootstrapParams()...), Response: &resource.Schema{Type: "string", Format: "text/plain",
				Doc: "The script"}, Once: true,
			Errors: failures(builtIn), Example: at("/bootstraps/Linux64"), Handle: s.script,
		},
	}
}

// bootstrapParams returns the query parameters that published clients send for a
// bootstrap. There is one program for all sizes, of this portal's own version.
func bootstrapParams() []resource.Param {
	query := func(name, doc string, values ...any) resource.Param {
		return resource.Param{Name: name, In: "query", Schema: resource.Schema{Type: "string", Doc: doc, Enum: values}}
	}
	return []resource.Param{
		query("collectorSize", "Kept for clients of the published API: one program serves all sizes", "nano", "small",
			"medium", "large", "extra_large", "double_extra_large"),
		query("collectorVersion", "Kept for clients of the published API: the portal installs the version it runs "+
			"itself"),
		query("tokenName", "Kept for clients of the published API: the script contains its own token"),
		query("token", "Kept for clients of the published API: the script contains its own token"),
		query("monitorOthers", "Kept for clients of the published API", "true", "false"),
		query("useEA", "Kept for clients of the published API", "true", "false"),
	}
}

func (s *Service) list(ctx context.Context, c *resource.Call) (any, error) {
	row, err := s.named(ctx, s.DB, c)
	if err != nil {
		return nil, err
	}
	out := installers{Total: len(systems)}
	for i := range systems {
		one := installer{Name: systems[i].name, OS: systems[i].os, Arch: systems[i].arch,
			Link: fmt.Sprintf("%s/setting/collectors/%d/installers/%s", c.Base, row.ID, systems[i].name)}
		program, err := s.programs.of(&systems[i])
		switch {
		case err == nil:
			one.Available, one.Size, one.SHA256 = true, program.Size, program.SHA256
		case !fault.Is(err, fault.Conflict):
			return nil, err
		}
		out.Items = append(out.Items, one)
	}
	return out, nil
}

func (s *Service) script(ctx context.Context, c *resource.Call) (any, error) {
	of, err := systemNamed(cmp.Or(c.Vars["osAndArch"], c.Vars["os"]))
	if err != nil {
		return nil, err
	}
	made := &downloadToken{}
	if !c.Peek { // HEAD creates no token
		if made, err = s.issue(ctx, c); err != nil {
			return nil, err
		}
	}
	f := facts{Base: c.Base, Collector: made.Collector, System: of.name, Token: made.Token}
	if program, err := s.programs.of(of); err == nil {
		f.SHA256 = program.SHA256
	}
	text, err := render(of.script, f)
	if err != nil {
		return nil, err
	}
	return &resource.Response{Type: "text/plain; charset=utf-8", Filename: of.file, Stream: func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}}, nil
}

func (s *Service) program(ctx context.Context, c *resource.Call) (any, error) {
	of, err := systemNamed(c.Vars["osAndArch"])
	if err != nil {
		return nil, err
	}
	if _, err := s.remote(ctx, s.DB, c); err != nil {
		return nil, err
	}
	program, err := s.programs.of(of)
	if err != nil {
		return nil, err
	}
	name := "spyglass"
	if of.os == "windows" {
		name += ".exe"
	}
	return &resource.Response{Type: "application/octet-stream", Filename: name, Stream: program.send}, nil
}

func (s *Service) makeToken(ctx context.Context, c *resource.Call) (any, error) {
	if c.Peek {
		return &downloadToken{}, nil
	}
	made, err := s.issue(ctx, c)
	if err != nil {
		return nil, err
	}
	return made, nil
}

// issue creates the token for one installation. It ends older tokens of the
// collector.
func (s *Service) issue(ctx context.Context, c *resource.Call) (*downloadToken, error) {
	if c.Access.Bounded() {
		return nil, fault.New(fault.Denied, "a token that expires or is limited to a role cannot create a token of a "+
			"collector, which would outlive it")
	}
	made := &downloadToken{ExpiresOn: resource.SecondsOf(c.At.Add(installation))}
	err := s.DB.Write(ctx, func(tx resource.Tx) error {
		row, err := s.remote(ctx, tx, c)
		if err != nil {
			return err
		}
		if err := mayInstall(ctx, tx, c.Access, row.ID); err != nil {
			return err
		}
		bearer, hash := session.NewCollectorToken(row.ID)
		made.Collector, made.Token = row.ID, bearer
		if err := dropTokens(ctx, tx, row.ID, true); err != nil {
			return err
		}
		token := collector.CollectorToken{CollectorID: row.ID, Hash: hash, Installs: true, ExpiresOn: made.ExpiresOn,
			CreatedOn: resource.SecondsOf(c.At), CreatedBy: c.Access.User}
		if err := resource.Put(ctx, tx, collector.CollectorTokens.Name, &token); err != nil {
			return err
		}
		return tx.Note(ctx, &resource.Change{Call: c, Action: "installer", Object: string(collector.Collectors.Name),
			Label: collector.Collectors.Label, ID: row.ID, Title: cmp.Or(row.Description, row.Hostname)})
	})
	return made, err
}

// mayInstall refuses a caller who may not view all devices of the collector,
// because installing it gives access to their secrets.
func mayInstall(ctx context.Context, r resource.Reader, who *resource.Access, collector int64) error {
	of := resource.Either(resource.Where{Field: "currentCollectorId", Op: "=", Value: collector},
		resource.Where{Field: "preferredCollectorId", Op: "=", Value: collector})
	all, err := resource.Find(ctx, r, fleet.Devices.Name, of)
	if err != nil {
		return err
	}
	seen, err := resource.Find(ctx, r, fleet.Devices.Name, of, resource.SeenBy(who, resource.Read))
	if err == nil && len(seen) < len(all) {
		return fault.New(fault.Denied, "a collector gets the secrets of its devices; you need View access to all "+
			"devices of collector %d to install it", collector)
	}
	return err
}

func dropTokens(ctx context.Context, tx resource.Tx, collectorID int64, installs bool) error {
	return resource.DeleteAll(ctx, tx, collector.CollectorTokens.Name,
		resource.Where{Field: "collectorId", Op: "=", Value: collectorID},
		resource.Where{Field: "installs", Op: "=", Value: installs})
}

// ownSystem returns the name of the system whose program the portal always has.
func ownSystem() string {
	for i := range systems {
		if (&programs{}).has(&systems[i]) {
			return systems[i].name
		}
	}
	return systems[0].name
}
