package resource

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"spyglass/backend/fault"
)

// Body is a request body that was read and checked against the declaration, as
// far as possible without the row it will change.
type Body struct {
	node    Node
	lenient bool
	sealed  map[string]string // the results of Seal, by field
}

// Given reports whether the body names the field.
func (b *Body) Given(field string) bool { return b.node.Get(field) != nil }

// Read parses a body: strict JSON, an object, known keys. Seal runs here, because it may
// be slow and a write must not wait for it; a body whose fields are wrong is refused
// before. Lenient ignores unknown keys.
func (r *Untyped) Read(body []byte, lenient bool) (*Body, error) {
	node, err := ParseObject(body, "the body")
	if err != nil {
		return nil, err
	}
	b := &Body{node: node, lenient: lenient, sealed: map[string]string{}}
	var unsealed []*UntypedField
	for i, key := range node.Keys {
		f := r.field(key)
		if f == nil && !lenient && !r.derives(key) && !r.Keeps(key) {
			return nil, fault.At(key, "%s has no field %q%s", r.Name, key, DidYouMean(key, r.names()))
		}
		if f == nil && lenient && !node.Items[i].isEmpty() && slices.Contains(strings.Fields(r.Refused), key) {
			return nil, fault.At(key, "%s cannot be set: this portal does not have it", key)
		}
		if f != nil && f.Seal != nil && (node.Items[i].Kind == '"' || lenient && node.Items[i].Kind == '0') {
			unsealed = append(unsealed, f)
		}
	}
	if len(unsealed) > 0 {
		if err := r.Apply(b, r.New(), false); err != nil {
			return nil, err
		}
	}
	for _, f := range unsealed {
		if b.sealed[f.Name], err = f.Seal(node.Get(f.Name).Text); err != nil {
			return nil, at(err, f.Name)
		}
	}
	return b, nil
}

// isEmpty reports whether a value is null, false, 0, "", [] or {}.
func (n Node) isEmpty() bool {
	switch n.Kind {
	case 'n', 'f':
		return true
	case 't':
		return false
	case '0':
		return n.Text == "0"
	}
	return n.Text == "" && len(n.Items) == 0
}

func at(err error, field string) error {
	f := *fault.Of(err)
	if f.Kind == fault.Internal {
		return err
	}
	f.Field = field
	return &f
}

func (r *Untyped) field(name string) *UntypedField {
	for i := range r.Fields {
		if r.Fields[i].Name == name && r.Fields[i].Keeps == nil {
			return &r.Fields[i]
		}
	}
	return nil
}

func (r *Untyped) derives(name string) bool {
	return slices.ContainsFunc(r.Derived, func(d Derived) bool { return d.Name == name })
}

func (r *Untyped) names() []string {
	var names []string
	for i := range r.Fields {
		if r.Fields[i].Keeps == nil {
			names = append(names, r.Fields[i].Name)
		}
	}
	return append(names, r.KeptNames()...)
}

// Defaults returns a row with all defaults.
func (r *Untyped) Defaults() (any, error) {
	row := r.New()
	for i := range r.Fields {
		f := &r.Fields[i]
		if f.Default == nil {
			continue
		}
		text, err := json.Marshal(f.Default)
		if err != nil {
			return row, fmt.Errorf("default of %s.%s: %w", r.Name, f.Name, err)
		}
		node, err := ParseJSON(text)
		if err == nil {
			err = f.set(row, node, false)
		}
		if err != nil {
			return row, fmt.Errorf("default of %s.%s: %w", r.Name, f.Name, err)
		}
	}
	return row, nil
}

// Apply writes the given fields into row. It ignores read-only fields, so that
// clients can send back what they have read. With whole, required fields must be
// given; the caller has set all fields to their defaults.
func (r *Untyped) Apply(b *Body, row any, whole bool) error {
	for i := range r.Fields {
		f := &r.Fields[i]
		if f.Keeps != nil {
			if err := f.setKept(row, b); err != nil {
				return err
			}
			continue
		}
		given := b.node.Get(f.Name)
		if given == nil || given.Kind == 'n' && b.lenient {
			if whole && f.Required {
				return fault.At(f.Name, "%s is required", f.Name)
			}
			continue
		}
		if f.ReadOnly {
			continue
		}
		node := *given
		if sealed, ok := b.sealed[f.Name]; ok {
			node.Text = sealed
		}
		if err := f.set(row, node, b.lenient); err != nil {
			return err
		}
	}
	return nil
}

