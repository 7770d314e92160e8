package keep

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"spyglass/app/explorer/serve"
	"spyglass/app/ondisk"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// named is a folder that the caller names.
type named struct{ Dir string }

var folderNames = resource.Resource[*named]{Name: "folderName", Label: "folder", Fields: []resource.Field[*named]{
	{Name: "dir", At: func(n *named) any { return &n.Dir }, Doc: "Its path: absolute in the desktop window, else " +
		"below the folder of --collections", Required: true, MaxLen: 4096},
}}

// Endpoints returns the endpoints of folders.
func (k *Keeper) Endpoints() []resource.Endpoint {
	keep := serve.Post("/collections/{id}/folder", "Sync a collection with a folder", &folderNames, k.keep)
	keep.Doc = "Writes its requests as files, and follows changes of them."
	open := serve.Post("/collections/open", "Open a folder as a collection", &folderNames, k.openFolder)
	open.Doc = "The folder must have a collection.yaml."
	return []resource.Endpoint{
		serve.Get("/collections/folders", "The folders of collections", k.list), keep, open,
		serve.Call("DELETE", "/collections/{id}/folder", "Stop syncing a collection with its folder", k.forget),
	}
}

// folderList lists the folders of the caller.
type folderList struct {
	Items []shownFolder `json:"items"`
	Base  string        `json:"base" doc:"the folder that names are below; empty: they are absolute"`
}

type shownFolder struct {
	CollectionID int64    `json:"collectionId"`
	Dir          string   `json:"dir"`
	Problems     []string `json:"problems" doc:"what cannot be kept in step, one sentence each"`
}

func (k *Keeper) list(ctx context.Context, c *resource.Call) (*folderList, error) {
	all, err := k.all(ctx)
	if err != nil {
		return nil, err
	}
	out := &folderList{Items: []shownFolder{}}
	if !k.Desktop && c.Access.Admin {
		out.Base = k.Below
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, f := range all {
		if f.UserID == c.Access.UserID {
			out.Items = append(out.Items, shownFolder{f.CollectionID, f.Dir, append([]string{}, f.problems...)})
		}
	}
	return out, nil
}

func (k *Keeper) keep(ctx context.Context, c *resource.Call, in *named) (nothing serve.Nothing, err error) {
	id, err := c.ID("id")
	if err != nil {
		return nothing, err
	}
	dir, err := k.usable(ctx, c, in.Dir)
	if err != nil {
		return nothing, err
	}
	if _, err := os.Stat(dir); err != nil {
		if err := k.create(dir); err != nil {
			return nothing, fault.At("dir", "the folder cannot be created: %v", plain(err))
		}
	}
	root, err := k.open(dir)
	if err != nil {
		return nothing, fault.At("dir", "%s", fault.Of(err).Message)
	}
	_, err = root.Lstat(ondisk.CollectionFile)
	_ = root.Close()
	if err == nil {
		return nothing, fault.At("dir", "this folder already has a collection. Open it instead, or name another folder")
	}
	return nothing, k.begin(context.WithoutCancel(ctx), c.Access.UserID, id, dir)
}

// usable returns the path of a folder that no folder of a collection is around or inside.
func (k *Keeper) usable(ctx context.Context, c *resource.Call, dir string) (string, error) {
	dir, err := k.locate(c, dir)
	if err != nil {
		return "", err
	}
	all, err := k.all(ctx)
	if err != nil {
		return "", err
	}
	for _, f := range all {
		for _, pair := range [][2]string{{f.Dir, dir}, {dir, f.Dir}} {
			if inside, err := filepath.Rel(pair[0], pair[1]); err == nil && inside != "." && filepath.IsLocal(inside) {
				return "", fault.At("dir", "collections cannot be inside each other, and %s has one", f.Dir)
			}
		}
	}
	return dir, nil
}

// begin keeps a collection in a folder.
func (k *Keeper) begin(ctx context.Context, userID, id int64, dir string) error {
	row, err := k.Workspace.KeepOnDisk(ctx, userID, id, dir)
	if err != nil {
		return err
	}
	if err := k.reload(ctx); err != nil {
		return err
	}
	all, err := k.all(ctx)
	for _, f := range all {
		if f.ID == row.ID {
			k.sync(ctx, f, true)
		}
	}
	k.Changed(userID)
	return err
}

// reload reads the folders again, and keeps the known state of each.
func (k *Keeper) reload(ctx context.Context) error {
	rows, err := k.Workspace.DiskFolders(ctx)
	if err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	was := k.folders
	k.folders = []*folder{}
	for _, row := range rows {
		at := slices.IndexFunc(was, func(f *folder) bool { return f.ID == row.ID })
		if at >= 0 {
			k.folders = append(k.folders, was[at])
		} else {
			k.folders = append(k.folders, &folder{DiskFolder: row})
		}
	}
	return nil
}

// opened is the collection of a folder.
type opened struct {
	ID int64 `json:"id"`
}

func (k *Keeper) openFolder(ctx context.Context, c *resource.Call, in *named) (*opened, error) {
	dir, err := k.usable(ctx, c, in.Dir)
	if err != nil {
		return nil, err
	}
	root, err := k.open(dir)
	if err != nil {
		return nil, fault.At("dir", "%s", fault.Of(err).Message)
	}
	defer root.Close()
	text, err := ondisk.ReadFile(root, ondisk.CollectionFile)
	if os.IsNotExist(err) {
		return nil, fault.At("dir", "this folder has no %s, so it is not that of a collection", ondisk.CollectionFile)
	}
	var top ondisk.Collection
	if err == nil {
		top, err = ondisk.DecodeCollection(ondisk.CollectionFile, text)
	}
	if err != nil {
		return nil, fault.At("dir", "%s", fault.Of(err).Message)
	}
	var variables []workspace.Variable
	for name, value := range top.Variables {
		variables = append(variables, workspace.Variable{PortalID: workspace.PortalID(c), Name: name, Value: value,
			Secret: resource.SecretName(name)})
	}
	ctx, user := context.WithoutCancel(ctx), c.Access.UserID
	made, err := k.Workspace.Plant(ctx, user, 0, []workspace.Folder{{Name: top.Name, Doc: top.Doc}}, variables)
	if err != nil {
		return nil, err
	}
	out := &opened{made.Collections[0]}
	if err := k.begin(ctx, user, out.ID, dir); err != nil {
		return nil, err
	}
	return out, nil
}

func (k *Keeper) forget(ctx context.Context, c *resource.Call) (nothing serve.Nothing, err error) {
	id, err := c.ID("id")
	if err != nil {
		return nothing, err
	}
	k.syncing.Lock() // a pass under way ends first
	defer k.syncing.Unlock()
	ctx = context.WithoutCancel(ctx)
	if _, err := k.Workspace.ForgetDisk(ctx, c.Access.UserID, id); err != nil {
		return nothing, err
	}
	return nothing, k.reload(ctx)
}
