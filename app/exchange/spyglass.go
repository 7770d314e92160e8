package exchange

import (
	"encoding/json"

	"spyglass/app/workspace"
	"spyglass/backend/fault"
)

const ownVersion = 1

type ownFile struct {
	Spyglass    int                `json:"spyglass"`
	Name        string             `json:"name"`
	Collections []workspace.Folder `json:"collections"`
	Variables   []Variable         `json:"variables,omitempty"`

	Environments []Environment `json:"environments,omitempty"`
}

// Spyglass is the format of Spyglass itself; the package comment describes it.
var Spyglass = Format{
	ID: "spyglass", Label: "Spyglass", Family: "Spyglass",
	Ext: "spyglass.json", Type: "application/json", Variables: true,
	Is: func(f *File) bool { return f.has("spyglass") },
	Read: func(f *File) (*Found, error) {
		var own ownFile
		if err := f.decode(f.Text, &own); err != nil {
			return nil, err
		}
		if own.Spyglass != ownVersion {
			return nil, fault.New(fault.Invalid,
				"%s is from a newer version of Spyglass (format %d); this version reads "+
					"format %d", f.name(), own.Spyglass, ownVersion)
		}
		if err := checkDrafts(f, own.Collections); err != nil {
			return nil, err
		}
		return &Found{Folders: own.Collections, Variables: own.Variables, Environments: own.Environments}, nil
	},
	Write: func(b *Bundle) ([]byte, error) {
		return json.MarshalIndent(ownFile{Spyglass: ownVersion, Name: b.Name, Collections: b.Folders,
			Variables: b.Variables, Environments: b.Environments}, "", "  ")
	},
}

func checkDrafts(f *File, folders []workspace.Folder) error {
	for i := range folders {
		for j := range folders[i].Requests {
			r := &folders[i].Requests[j]
			if err := r.Draft.Check("draft"); err != nil {
				return fault.New(fault.Invalid, "in %s the request %q is wrong: %s", f.name(), r.Name,
					fault.Of(err).Message)
			}
		}
		if err := checkDrafts(f, folders[i].Folders); err != nil {
			return err
		}
	}
	return nil
}
