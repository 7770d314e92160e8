package demo

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"

	"spyglass/backend/portal"
	"spyglass/backend/resource"
)

// staff are the users, with their passwords hashed: that is slow, so it is done
// before the transaction.
func staff(o Options) ([]portal.User, error) {
	users := []portal.User{
		// Whoever runs the demo is this one: in the zone of the portal, their machine's, as the rest of the page.
		{ID: 1, Username: "admin", FirstName: "Dana", LastName: "Whitfield", Email: "dana.whitfield@kestrel-freight.example", Phone: "+1 512 555 0110",
			Roles: []portal.RoleRef{{Name: "administrator"}}, Note: "Runs the portal"},
		{ID: 2, Username: "operator", FirstName: "Ingrid", LastName: "Solberg", Email: "ingrid.solberg@kestrel-freight.example", Phone: "+47 21 55 01 10",
			Timezone: "Europe/Oslo", Roles: []portal.RoleRef{{Name: "manager"}}, Note: "Network operations, early shift"},
		{ID: 3, Username: "viewer", FirstName: "Marcus", LastName: "Weber", Email: "marcus.weber@kestrel-freight.example", Phone: "+49 69 5550 0110",
			Timezone: "Europe/Berlin", Roles: []portal.RoleRef{{Name: "readonly"}}, Note: "Service desk"},
	}
	for i := range users {
		u := &users[i]
		u.Status, u.ContactBy, u.SMSFormat = "active", "email", "sms"
		u.GroupIDs = []int64{portal.DefaultAccountGroup}
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

// accountGroups adds groups of users and of roles; nobody is in the last of each.
func (f *filler) accountGroups() error {
	group := func(id int64, name, description string) portal.AccountGroup {
		return portal.AccountGroup{ID: id, Name: name, Description: description, ParentID: portal.DefaultAccountGroup}
	}
	return errors.Join(
		add(f, &portal.UserGroups, &portal.UserGroup{AccountGroup: group(operations, "Operations", "Whoever works in shifts")}, nil),
		add(f, &portal.UserGroups, &portal.UserGroup{AccountGroup: group(3, "Carriers", "Partners who may look at their own depots")}, nil),
		add(f, &portal.RoleGroups, &portal.RoleGroup{AccountGroup: group(operations, "On call", "Roles for nights and weekends")}, nil),
		add(f, &portal.RoleGroups, &portal.RoleGroup{AccountGroup: group(3, "Carriers", "Roles for partners")}, nil),
	)
}

func (f *filler) users(users []portal.User) error {
	ctx, tx := f.write.Context, f.write.Tx
	have, err := resource.Find(ctx, tx, portal.Users.Name)
	if err != nil {
		return err
	}
	for _, u := range users {
		if len(have) > 0 && strings.EqualFold(have[0].Username, u.Username) {
			was := have[0]
			u.ID, u.Password, u.Roles, u.Status, u.CreatedBy = was.ID, was.Password, was.Roles, was.Status, was.CreatedBy
			u.LastLoginOn, u.LastAuthIP = was.LastLoginOn, was.LastAuthIP
			err = resource.Put(ctx, tx, portal.Users.Name, &u)
		} else {
			err = add(f, &portal.Users, &u, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// roles adds one that nobody holds.
func (f *filler) roles() error {
	return add(f, &portal.Roles, &portal.Role{
		ID: 5, Name: "Frankfurt on-call", Description: "Acknowledges what happens in Frankfurt at night, and sees nothing else", GroupID: operations,
		Privileges: []portal.Privilege{{ObjectType: string(resource.DeviceGroup), ObjectID: strconv.FormatInt(siteFrankfurt, 10), ObjectName: "Sites/Frankfurt", Operation: resource.Ack.String()}},
	}, nil)
}

// tokens adds one that is suspended, and whose secrets nobody has ever seen.
func (f *filler) tokens() error {
	hash := sha256.Sum256([]byte(rand.Text()))
	return resource.Put(f.write.Context, f.write.Tx, portal.Tokens.Name, &portal.Token{
		ID: 1, AdminID: 2, AdminName: "operator", AccessID: "w6Zt3RkXq9Vb2NfD", BearerHash: hex.EncodeToString(hash[:]), SealedKey: f.db.Seal(portal.AccessKeyPlace("w6Zt3RkXq9Vb2NfD"), []byte(rand.Text())),
		Note: "nightly export", Status: portal.TokenSuspended, CreatedBy: "operator", CreatedOn: f.ago(203), LastUsedOn: f.ago(38), LastAuthIP: "10.20.8.21",
	})
}
