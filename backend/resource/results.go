package resource

import (
	"fmt"
	"slices"
	"strconv"

	"spyglass/backend/fault"
)

// Results is the response to a batch: the result of each operation, in order.
type Results struct {
	Succeeded int        `json:"succeeded" doc:"number of successful operations"`
	Failed    int        `json:"failed" doc:"number of failed operations"`
	Results   ResultList `json:"results" doc:"one for each operation, in the order given"`
}

// ResultList is one Result for each operation.
type ResultList []Result

// Result is the result of one operation.
type Result struct {
	Op    string       `json:"op" doc:"as it was sent"`
	ID    int64        `json:"id" doc:"id of the row; 0 if none was created"`
	OK    bool         `json:"ok" doc:"whether it succeeded; in a batch that was refused as a whole, whether it would have"`
	ETag  string       `json:"etag" doc:"current ETag of the row, for ifMatch; empty if there is none"`
	Fault *fault.Error `json:"-"` // has the error of the single write
}

// ResultsSchema describes Results as they are sent.
func ResultsSchema() Schema {
	s := SchemaOf(Results{})
	row := s.Properties[2].Schema.Items
	row.Properties = append(row.Properties, Key{Name: "error", Required: true, Schema: Schema{
		Type: "object", Nullable: true, Doc: "the error of the single write: errorMessage, errorCode, errorDetail; " +
			"null if it succeeded",
	}})
	return s
}

// AppendJSON adds the results to out; failure is the body of an error.
func (r *Results) AppendJSON(out []byte, failure func(*fault.Error) []byte) []byte {
	out = strconv.AppendInt(append(out, `{"succeeded":`...), int64(r.Succeeded), 10)
	out = strconv.AppendInt(append(out, `,"failed":`...), int64(r.Failed), 10)
	return append(r.Results.AppendJSON(append(out, `,"results":`...), failure), '}')
}

// AppendJSON adds the list of results to out.
func (r ResultList) AppendJSON(out []byte, failure func(*fault.Error) []byte) []byte {
	out = append(out, '[')
	for i, one := range r {
		if i > 0 {
			out = append(out, ',')
		}
		out = AppendString(append(out, `{"op":`...), one.Op)
		out = strconv.AppendInt(append(out, `,"id":`...), one.ID, 10)
		out = strconv.AppendBool(append(out, `,"ok":`...), one.OK)
		out = AppendString(append(out, `,"etag":`...), one.ETag)
		out = append(out, `,"error":`...)
		if one.Fault == nil {
			out = append(out, "null}"...)
		} else {
			out = append(append(out, failure(one.Fault)...), '}')
		}
	}
	return append(out, ']')
}

// Refused returns the error of a batch that wrote nothing: that of its first
// failed operation, with all results in its Detail.
func (r *Results) Refused() *fault.Error {
	for i := range r.Results {
		f := r.Results[i].Fault
		if f == nil {
			continue
		}
		out := &fault.Error{Kind: f.Kind, Field: fmt.Sprintf("operations[%d]", i), Allowed: f.Allowed, Err: f.Err,
			Message: fmt.Sprintf("nothing was written: %d of %d operations failed, number %d first: %s", r.Failed,
				len(r.Results), i, f.Message)}
		if f.Field != "" {
			out.Field += "." + f.Field
		}
		results := slices.Clone(r.Results)
		for k := range results { // nothing was created
			if results[k].ETag = ""; results[k].Op == "create" {
				results[k].ID = 0
			}
		}
		out.Detail = map[string]any{"results": results}
		return out
	}
	return nil
}