// set reads one JSON value into the field and checks its constraints.
func (f *UntypedField) set(row any, n Node, lenient bool) error {
	if n.Kind == 'n' {
		if at := reflect.ValueOf(f.At(row)).Elem(); at.Kind() == reflect.Pointer {
			at.SetZero()
			return nil
		}
		return fault.At(f.Name, "%s must not be null; leave it out instead", f.Name)
	}
	switch p := f.At(row).(type) {
	case *int64:
		return f.setInteger(p, n, lenient)
	case *Seconds:
		return f.setInteger((*int64)(p), n, lenient)
	case *Millis:
		return f.setInteger((*int64)(p), n, lenient)
	case *TextID:
		return f.setInteger((*int64)(p), n, true)
	case *float64:
		v, err := strconv.ParseFloat(n.Text, 64)
		if n.Kind != '0' && !(lenient && n.Kind == '"') || err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
			return f.wrong("a number")
		}
		*p = v
	case *bool:
		isTrue, isBool := n.boolean(lenient)
		if !isBool {
			return f.wrong("true or false")
		}
		*p = isTrue
	case *string:
		if n.Kind != '"' && !(lenient && n.Kind == '0') {
			return f.wrong("a text in double quotes")
		}
		if now, ok := f.Older[n.Text]; ok && lenient {
			return f.setText(p, now)
		}
		return f.setText(p, n.Text)
	case *IDs:
		return f.setIDs(p, n)
	case *[]Property:
		return f.setProperties(p, n, lenient)
	default:
		return f.setOther(p, n, lenient)
	}
	return nil
}

func (f *UntypedField) wrong(what string) error {
	return &fault.Error{Kind: fault.Invalid, Field: f.Name, Message: f.Name + " must be " + what, Allowed: f.OneOf}
}

func (f *UntypedField) setInteger(p *int64, n Node, lenient bool) error {
	v, ok := int64(0), false
	if n.Kind == '0' || lenient && n.Kind == '"' {
		v, ok = wholeNumber(n.Text, lenient)
	}
	if !ok {
		return f.wrong("a whole number")
	}
	if f.Min != nil && v < *f.Min || f.Max != nil && v > *f.Max {
		switch {
		case f.Max == nil:
			return f.wrong(fmt.Sprintf("at least %d", *f.Min))
		case f.Min == nil:
			return f.wrong(fmt.Sprintf("at most %d", *f.Max))
		}
		return f.wrong(fmt.Sprintf("a whole number from %d to %d", *f.Min, *f.Max))
	}
	if len(f.OneOf) > 0 &&
		!slices.ContainsFunc(f.OneOf, func(a any) bool { return fmt.Sprint(a) == strconv.FormatInt(v, 10) }) {
		return f.wrong(oneOf(f.OneOf))
	}
	*p = v
	return nil
}

func (f *UntypedField) setText(p *string, v string) error {
	if f.Required && strings.TrimSpace(v) == "" {
		return fault.At(f.Name, "%s must not be empty", f.Name)
	}
	if len(f.OneOf) > 0 && !slices.Contains(f.OneOf, any(v)) {
		return f.wrong(oneOf(f.OneOf))
	}
	if f.Seal == nil && utf8.RuneCountInString(v) > f.maxLen() {
		return fault.At(f.Name, "%s must have at most %d characters", f.Name, f.maxLen())
	}
	if f.Sealed && v == Mask {
		return f.wrong("the secret itself; leave it out to keep the stored one")
	}
	if strings.ContainsRune(v, 0) {
		return f.wrong("a text without NUL characters")
	}
	if f.maxLen() <= longestName && !IsLine(v) {
		return f.wrong("one line of text without control characters")
	}
	*p = v
	return nil
}

// longestName is the maximum length of a name.
const longestName = 255

// IsLine reports whether a text can be shown as a name on one line: it contains
// no control characters, line or paragraph separators, direction overrides or
// isolates, or invisible characters. Joiners and direction marks are allowed,
// because real scripts need them.
func IsLine(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		switch {
		case r < ' ', r >= 0x7f && r <= 0x9f, r == 0x2028, r == 0x2029, r == 0x200b, r == 0xfeff:
			return true
		}
		return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r >= 0xe0000 && r <= 0xe007f
	})
}

func oneOf(values []any) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = fmt.Sprint(v)
	}
	return "one of " + strings.Join(words, ", ")
}

func (f *UntypedField) setIDs(p *IDs, n Node) error {
	text := n.Text
	if n.Kind != '"' && n.Kind != '0' {
		return f.wrong(`ids joined by commas in double quotes, "1,2"`)
	}
	ids, err := ParseIDs(text)
	if err != nil {
		return fault.At(f.Name, "%s must be a list of ids joined by commas: %v", f.Name, err)
	}
	*p = ids
	return nil
}

