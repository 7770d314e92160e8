package exchange

import "cmp"

// PostmanEnvironment is an environment or the globals of Postman: variables
// without requests.
var PostmanEnvironment = Format{
	ID: "postman-environment", Label: "Postman environment", Family: "Postman v2.1",
	Ext: "postman_environment.json", Type: "application/json",
	Variables: true,
	Is:        func(f *File) bool { return f.has("values") && (f.has("_postman_variable_scope") || f.has("name")) },
	Read: func(f *File) (*Found, error) {
		var in struct {
			Name   looseText `json:"name"`
			Scope  string    `json:"_postman_variable_scope"`
			Values []struct {
				postmanRow
				Enabled *bool `json:"enabled"`
			} `json:"values"`
		}
		if err := f.decode(f.Text, &in); err != nil {
			return nil, err
		}
		for _, row := range in.Values {
			v := Variable{Name: row.Key, Value: row.Value.text, Secret: row.Type == "secret"}
			switch {
			case row.Enabled != nil && !*row.Enabled:
			case in.Scope == "globals":
				f.variable("the globals", v)
			default:
				f.inEnvironment(cmp.Or(in.Name.text, f.stem("Postman")), v)
			}
		}
		return &Found{}, nil
	},
}
