package demo

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"

	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/people"
	"spyglass/backend/resource"
)

// staff returns the users with hashed passwords. Hashing is slow, so it is done
// before the transaction.
func staff(o Options) ([]people.User, error) {
	users := []people.User{
		// The demo's main user has no time zone of their own, so the portal's
		// applies, which is that of the machine.
		{ID: 1, Username: "admin", FirstName: "Dana", LastName: "Whitfield",
			Email: "dana.whitfield@kestrel-freight.example", Phone: "+1 512 555 0110",
			Roles: []people.RoleRef{{Name: "administrator"}}, Note: "Administers the portal"},
		{ID: 2, Username: "operator", FirstName: "Ingrid", LastName: "Solberg",
			Email: "ingrid.solberg@kestrel-freight.example", Phone: "+47 21 55 01 10",
			Timezone: "Europe/Oslo", Roles: []people.RoleRef{{Name: "manager"}},
			Note: "Network operations, early shift"},
		{ID: 3, Username: "viewer", FirstName: "Marcus", LastName: "Weber",
			Email: "marcus.weber@kestrel-freight.example", Phone: "+49 69 5550 0110",
			Timezone: "Europe/Berlin", Roles: []people.RoleRef{{Name: "readonly"}}, Note: "Service desk"},
	}
	for i := range users {
		u := &users[i]
		u.Status, u.ContactBy, u.SMSFormat = "active", "email", "sms"
		u.GroupIDs = []int64{ground.DefaultAccountGroup}
		if u.Username == "operator" {
			u.GroupIDs = []int64{operations}
		}
		password, given := o.Passwords[u.Username]
		if !given {
			password = rand.Text()
		}
		var err error
		if u.Password, err = o.Hash(password); err != nil {
			return nil, err
		}
	}
	return users, nil
}

// operations is the id of a user group and of a role group.
const operations int64 = 2

// accountGroups adds user groups and role groups; the last of each is empty.
func (f *filler) accountGroups() error {
	group := func(id int64, name, description string) people.AccountGroup {
		return people.AccountGroup{ID: id, Name: name, Description: description, ParentID: ground.DefaultAccountGroup}
	}
	return errors.Join(
		add(f, &people.UserGroups,
			&people.UserGroup{AccountGroup: group(operations, "Operations", "Users who work in shifts")}, nil),
		add(f, &people.UserGroups, &people.UserGroup{AccountGroup: group(3, "Carriers", "Partners who can view "+
			"their own depots")}, nil),
		add(f, &people.RoleGroups, &people.RoleGroup{AccountGroup: group(operations, "On call", "Roles for nights "+
			"and weekends")}, nil),
		add(f, &people.RoleGroups, &people.RoleGroup{AccountGroup: group(3, "Carriers", "Roles for partners")}, nil),
	)
}

func (f *filler) users(users []people.User) error {
	ctx, tx := f.write.Context, f.write.Tx
	have, err := resource.Find(ctx, tx, people.Users.Name)
	if err != nil {
		return err
	}
	for _, u := range users {
		if len(have) > 0 && strings.EqualFold(have[0].Username, u.Username) {
			was := have[0]
			u.ID, u.Password, u.Roles, u.Status, u.CreatedBy = was.ID, was.Password, was.Roles, was.Status,
				was.CreatedBy
			u.LastLoginOn, u.LastAuthIP = was.LastLoginOn, was.LastAuthIP
			err = resource.Put(ctx, tx, people.Users.Name, &u)
		} else {
			err = add(f, &people.Users, &u, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// roles adds a role without users.
func (f *filler) roles() error {
	return add(f, &people.Roles, &people.Role{
		ID: 5, Name: "Frankfurt on-call",
		Description: "Views and acknowledges alerts of Frankfurt only, at night", GroupID: operations,
		Privileges: []people.Privilege{
			{ObjectType: string(resource.DeviceGroup), ObjectID: strconv.FormatInt(siteFrankfurt, 10),
				ObjectName: "Sites/Frankfurt", Operation: resource.Ack.String()}},
	}, nil)
}

// tokens adds a suspended token, whose secrets are unknown.
func (f *filler) tokens() error {
	hash := sha256.Sum256([]byte(rand.Text()))
	return resource.Put(f.write.Context, f.write.Tx, people.Tokens.Name, &people.Token{
		ID: 1, AdminID: 2, AdminName: "operator", AccessID: "w6Zt3RkXq9Vb2NfD", BearerHash: hex.EncodeToString(hash[:]),
		SealedKey: f.db.Seal(people.AccessKeyPlace("w6Zt3RkXq9Vb2NfD"), []byte(rand.Text())),
		Note:      "nightly export", Status: people.TokenSuspended, CreatedBy: "operator", CreatedOn: f.ago(203),
		LastUsedOn: f.ago(38), LastAuthIP: "10.20.8.21",
	})
}