func (f *UntypedField) setProperties(p *[]Property, n Node, lenient bool) error {
	if n.Kind != '[' {
		return f.wrong(pairShape)
	}
	given := make([]GivenProperty, 0, len(n.Items))
	seen := map[string]bool{}
	for _, item := range n.Items {
		prop, err := f.readProperty(item, lenient)
		if err != nil {
			return err
		}
		if err := CheckProperty(f.Name, prop.Property); err != nil {
			return err
		}
		if seen[strings.ToLower(prop.Name)] {
			return fault.At(f.Name, "%s has %q twice", f.Name, prop.Name)
		}
		seen[strings.ToLower(prop.Name)] = true
		given = append(given, prop)
	}
	props, err := Kept(f.Name, given, *p)
	if err != nil {
		return err
	}
	*p = props
	return CheckProperties(f.Name, props)
}

const pairShape = `a list of {"name":"…","value":"…"}`

func (f *UntypedField) readProperty(n Node, lenient bool) (GivenProperty, error) {
	var p GivenProperty
	if n.Kind != '{' {
		return p, f.wrong(pairShape)
	}
	for i, key := range n.Keys {
		v := n.Items[i]
		known := key == "name" || key == "value" || key == "secret"
		switch {
		case lenient && (!known || v.Kind == 'n'):
		case !known:
			return p, fault.At(f.Name, "%s: a property has name, value and secret, but no %q", f.Name, key)
		case key == "secret":
			isTrue, isBool := v.boolean(lenient)
			if !isBool {
				return p, fault.At(f.Name, "%s: secret must be true or false", f.Name)
			}
			p.Secret, p.Flagged = isTrue, true
		case v.Kind != '"' && !(lenient && v.Kind == '0'):
			return p, f.wrong(pairShape)
		case key == "name":
			p.Name = v.Text
		default:
			p.Value = v.Text
		}
	}
	return p, nil
}

// maxProperties limits the properties of one object, because everything below a
// group inherits them.
const maxProperties = 1000

// CheckProperties refuses more properties than one object may have.
func CheckProperties(field string, props []Property) error {
	if len(props) > maxProperties {
		return fault.At(field, "%s: at most %d properties are allowed", field, maxProperties)
	}
	return nil
}

// CheckProperty refuses a property whose name or value cannot be stored.
func CheckProperty(field string, prop Property) error {
	switch {
	case strings.TrimSpace(prop.Name) == "":
		return fault.At(field, "%s: a property needs a name", field)
	case utf8.RuneCountInString(prop.Name) > 255:
		return fault.At(field, "%s: the name of a property can have at most 255 characters", field)
	case utf8.RuneCountInString(prop.Value) > 24000:
		return fault.At(field, "%s: the value of %q has more than 24,000 characters", field, prop.Name)
	case !IsLine(prop.Name), strings.ContainsRune(prop.Value, 0):
		return fault.At(field, "%s: %q contains a control character", field, prop.Name)
	}
	return nil
}

// setOther decodes into a Go value of the row's own type, keys checked unless lenient.
func (f *UntypedField) setOther(p any, n Node, lenient bool) error {
	fresh := reflect.New(reflect.TypeOf(p).Elem())
	schema, text := SchemaOf(fresh.Elem().Interface()), n.Raw
	if lenient {
		text = loosen(nil, n, schema)
	} else if err := checkKeys(f.Name, n, schema); err != nil {
		return err
	}
	if err := json.Unmarshal(text, fresh.Interface()); err != nil {
		return fault.At(f.Name, "%s does not have the documented shape: %s", f.Name,
			strings.TrimPrefix(err.Error(), "json: "))
	}
	reflect.ValueOf(p).Elem().Set(fresh.Elem())
	return nil
}

// checkKeys refuses keys that the schema does not have, including those in
// another letter case, which encoding/json accepts.
func checkKeys(at string, n Node, s Schema) error {
	switch {
	case n.Kind == '[' && s.Items != nil:
		for i, item := range n.Items {
			if err := checkKeys(fmt.Sprintf("%s[%d]", at, i), item, *s.Items); err != nil {
				return err
			}
		}
	case n.Kind == '{' && s.Type == "object":
		var known []string
		for _, k := range s.Properties {
			known = append(known, k.Name)
		}
		for i, key := range n.Keys {
			k := slices.Index(known, key)
			if k < 0 {
				return fault.At(strings.TrimPrefix(at+"."+key, "."), "%s has no field %q%s", cmp.Or(at, "the body"),
					key, DidYouMean(key, known))
			}
			if err := checkKeys(strings.TrimPrefix(at+"."+key, "."), n.Items[i], s.Properties[k].Schema); err != nil {
				return err
			}
		}
	}
	return nil
}
