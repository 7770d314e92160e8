package endpoint

import (
	"cmp"
	"fmt"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// binEndpoints returns the endpoints of the recycle bin: list, restore and
// delete.
func (d *declaration) binEndpoints(read, write resource.Right,
	fails func(...resource.Failure) []resource.Failure) []resource.Endpoint {
	r, label := d.res, d.one
	one := r.Schema()
	ids := []resource.Param{
		{Name: "id", In: "path", Required: true, Schema: resource.Integer("Id of the deleted " + label),
			Example: r.Deleted}}
	wrong := resource.Failure{Kind: fault.Invalid, When: "a parameter is wrong; errorDetail names it"}
	missing := resource.Failure{Kind: fault.Unknown, When: "there is no such " + label +
		" in the recycle bin, or you cannot view it"}
	clash := resource.Failure{Kind: fault.Conflict, When: "another device has its name now"}
	stale := resource.Failure{Kind: fault.Changed, When: "If-Match was given, and the " + label + " has changed"}
	example := func(path string) resource.Example { return resource.Example{Path: r.Bin + path} }
	list := example("")
	list.Query = [][2]string{{"sort", "-" + r.SoftBy}}
	gone := resource.Noun{One: "deleted " + r.Noun().One, Many: "deleted " + r.Noun().Many}
	return []resource.Endpoint{
		{Method: "GET", Path: r.Bin, Noun: gone, Summary: "List deleted " + d.many, Doc: "Returns the " + d.many +
			" in the recycle bin that the caller can view, one page at a time.",
			Right: read, Params: d.pageParams(), Response: listSchema(one), Lines: &one, Errors: fails(wrong),
			Example: list,
			Handle:  d.do.Bin.List},
		{Method: "POST", Path: r.Bin + "/{id}/restore", Summary: "Restore a deleted " + label,
			Doc: "Moves the " + label +
				" from the recycle bin to its previous groups. References to deleted objects are removed; without " +
				"any group it goes to the root group.",
			Right: write, Params: ids, Response: &one, Tagged: true, Errors: fails(missing, clash, stale),
			Example: example(fmt.Sprintf("/%d/restore", r.Deleted)), Handle: d.do.Bin.Restore},
		{Method: "DELETE", Path: r.Bin + "/{id}", Noun: gone, Summary: "Delete " + Article(label) + " permanently",
			Doc:   "Removes the " + label + " from the recycle bin. It cannot be restored after that.",
			Right: write, Params: ids, Errors: fails(missing, stale), Example: example(fmt.Sprint("/", r.Deleted+1)),
			Handle: d.do.Bin.Purge},
		d.binBatch("batchrestore", "Restore many deleted "+d.many, "Restores up to 1,000 "+d.many+
			" from the recycle bin in one transaction. ", write, fails, d.do.Bin.RestoreMany),
		d.binBatch("batchdelete", "Delete many "+d.many+" permanently",
			"Removes up to 1,000 "+d.many+" from the recycle bin in one transaction. ", write, fails,
			d.do.Bin.PurgeMany),
	}
}

// binBatch returns the endpoint for one change of many deleted rows.
func (d *declaration) binBatch(
	name, summary, doc string, write resource.Right, fails func(...resource.Failure) []resource.Failure, do Handler,
) resource.Endpoint {
	body, response := d.idList("ids"), resource.ResultsSchema()
	body.Name = d.res.Schema().Name + "DeletedIDs"
	path := cmp.Or(d.res.Recycles, d.res.Bin) + "/" + name
	return resource.Endpoint{
		Method: "POST", Path: path, Summary: summary, Doc: doc + oneByOne, Right: write,
		Body: body, Response: &response,
		Errors:  fails(resource.Failure{Kind: fault.Invalid, When: "the list of ids is missing, empty or too long"}),
		Example: resource.Example{Path: path, Body: map[string]any{"ids": []string{fmt.Sprint(d.res.Deleted)}}},
		Handle:  do,
	}
}
