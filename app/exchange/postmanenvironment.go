package exchange

// PostmanEnvironment is an environment or the globals of Postman: variables
// without requests.
var PostmanEnvironment = Format{
	ID: "postman-environment", Label: "Postman environment", Family: "Postman v2.1",
	Ext: "postman_environment.json", Type: "application/json",
	Variables: true,
	Is:        func(f *File) bool { return f.has("values") && (f.has("_postman_variable_scope") || f.has("name")) },
	Read: func(f *File) (*Found, error) {
		var in struct {
			Values []struct {
				postmanRow
				Enabled *bool `json:"enabled"`
			} `json:"values"`
		}
		if err := f.decode(f.Text, &in); err != nil {
			return nil, err
		}
		for _, v := range in.Values {
			if v.Enabled == nil || *v.Enabled {
				f.variable("the environment", Variable{Name: v.Key, Value: v.Value.text, Secret: v.Type == "secret"})
			}
		}
		return &Found{}, nil
	},
}
