package endpoint

import (
	"spyglass/backend/resource"
)

// operation is one write in the body of a batch.
type operation struct {
	Op      string `json:"op" doc:"create, patch or delete"`
	ID      int64  `json:"id,omitempty" doc:"id of the object to patch or delete"`
	Body    any    `json:"body,omitempty" doc:"body of the POST or PATCH of one object"`
	IfMatch string `json:"ifMatch,omitempty" doc:"the ETag of the object as it was read: the operation fails if it has changed since"`
}

// batchBody is the body of a batch.
type batchBody struct {
	Operations []operation `json:"operations" doc:"up to 1,000, executed in this order"`
	Atomic     bool        `json:"atomic,omitempty" doc:"true, the default: all or nothing. false: failed operations are skipped"`
}

// batchSchema describes the body for rows with that name.
func batchSchema(row string) *resource.Schema {
	s := resource.SchemaOf(batchBody{})
	s.Name = row + "Batch"
	s.Properties[0].Schema.Items.Name = row + "Operation"
	s.Properties[0].Schema.Items.Properties[0].Schema.Enum = []any{"create", "patch", "delete"}
	s.Properties[1].Schema.Default = true
	return &s
}

// batchEndpoint returns POST {path}/batch.
func (d *declaration) batchEndpoint(right resource.Right, fails []resource.Failure) resource.Endpoint {
	response := resource.ResultsSchema()
	return resource.Endpoint{
		Method: "POST", Path: d.res.Path + "/batch", Summary: "Write many " + d.many + " at once",
		Doc: "Creates, patches and deletes up to 1,000 " + d.many +
			" in one transaction, in the order given, with the permissions and the rules of the single writes.\n\n" +
			"All or nothing, unless atomic is false: if an operation fails, nothing is written, the response is " +
			"the error of the first failed one, " +
			"and errorDetail.results has the error of each operation, or null. " +
			"If atomic is false, the response is always 200: successful operations are kept, and results has the " +
			"result of each.",
		Right: right, Params: append(d.parentParam(), d.batchParams()...), Body: batchSchema(d.res.Schema().Name),
		Response: &response, Errors: fails,
		Example: d.example("/batch", d.batchExample()), Handle: d.do.Batch,
	}
}

// batchParams returns the query parameters of the single writes, which apply to all rows.
func (d *declaration) batchParams() []resource.Param {
	return append(d.withOpType(nil), d.flagParams(false)...)
}

func (d *declaration) batchExample() any {
	return map[string]any{"operations": []operation{
		{Op: "create", Body: d.exampleBody(oneMore)},
		{Op: "patch", ID: d.res.Sample, Body: d.exampleBody(oneText)},
	}}
}

// oneByOne documents the response to a change of many rows.
const oneByOne = "A failed one does not affect the others: results has the result of each, in the order given."

// idList describes a body with a list of ids under that name.
func (d *declaration) idList(name string) *resource.Schema {
	ids := resource.List(resource.Text("An id, as in the path of one row"), "Ids of up to 1,000 "+d.many+
		"; one that is named twice counts once")
	return &resource.Schema{Type: "object", Properties: []resource.Key{{Name: name, Required: true, Schema: ids}}}
}
