package check

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gosnmp/gosnmp" // as in snmp.go
)

const (
	mostRows   = MostFound // of a table
	rowsAtOnce = 25
	mostText   = 255 // characters in a name
)

// snmpFind discovers one instance for each row below the method's OID. The values
// with the same index below lookupOID and descriptionOID are its name and
// description. Rows are skipped if their value below typeOID is one of skipTypes,
// a comma-separated list of numbers.
func (d *Dialer) snmpFind(ctx context.Context, s Search) ([]Found, error) {
	ctx, cancel := context.WithTimeout(ctx, 3*snmpWait)
	defer cancel()
	method := func(name string) string { text, _ := s.Attributes[name].(string); return strings.TrimSpace(text) }
	kind := cmp.Or(method("discoveryType"), "wildcard")
	if kind != "wildcard" && kind != "lookup" && kind != "value" {
		return nil, fmt.Errorf("discoveryType must be wildcard, lookup or value, not %q", kind)
	}
	a, err := d.snmp(ctx, s.Host, s.property)
	if err != nil {
		return nil, err
	}
	defer a.close()
	rows, err := a.texts(ctx, "OID", method("OID"))
	if err != nil {
		return nil, err
	}
	var names, descriptions column
	if oid := method("lookupOID"); oid != "" {
		if names, err = a.texts(ctx, "lookupOID", oid); err != nil {
			return nil, err
		}
	}
	if oid := method("descriptionOID"); oid != "" {
		if descriptions, err = a.texts(ctx, "descriptionOID", oid); err != nil {
			return nil, err
		}
	}
	skipped, err := a.skipped(ctx, method("typeOID"), method("skipTypes"))
	if err != nil {
		return nil, err
	}
	found, known := []Found{}, map[string]bool{}
	for _, index := range rows.order {
		wild := index
		if kind == "value" {
			wild = rows.text[index]
		}
		if wild == "" || known[wild] || skipped[index] {
			continue
		}
		known[wild] = true
		found = append(found, Found{wild, cmp.Or(names.text[index], rows.text[index], index), descriptions.text[index]})
	}
	return found, nil
}

// skipped returns the indexes of the rows with one of those types.
func (a *agent) skipped(ctx context.Context, oid, types string) (map[string]bool, error) {
	if oid == "" || types == "" {
		return nil, nil
	}
	of, err := a.texts(ctx, "typeOID", oid)
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, one := range strings.Split(types, ",") {
		for index, text := range of.text {
			if text == strings.TrimSpace(one) {
				out[index] = true
			}
		}
	}
	return out, nil
}

// column is one column of a table: texts by row index.
type column struct {
	order []string
	text  map[string]string
}

// texts reads a column. Having no rows is not an error.
func (a *agent) texts(ctx context.Context, what, oid string) (column, error) {
	root, err := cleanOID(oid)
	if err != nil {
		return column{}, fmt.Errorf("%s: %w", what, err)
	}
	c := column{text: map[string]string{}}
	for at := root; ; {
		response, err := a.next(at)
		if err != nil {
			return column{}, a.sentence(ctx, err)
		}
		if response.Error == gosnmp.NoSuchName { // v1 marks the end of the table this way
			return c, nil
		}
		if response.Error != gosnmp.NoError {
			return column{}, fmt.Errorf("the SNMP agent at %s responds with %s", a.at, response.Error)
		}
		for _, v := range response.Variables {
			index, below := strings.CutPrefix(v.Name, root+".")
			if !below || v.Type == gosnmp.EndOfMibView || v.Type == gosnmp.NoSuchObject ||
				v.Type == gosnmp.NoSuchInstance {
				return c, nil
			}
			if _, twice := c.text[index]; twice || len(c.order) == mostRows {
				return column{}, fmt.Errorf("the SNMP agent at %s returns endless rows below %s", a.at, root)
			}
			c.order, c.text[index], at = append(c.order, index), textOf(v), v.Name
		}
		if len(response.Variables) == 0 {
			return c, nil
		}
	}
}

// next requests the values that follow an OID.
func (a *agent) next(oid string) (*gosnmp.SnmpPacket, error) {
	if a.Version == gosnmp.Version1 { // v1 has no bulk requests
		return a.GetNext([]string{oid})
	}
	return a.GetBulk([]string{oid}, 0, rowsAtOnce)
}

// textOf returns a value as readable text. Bytes that are not text become
// 00:1b:…, like MAC addresses.
func textOf(v gosnmp.SnmpPDU) string {
	bytes, ok := v.Value.([]byte)
	if !ok {
		return fmt.Sprint(v.Value)
	}
	text := strings.TrimSpace(strings.TrimRight(string(bytes), "\x00"))
	if !utf8.ValidString(text) ||
		strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) && !unicode.IsSpace(r) }) {
		text = strings.ReplaceAll(fmt.Sprintf("% x", bytes), " ", ":")
	}
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > mostText {
		return string(runes[:mostText])
	}
	return text
}
