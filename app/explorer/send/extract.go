package send

import (
	"context"
	"strconv"
	"time"

	"spyglass/app/document"
	"spyglass/app/explorer/outgoing"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
)

// extractTime limits the time of all extractors of one response together.
const extractTime = 10 * time.Second

// extract runs the user's extractors that apply to a response, and stores the values
// they find. It reports errors in the result or logs them, because the page shows the
// response in any case.
func (x *Exchange) extract(ctx context.Context, doc *document.Document) []workspace.Extracted {
	ctx = context.WithoutCancel(ctx)
	all, err := x.Workspace.ExtractorsOf(ctx, x.User)
	if err != nil {
		x.Log.ErrorContext(ctx, "extractors did not run", "err", err)
		return nil
	}
	if len(all) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, extractTime)
	defer cancel()
	endpoint := ""
	if x.Out.Endpoint != nil {
		endpoint = x.Out.Endpoint.Method + " " + x.Out.Endpoint.Path
	}
	found := []workspace.Extracted{}
	for i := range all {
		if all[i].Matches(endpoint, strconv.FormatInt(x.History.Status, 10)) {
			found = append(found, x.extractOne(ctx, doc, &all[i]))
		}
	}
	if len(found) == 0 {
		return nil
	}
	err = x.Workspace.KeepExtracted(ctx, x.User, x.History.PortalID, x.environment, x.History.At, found)
	if err != nil {
		x.Log.ErrorContext(ctx, "the values of extractors were not stored", "err", err)
		for i := range found {
			found[i].Value, found[i].Problem = "", "the value could not be stored: "+fault.Of(err).Message
		}
	}
	return found
}

// maxExtracted limits the bytes of an extracted variable.
const maxExtracted = 64 << 10

func (x *Exchange) extractOne(ctx context.Context, doc *document.Document, e *workspace.Extractor) workspace.Extracted {
	out := workspace.Extracted{Extractor: e.ID, Variable: e.Variable, Secret: outgoing.GivesSecrets(x.Out.Endpoint)}
	q, err := x.queries.of("path", e.Path)
	var m document.Match
	n := 0
	if err == nil {
		m, n, err = doc.First(ctx, q, maxExtracted)
	}
	switch {
	case err != nil:
		out.Problem = fault.Of(err).Message
	case n == 0:
		out.Problem = "nothing in the response matches " + e.Path
	case m.More:
		out.Problem = "the value has more than 64 KiB, too much for a variable"
	default:
		out.Value = m.Text
	}
	return out
}
