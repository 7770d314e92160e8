package store

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

func propIndex(props []resource.Property, name string) int {
	return slices.IndexFunc(props, func(p resource.Property) bool { return strings.EqualFold(p.Name, name) })
}

func (t *Table) noProp(name string) error {
	return fault.New(fault.Unknown, "the %s has no property %q", t.res.Label, name)
}

func propNamed(props []resource.EntityProperty, name string) *resource.EntityProperty {
	for i := range props {
		if strings.EqualFold(props[i].Name, name) {
			return &props[i]
		}
	}
	return nil
}

// getProp returns one effective property.
func (t *Table) getProp(ctx context.Context, c *resource.Call) (any, error) {
	fields := resource.ParseFields(c.Query)
	if err := knownPropFields(fields); err != nil {
		return nil, err
	}
	props, err := t.readProps(ctx, c)
	if err != nil {
		return nil, err
	}
	p := propNamed(props, c.Vars["name"])
	if p == nil {
		return nil, t.noProp(c.Vars["name"])
	}
	tag := resource.ETag(propJSON(p, nil))
	if c.NotIf != "" && resource.MatchesETag(c.NotIf, tag) {
		return &resource.Response{ETag: tag, Same: true}, nil
	}
	return &resource.Response{ETag: tag, Body: resource.JSON(propJSON(p, fields))}, nil
}

// propBody is the body of a write of a property. Read-only fields are accepted
// and ignored.
type propBody struct {
	Name        *string `json:"name"`
	Value       *string `json:"value"`
	Type        any     `json:"type"`
	InheritList any     `json:"inheritList"`
	Secret      *bool   `json:"secret"`
}

// given returns the property with the changes of the body.
func (b *propBody) given(p resource.Property) resource.GivenProperty {
	out := resource.GivenProperty{Property: p, Flagged: b.Secret != nil}
	if b.Value != nil {
		out.Value = *b.Value
	}
	if b.Secret != nil {
		out.Secret = *b.Secret
	}
	return out
}

func (t *Table) addProp(ctx context.Context, c *resource.Call) (any, error) {
	var body propBody
	if err := c.Read(&body); err != nil {
		return nil, err
	}
	switch {
	case body.Name == nil:
		return nil, fault.At("name", "name is required")
	case body.Value == nil:
		return nil, fault.At("value", "value is required")
	}
	prop := body.given(resource.Property{Name: *body.Name}).Property
	if err := resource.CheckProperty("name", prop); err != nil {
		return nil, err
	}
	return t.writeProp(ctx, c, prop.Name, func(own []resource.Property) ([]resource.Property, error) {
		if propIndex(own, prop.Name) >= 0 {
			return nil, &fault.Error{Kind: fault.Conflict, Field: "name", Message: "the " + t.res.Label +
				" already has a property " + prop.Name}
		}
		own = append(own, prop)
		return own, resource.CheckProperties("name", own)
	})
}

// setProp handles PUT, or PATCH, where the value is optional.
func (t *Table) setProp(whole bool) func(context.Context, *resource.Call) (any, error) {
	return func(ctx context.Context, c *resource.Call) (any, error) {
		var body propBody
		if err := c.Read(&body); err != nil {
			return nil, err
		}
		name := c.Vars["name"]
		switch {
		case whole && body.Value == nil:
			return nil, fault.At("value", "value is required")
		case body.Name != nil && !strings.EqualFold(*body.Name, name) && !c.Lenient:
			return nil, fault.At("name", "a property cannot be renamed; add one named %q and delete this one",
				*body.Name)
		}
		return t.writeProp(ctx, c, name, func(own []resource.Property) ([]resource.Property, error) {
			k := propIndex(own, name)
			if k < 0 {
				return nil, fault.New(fault.Unknown, "the %s has no property %q of its own; add it with POST",
					t.res.Label, name)
			}
			shown := own[k]
			shown.Value = shown.Shown() // without a value, it stays the same
			kept, err := resource.Kept("value", []resource.GivenProperty{body.given(shown)}, own)
			if err != nil {
				return nil, err
			}
			own[k] = kept[0]
			return own, resource.CheckProperty("value", own[k])
		})
	}
}

func (t *Table) dropProp(ctx context.Context, c *resource.Call) (any, error) {
	name := c.Vars["name"]
	_, err := t.writeProp(ctx, c, name, func(own []resource.Property) ([]resource.Property, error) {
		k := propIndex(own, name)
		if k < 0 {
			return nil, fault.New(fault.Unknown, "the %s has no property %q of its own", t.res.Label, name)
		}
		return slices.Delete(own, k, k+1), nil
	})
	return resource.JSON("{}"), err
}

// writeProp changes the row like a PATCH of its field of pairs, and returns the
// property of that name.
func (t *Table) writeProp(ctx context.Context, c *resource.Call, name string,
	edit func(own []resource.Property) ([]resource.Property, error)) (any, error) {
	field := t.res.Props.Field
	body, err := t.res.Read([]byte(`{"`+field+`":[]}`), true) // includes only the given fields
	if err != nil {
		return nil, err
	}
	var response *resource.Response
	err = t.db.write(ctx, func(tx *tx) error {
		row := t.propRow(c)
		was, err := t.own(ctx, tx, row, resource.Modify)
		if err != nil {
			return err
		}
		if err := t.sameProp(ctx, tx, c, was, name); err != nil {
			return err
		}
		now := t.copyOf(was)
		pairs := t.column(field).field.At(now).(*[]resource.Property)
		if *pairs, err = edit(slices.Clone(*pairs)); err != nil {
			return err
		}
		if _, err = t.save(ctx, tx, row, "change", body, was, now); err != nil {
			return err
		}
		response, err = t.shownProp(ctx, tx, c, now, name)
		return err
	})
	if err != nil {
		return nil, err
	}
	return response, nil
}

// sameProp checks If-Match against the current property.
func (t *Table) sameProp(ctx context.Context, tx *tx, c *resource.Call, row any, name string) error {
	if c.IfMatch == "" {
		return nil
	}
	props, err := t.propsOf(ctx, tx, c.Access, row)
	if err != nil {
		return err
	}
	if p := propNamed(props, name); p == nil || !resource.MatchesETag(c.IfMatch, resource.ETag(propJSON(p, nil))) {
		return fault.New(fault.Changed, "the property has changed since you read it; read it again")
	}
	return nil
}

// shownProp returns a property, or nothing if it was deleted.
func (t *Table) shownProp(ctx context.Context, tx *tx, c *resource.Call, row any,
	name string) (*resource.Response, error) {
	props, err := t.propsOf(ctx, tx, c.Access, row)
	if err != nil {
		return nil, err
	}
	p := propNamed(props, name)
	if p == nil {
		return &resource.Response{}, nil
	}
	body := propJSON(p, nil)
	list := strings.ReplaceAll(t.res.Path+"/{id}/properties", "{id}", c.Vars[t.res.Props.Param])
	response := &resource.Response{ETag: resource.ETag(body), Body: resource.JSON(body)}
	if _, named := c.Vars["name"]; !named {
		response.Location = list + "/" + url.PathEscape(p.Name)
	}
	return response, nil
}
