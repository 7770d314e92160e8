package workspace

import (
	"context"
	"fmt"
	"slices"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
	"spyglass/backend/store"
)

// Moved returns the tables that move with a portal between a file and a database on a
// server. Deleted values do not: a file keeps them in memory.
//
// Secrets always move sealed with the portal's key. On the way into a database, those of
// the keyring are sealed first; secretsOf returns them for the id of a portal. On the way
// back, the workspace gives them to the keyring of its process when it needs them.
func Moved(secretsOf func(portal string) Secrets) store.Workspace {
	b := store.Workspace{Tables: store.Tables{Known: shapes()}, Sealed: string(sealedRows)}
	for _, s := range b.Tables.Known {
		if s.Table != string(deletedRows) {
			b.Tables.Moved = append(b.Tables.Moved, s.Table)
		}
	}
	b.Seal = func(ctx context.Context, db *store.DB) ([]string, error) {
		portal, err := db.Known(ctx, "portal")
		if err != nil {
			return nil, err
		}
		return sealAll(ctx, db, secretsOf(portal))
	}
	return b
}

// held is a secret outside of the workspace.
type held struct {
	name  string
	shown string // for the user; "" if it may be missing
}

// allHeld returns the secrets that the rows of all users refer to.
func allHeld(ctx context.Context, from resource.Reader) (all []held, err error) {
	variables, err := resource.Find(ctx, from, variableRows)
	if err != nil {
		return nil, err
	}
	for i := range variables {
		if v := &variables[i]; v.Secret && v.Value != "" {
			all = append(all, held{v.key(), fmt.Sprintf("secret variable %s of user %d", v.Name, v.UserID)})
		}
	}
	portals, err := resource.Find(ctx, from, portalRows)
	for i := range portals {
		p := &portals[i]
		of := fmt.Sprintf("portal %s of user %d", p.Name, p.UserID)
		if p.Secret != "" {
			all = append(all, held{p.key(secretKept), "token or access key of " + of})
		}
		if p.ProxyPassword != "" {
			all = append(all, held{p.key(proxyKept), "proxy password of " + of})
		}
		all = append(all, held{p.key(sessionKept), ""})
	}
	return all, err
}

// sealAll stores the secrets of a keyring in the table. It returns those that the keyring
// does not have.
func sealAll(ctx context.Context, db *store.DB, keyring Secrets) (left []string, err error) {
	for _, err := range []error{add(db, &Variables), add(db, &Portals), add(db, &sealedSecrets)} {
		if err != nil {
			return nil, err
		}
	}
	all, err := allHeld(ctx, db)
	if err != nil {
		return nil, err
	}
	rows, err := resource.Find(ctx, db, sealedRows)
	if err != nil {
		return nil, err
	}
	for _, h := range all {
		i := slices.IndexFunc(rows, func(row sealedSecret) bool { return row.Name == h.name })
		if i >= 0 { // an earlier move has left it; the keyring may have an older one
			if _, err := db.Unseal(placeOf(h.name), rows[i].Sealed); err == nil {
				continue
			}
		}
		secret, err := keyring.Get(h.name)
		switch {
		case fault.Is(err, fault.Unknown):
			if h.shown != "" {
				left = append(left, h.shown)
			}
			continue
		case err != nil:
			return nil, err
		}
		row := &sealedSecret{Name: h.name}
		if i >= 0 {
			row = &rows[i]
		}
		row.Sealed = db.Seal(placeOf(h.name), []byte(secret))
		if err := db.Write(ctx, func(tx resource.Tx) error {
			return resource.Put(ctx, tx, sealedRows, row)
		}); err != nil {
			return nil, err
		}
	}
	return left, nil
}

func add[T any](db *store.DB, r *resource.Resource[T]) error {
	_, err := store.Add(db, r)
	return err
}

// adopting implements Secrets with a keyring that takes over the secrets of a vault. Those
// in the vault are newer.
type adopting struct {
	Secrets
	vault vault
}

// Get implements Secrets. Without a keyring, the secret stays in the vault, too.
func (a adopting) Get(name string) (string, error) {
	secret, err := a.vault.Get(name)
	if fault.Is(err, fault.Unknown) {
		return a.Secrets.Get(name)
	}
	if err == nil && a.Secrets.Set(name, secret) {
		err = a.vault.Delete(name)
	}
	return secret, err
}

// Set implements Secrets.
func (a adopting) Set(name, secret string) (lasts bool) {
	if err := a.forget(name); err != nil {
		a.vault.log.Error("an older secret of the workspace could not be deleted", "name", name, "err", err)
		return false
	}
	return a.Secrets.Set(name, secret)
}

// Delete implements Secrets.
func (a adopting) Delete(name string) error {
	if err := a.forget(name); err != nil {
		return err
	}
	return a.Secrets.Delete(name)
}

// forget deletes a secret from the vault, which rarely has one.
func (a adopting) forget(name string) error {
	found, err := resource.Find(context.Background(), a.vault.db, sealedRows, named(name))
	if err != nil || len(found) == 0 {
		return err
	}
	return a.vault.Delete(name)
}
