// Bench runs PocketBase with the devices of a portal, for `go run ./build bench`
// to compare:
//
//	bench fill FOLDER <devices.jsonl   one device as JSON on each line
//	bench serve FOLDER                 until SIGTERM
//
// Serve prints one line {"origin":"http://…","bearer":"…"} when it is ready. The
// collection has the fields of a device under the same names, its indexes, and
// rules that require a signed-in user; otherwise PocketBase has its defaults.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/pocketbase/dbx"
	"github.com/pocketbase/pocketbase"
	"github.com/pocketbase/pocketbase/apis"
	"github.com/pocketbase/pocketbase/core"
)

func main() {
	if len(os.Args) != 3 || os.Args[1] != "fill" && os.Args[1] != "serve" {
		fmt.Fprintln(os.Stderr, "usage: bench fill|serve FOLDER")
		os.Exit(2)
	}
	app := pocketbase.NewWithConfig(pocketbase.Config{DefaultDataDir: os.Args[2], HideStartBanner: true})
	err := app.Bootstrap()
	switch {
	case err != nil:
	case os.Args[1] == "fill":
		err = errors.Join(fill(app, os.Stdin), app.ResetBootstrapState())
	default:
		err = serve(app, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// fill creates the collection, and adds the devices without applying its rules.
func fill(app core.App, devices io.Reader) error {
	if err := app.RunAllMigrations(); err != nil {
		return err
	}
	if err := app.Save(collection()); err != nil {
		return err
	}
	if err := app.RunInTransaction(func(tx core.App) error { return insert(tx, devices) }); err != nil {
		return err
	}
	_, err := app.NonconcurrentDB().NewQuery("PRAGMA wal_checkpoint(TRUNCATE)").Execute()
	return err
}

// collection declares the devices; PocketBase creates the ids.
func collection() *core.Collection {
	c := core.NewBaseCollection("devices")
	for _, name := range []string{"name", "displayName", "description", "hostStatus", "alertStatus",
		"hostGroupIds", "link"} {
		c.Fields.Add(&core.TextField{Name: name, Max: 4000, Required: name == "name"})
	}
	for _, name := range []string{
		"deviceType", "preferredCollectorId", "currentCollectorId", "relatedDeviceId", "createdOn", "updatedOn",
		"lastDataTime", "lastRawdataTime", "upTimeInSeconds", "deletedTimeInMs", "alertStatusPriority",
	} {
		c.Fields.Add(&core.NumberField{Name: name})
	}
	for _, name := range []string{"disableAlerting", "enableNetflow"} {
		c.Fields.Add(&core.BoolField{Name: name})
	}
	for _, name := range []string{"customProperties", "systemProperties", "autoProperties", "inheritedProperties"} {
		c.Fields.Add(&core.JSONField{Name: name})
	}
	for _, name := range []string{"name", "hostStatus", "preferredCollectorId", "createdOn", "updatedOn"} {
		c.AddIndex("devices_"+name, false, name, "")
	}
	c.AddIndex("devices_displayName", true, "displayName", "")
	signedIn := "@request.auth.id != ''"
	c.ListRule, c.ViewRule, c.CreateRule = &signedIn, &signedIn, &signedIn
	return c
}

// signIn creates a user and returns a token for it.
func signIn(app core.App) (string, error) {
	users, err := app.FindCollectionByNameOrId("users")
	if err != nil {
		return "", err
	}
	user := core.NewRecord(users)
	user.SetEmail("bench@example.net")
	user.SetRandomPassword()
	if err := app.Save(user); err != nil {
		return "", err
	}
	return user.NewAuthToken()
}

func insert(tx core.App, devices io.Reader) error {
	lines := bufio.NewScanner(devices)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var device map[string]json.RawMessage
		if err := json.Unmarshal(lines.Bytes(), &device); err != nil {
			return err
		}
		row := dbx.Params{}
		for name, value := range device {
			if value[0] == '[' {
				row[name] = string(value)
				continue
			}
			var scalar any
			if err := json.Unmarshal(value, &scalar); err != nil {
				return err
			}
			row[name] = scalar
		}
		row["id"] = fmt.Sprintf("%015.0f", row["id"])
		if _, err := tx.NonconcurrentDB().Insert("devices", row).Execute(); err != nil {
			return err
		}
	}
	return lines.Err()
}

func serve(app core.App, out io.Writer) error {
	bearer, err := signIn(app)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	app.OnServe().BindFunc(func(e *core.ServeEvent) error {
		e.Listener, e.InstallerFunc = listener, nil
		return e.Next()
	})
	ended := make(chan error, 1)
	go func() { ended <- apis.Serve(app, apis.ServeConfig{HttpAddr: listener.Addr().String()}) }()
	if err := json.NewEncoder(out).Encode(map[string]string{"origin": "http://" + listener.Addr().String(),
		"bearer": bearer}); err != nil {
		return err
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, os.Interrupt)
	select {
	case err := <-ended:
		return err
	case <-stop:
	}
	event := new(core.TerminateEvent)
	event.App = app
	return errors.Join(
		app.OnTerminate().Trigger(event, func(e *core.TerminateEvent) error { return e.App.ResetBootstrapState() }),
		<-ended)
}
