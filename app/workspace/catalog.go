package workspace

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"

	"spyglass/backend/resource"
)

// Catalog is the OpenAPI document of a remote portal.
type Catalog struct {
	ID       int64
	UserID   int64
	PortalID int64
	Zipped   []byte // gzip
}

// MaxCatalog limits the bytes of an OpenAPI document.
const MaxCatalog = 16 << 20

const catalogRows resource.Name[*Catalog] = "catalog"

// catalogs is a table without endpoints: the page gets the parsed catalog
// instead.
var catalogs = resource.Resource[*Catalog]{
	Name: catalogRows, Label: "catalog", Owner: "userId",
	Fields: []resource.Field[*Catalog]{
		{Name: "id", At: func(c *Catalog) any { return &c.ID }, ReadOnly: true},
		{Name: "userId", At: func(c *Catalog) any { return &c.UserID }, ReadOnly: true, WriteOnly: true, Index: true},
		{Name: "portalId", At: func(c *Catalog) any { return &c.PortalID }, ReadOnly: true, WriteOnly: true,
			Index: true},
		{Name: "zipped", At: func(c *Catalog) any { return &c.Zipped }, ReadOnly: true, WriteOnly: true},
	},
	Unique: [][]string{{"portalId"}},
}

// CatalogOf returns the stored document of a portal, or nil.
func (w *Workspace) CatalogOf(ctx context.Context, p *Portal) ([]byte, error) {
	if p.CatalogFrom == "" {
		return nil, nil
	}
	rows, err := resource.Find(ctx, w.db, catalogRows, mine(p.UserID),
		resource.Where{Field: "portalId", Op: "=", Value: p.ID})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(rows[0].Zipped))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(z, MaxCatalog))
}

// KeepCatalog stores the document that was read from an address, replacing an
// earlier one; nil deletes it. It updates the fields of p about the catalog.
func (w *Workspace) KeepCatalog(ctx context.Context, p *Portal, at resource.Millis, from string,
	document []byte) error {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, err := z.Write(document)
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		return err
	}
	return w.db.Write(ctx, func(tx resource.Tx) error {
		row, err := resource.Get(ctx, tx, portalRows, p.ID)
		if err != nil {
			return err // deleted meanwhile
		}
		if err := resource.DeleteAll(ctx, tx, catalogRows,
			resource.Where{Field: "portalId", Op: "=", Value: p.ID}); err != nil {
			return err
		}
		row.CatalogFrom, row.CatalogAt = "", 0
		if document != nil {
			row.CatalogFrom, row.CatalogAt = from, at
			if err := resource.Put(ctx, tx, catalogRows,
				&Catalog{UserID: p.UserID, PortalID: p.ID, Zipped: zipped.Bytes()}); err != nil {
				return err
			}
		}
		p.CatalogFrom, p.CatalogAt = row.CatalogFrom, row.CatalogAt
		return resource.Put(ctx, tx, portalRows, row)
	})
}
