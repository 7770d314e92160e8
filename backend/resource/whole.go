package resource

import "context"

// Whole is the envelope of a list without pages.
type Whole[T any] struct {
	Total    int     `json:"total" doc:"number of items"`
	SearchID *string `json:"searchId" doc:"always null; kept for clients of the published API"`
	Items    []T     `json:"items"`
	Data     *string `json:"data" doc:"always null; kept for clients of the published API"`
}

// WholeList returns an endpoint that lists a fixed table: GET path, for every
// signed-in user.
func WholeList[T any](path string, table []T) Endpoint {
	response := SchemaOf(Whole[T]{})
	response.Name = SchemaOf(*new(T)).Name + "List"
	return Endpoint{Method: "GET", Path: path, Right: Right{Object: Anyone}, Response: &response,
		Handle: func(context.Context, *Call) (any, error) {
			return Whole[T]{Total: len(table), Items: table}, nil
		}}
}
