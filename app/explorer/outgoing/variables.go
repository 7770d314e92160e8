package outgoing

import (
	"context"
	"crypto/rand"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"spyglass/app/budget"
	"spyglass/app/explorer/serve"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Used is one variable of a draft, for the preview.
type Used struct {
	Name   string `json:"name"`
	Value  string `json:"value"` // masked when secret
	Scope  string `json:"scope"` // run, environment, portal, global or built-in
	Known  bool   `json:"known"`
	Secret bool   `json:"secret"`

	Environment string `json:"environment" doc:"the name of the one it is from; empty for other scopes"`
}

// Values looks up variables for one request. It looks up each variable once, so
// that its value is the same everywhere.
type Values struct {
	ctx    context.Context
	own    map[string]*workspace.Variable
	secret func(*workspace.Variable) (string, error)
	Now    time.Time
	userID int64
	Given  map[string]string // values that come before all others; nil for none

	Environment workspace.Environment // whose variables come before those of the portal; zero for none

	Stand func(Used) string // returns the text to send for each variable, known or not; nil for its value

	Seen  []Used
	at    map[string]int    // index in seen, by name
	Plain map[string]string // values by name; secrets only if they were used
}

// NewValues returns the variables of the call's user for its portal, with those of the
// active environment.
func NewValues(ctx context.Context, c *resource.Call, w *workspace.Workspace) (*Values, error) {
	return NewValuesIn(ctx, c, w, nil)
}

// NewValuesIn is NewValues with another environment than the active one: that of an id, 0
// for none.
func NewValuesIn(ctx context.Context, c *resource.Call, w *workspace.Workspace, other *int64) (*Values, error) {
	list, err := w.VariablesAt(ctx, c.Access.UserID, workspace.PortalID(c))
	if err != nil {
		return nil, err
	}
	environments, err := w.EnvironmentsAt(ctx, c.Access.UserID, workspace.PortalID(c))
	if err != nil {
		return nil, err
	}
	v := &Values{ctx: ctx, at: map[string]int{}, own: map[string]*workspace.Variable{}, secret: w.Secret, Now: c.At,
		userID: c.Access.UserID, Plain: map[string]string{}}
	for _, e := range environments {
		if other == nil && e.Active || other != nil && e.ID == *other {
			v.Environment = e
		}
	}
	for i := range list {
		one := &list[i]
		if one.EnvironmentID != 0 && one.EnvironmentID != v.Environment.ID {
			continue
		}
		if have := v.own[one.Name]; have == nil || precedence[one.Scope] > precedence[have.Scope] {
			v.own[one.Name] = one
		}
	}
	return v, nil
}

// precedence of a scope over those with lower numbers.
var precedence = map[string]int{workspace.ScopeEnvironment: 2, workspace.ScopePortal: 1, workspace.ScopeGlobal: 0}

// look records that name is used and returns its details without reading secrets
// from the keyring.
func (v *Values) look(name string) Used {
	if i, have := v.at[name]; have {
		return v.Seen[i]
	}
	u := Used{Name: name}
	if value, ok := v.Given[name]; ok {
		u = Used{Name: name, Value: value, Scope: "run", Known: true}
		if own := v.own[name]; own != nil && own.Secret || resource.SecretName(name) {
			u.Value, u.Secret, v.Plain[name] = resource.Mask, true, value
		}
	} else if own := v.own[name]; own != nil {
		u = Used{Name: name, Value: own.Value, Scope: own.Scope, Known: !own.Secret || own.Value != "",
			Secret: own.Secret}
		if own.EnvironmentID != 0 {
			u.Environment = v.Environment.Name
		}
	} else if value, ok := v.builtIn(name); ok {
		u = Used{Name: name, Value: value, Scope: "built-in", Known: true}
	}
	v.at[name] = len(v.Seen)
	v.Seen = append(v.Seen, u)
	return u
}

// value returns the text that is sent for the variable name.
func (v *Values) value(name string) (value string, ok bool, err error) {
	u := v.look(name)
	if v.Stand != nil {
		return v.Stand(u), true, nil
	}
	if !u.Known || !u.Secret {
		return u.Value, u.Known, nil
	}
	if value, ok := v.Plain[name]; ok {
		return value, true, nil
	}
	value, err = v.secret(v.own[name])
	if fault.Is(err, fault.Unknown) {
		return "", false, nil
	}
	v.Plain[name] = value
	return value, err == nil, err
}

var nowOffset = regexp.MustCompile(`^\$now([+-])(\d{1,9})([smhdw])$`)

var offsetUnits = map[string]int64{"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}

func (v *Values) builtIn(name string) (string, bool) {
	switch name {
	case "$now":
		return strconv.FormatInt(v.Now.Unix(), 10), true
	case "$userId":
		return strconv.FormatInt(v.userID, 10), true
	case "$uuid":
		return newUUID(), true
	}
	parts := nowOffset.FindStringSubmatch(name)
	if parts == nil {
		return "", false
	}
	n, err := strconv.ParseInt(parts[2], 10, 64)
	if err != nil {
		return "", false
	}
	seconds := n * offsetUnits[parts[3]]
	if parts[1] == "-" {
		seconds = -seconds
	}
	return strconv.FormatInt(v.Now.Unix()+seconds, 10), true
}

// newUUID returns a random UUID (RFC 9562, version 4).
func newUUID() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// Manner is a way to fill in a draft.
type Manner int

// The ways to fill in a draft.
const (
	Strict Manner = iota // an unknown variable is an error
	Anyway               // an unknown variable is sent as typed
	Shown                // nothing is an error, and secrets are masked
)

// Filler replaces the variables of one draft.
type Filler struct {
	*Values
	manner  Manner
	budget  *budget.Budget
	field   string          // place of the first unknown variable
	unknown []string        // in order of appearance
	missed  map[string]bool // nil until there is one
}

// roomToFill limits how much a draft may grow when its variables are filled in,
// in bytes.
const roomToFill = 4 << 20

// Filler returns a filler for one draft. Each use of a value counts against the
// limit, so that a small draft cannot create a huge request.
func (v *Values) Filler(m Manner, d *workspace.Draft) *Filler {
	room := roomToFill + 2*sizeOf(d)
	return &Filler{Values: v, manner: m,
		budget: budget.New(v.ctx, budget.Limits{Bytes: room, Steps: 16 * room})}
}

// sizeOf returns the total bytes of a draft's texts.
func sizeOf(d *workspace.Draft) int64 {
	n := len(d.Path) + len(d.Body)
	for _, rows := range []workspace.Rows{d.PathParams, d.Query, d.Headers} {
		for _, r := range rows {
			n += len(r.Key) + len(r.Value)
		}
	}
	return int64(n)
}

// spend spends n bytes of the budget; field is their place.
func (f *Filler) spend(field string, n int) error {
	err := f.budget.Bytes(n)
	if budget.Spent(err) {
		return fault.At(field, "With its variables filled in, the request is larger than %s allows. Use shorter "+
			"values, or use them less often.", amount(roomToFill))
	}
	return err
}

// reference matches a variable in a text.
var reference = regexp.MustCompile(`\{\{\s*([^{}\s][^{}]*?)\s*\}\}`)

// mayRefer reports whether a text can hold a reference. It is much faster than the pattern,
// and most texts hold none.
func mayRefer(text string) bool { return strings.Contains(text, "{{") }

// filled is a text whose variables are filled in: as it is sent, and as it is shown,
// where secrets are masked.
type filled struct {
	sent, masked strings.Builder
	differs      bool // masked is not sent; otherwise masked is empty
	sentOnly     bool // it is never shown
}

// add adds a text that holds no variable.
func (t *filled) add(text string) { t.addMasked(text, text) }

// addMasked adds a text that is shown as masked.
func (t *filled) addMasked(text, masked string) {
	if !t.differs && masked != text && !t.sentOnly {
		t.differs = true
		t.masked.WriteString(t.sent.String())
	}
	if t.differs {
		t.masked.WriteString(masked)
	}
	t.sent.WriteString(text)
}

// shown returns the text as it is shown.
func (t *filled) shown() string {
	if t.differs {
		return t.masked.String()
	}
	return t.sent.String()
}

// fill adds text to out and replaces its references. It converts the text between them
// through literal, and values by place; unknown references that are sent anyway
// are literal, too.
func (f *Filler) fill(out *filled, field, text string, literal func(string) string,
	place func(name, value string) (string, error)) error {
	if !mayRefer(text) {
		out.add(literal(text))
		return nil
	}
	last := 0
	for _, at := range reference.FindAllStringSubmatchIndex(text, -1) {
		out.add(literal(text[last:at[0]]))
		last = at[1]
		if err := f.one(out, field, text[at[0]:at[1]], text[at[2]:at[3]], literal, place); err != nil {
			return err
		}
	}
	out.add(literal(text[last:]))
	return nil
}

// one adds what replaces a single reference.
func (f *Filler) one(out *filled, field, typed, name string, literal func(string) string,
	place func(name, value string) (string, error)) error {
	u := f.look(name)
	if f.manner == Shown && (u.Secret || !u.Known) {
		out.add(u.shown(typed, resource.Mask))
		return nil
	}
	value, ok, err := f.value(name)
	if err == nil {
		err = f.spend(field, len(value))
	}
	if err != nil {
		return err
	}
	sent := literal(typed)
	if ok {
		sent, err = place(name, value)
	} else {
		f.miss(field, name)
	}
	if err != nil && f.manner == Shown {
		sent, err = typed, nil
	}
	out.addMasked(sent, u.shown(typed, sent))
	return err
}

// shown returns the text that is displayed for a reference whose value is sent.
func (u Used) shown(typed, sent string) string {
	switch {
	case !u.Known:
		return typed
	case u.Secret:
		return resource.Mask
	}
	return sent
}

// miss records that a variable has no value.
func (f *Filler) miss(field, name string) {
	if f.field == "" {
		f.field = field
	}
	if !f.missed[name] {
		if f.missed == nil {
			f.missed = map[string]bool{}
		}
		f.missed[name] = true
		f.unknown = append(f.unknown, name)
	}
}

// mostUnknown limits the unknown variables that an error names.
const mostUnknown = 100

// verdict returns the error for unknown variables, if the filler is strict.
func (f *Filler) verdict() error {
	if len(f.unknown) == 0 || f.manner != Strict {
		return nil
	}
	named := f.unknown[:min(len(f.unknown), mostUnknown)]
	words := make([]string, len(named))
	for i, name := range named {
		words[i] = "{{" + name + "}}"
	}
	message := words[0] + " has no value; set one under Variables, or send anyway"
	if n := len(words) - 1; n > 0 {
		message = strings.Join(words[:n], ", ") + " and " + words[n] +
			" have no value; set one for each under Variables, or send anyway"
	}
	return &fault.Error{Kind: fault.Invalid, Field: f.field, Message: message, Detail: serve.Detail{Unknown: named}}
}
