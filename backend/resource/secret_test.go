package resource_test

import (
	"reflect"
	"strings"
	"testing"
	"unicode"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// secretNames lists names of secret values, grouped by use.
var secretNames = []string{
	// needed by devices and data sources
	"snmp.community", "snmp.authToken", "snmp.privToken", "snmp.authpass", "snmp.privpass", "ro.communities",
	"snmp.rocommunity", "SNMP community string",
	"jdbc.mysql.pass", "ssh.password", "ssh.passphrase", "ssh.pwd", "db.passwd", "dbpass", "mysqlpwd", "dbpassword",
	"MYSQLPASSWORD", "dbPassword", "ldap.bindpw", "db-passwords",
	"PASS", "wmi.Pass", "esx.pass", "wifi.psk", "wpapsk", "WPA2-PSK", "PASSKEYS", "htpasswd", "user passcode",
	"password_hash", "pass1", "db.password_2",
	// issued by clouds
	"aws.key", "AWS_SECRETKEY", "aws.secretkey", "aws.secretAccessKey", "azure.secretkey", "azure.secret_key",
	"azure.accountkey", "gcp.serviceaccountkey", "gcp.serviceAccountJson",
	"storage.accesskey", "x.apikey", "api_key", "api.keys", "API KEYS", "Api-Key", "Ocp-Apim-Subscription-Key",
	"rsa.privatekey", "tls.private-key", "licenseKey", "vault.secret_id",
	"connectionstring", "sql.connection-string", "ConnectionStrings", "db.connStr", "sentry.dsn",
	// sent with a request
	"api.token", "tokens", "oauth.bearer", "oauth.secret", "x.client-secret", "client_secrets", "vault.credential",
	"credentials", "db.creds", "login.cred",
	"Authorization", "http.basicauth", "auth.jwt", "session.cookie", "X-Amz-Security-Token", "x-csrf-token",
	// typed by users
	"pin", "sim.pin", "simpin", "userPin", "door_pin", "pincode", "sim.puk", "mfa.otp", "backup.TOTP",
	"mail.passwort", "vpn.Kennwort", "motdepasse", "db.contraseña", "db.senha",
	// A PIN and a pin on a map or of a plug have the same spelling. A masked place costs
	// a lookup, but a visible PIN opens a door, so that Spyglass masks both.
	"location.pin", "gpio.pin7",
	// The last word alone indicates a secret, even if the letters contain another word.
	"by.pass", "telecom_pass", "mon.key", "tur-key",
}

// shownNames lists names that resemble those of secrets, with the reason why they are not.
var shownNames = map[string]string{
	"":                     "no name",
	"...":                  "no letters",
	"location":             "an ordinary word",
	"system.hostname":      "an ordinary word",
	"passenger":            "pass begins the word",
	"passive":              "pass begins the word",
	"pass.count":           "says something about passwords",
	"password.policy":      "says something about passwords",
	"password_expires_on":  "says when, not what",
	"token.lifetime":       "says something about tokens",
	"tokenizer":            "token begins the word",
	"secretary":            "secret begins the word",
	"keyboard":             "key begins the word",
	"keyboard.layout":      "key begins the word",
	"keystore.path":        "says where, not what",
	"key.id":               "says which, not what",
	"aws.accessKeyId":      "says which, not what",
	"bypass":               "an ordinary word",
	"valve.Bypass":         "an ordinary word",
	"COMPASS":              "an ordinary word",
	"filter.lowpass":       "an ordinary word",
	"monkey":               "an ordinary word",
	"MONKEY":               "an ordinary word",
	"zoo.monkey2":          "an ordinary word",
	"country.turkey":       "an ordinary word",
	"editor.hotkey":        "an ordinary word",
	"spin":                 "pin is not a word of it",
	"fan.spin":             "pin is not a word of it",
	"pinout":               "pin begins the word",
	"ping":                 "pin begins the word",
	"cpu.pinning":          "pin begins the word",
	"credit":               "cred begins the word",
	"sacred":               "cred is not a word of it",
	"adsn":                 "dsn is not a word of it",
	"cookie.domain":        "says where, not what",
	"bearer.type":          "says how, not what",
	"snmp.auth":            "the name of an algorithm",
	"snmp.priv":            "the name of an algorithm",
	"snmp.security":        "a user name",
	"wmi.user":             "a user name",
	"communityName.id":     "says which, not what",
	"ssh.publickey":        "a public key",
	"ssh.public_key":       "a public key",
	"sshPubKey":            "a public key",
	"llm.max_tokens":       "a number",
	"usage.promptTokens":   "a number",
	"connection.strings.n": "says how many",
}

func TestSecretNamesAreRecognizedInEverySpelling(t *testing.T) {
	for _, name := range secretNames {
		snake := strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return r
			}
			return '_'
		}, name)
		spellings := []string{name, strings.ToUpper(name), strings.ToLower(name), snake,
			strings.ReplaceAll(snake, "_", "-"), "custom." + name, name + "2"}
		for _, spelling := range spellings {
			if !resource.SecretName(spelling) {
				t.Errorf("%s (%s) is shown, want masked", spelling, name)
			}
		}
	}
}

func TestNamesSimilarToSecretsAreShown(t *testing.T) {
	for name, why := range shownNames {
		if resource.SecretName(name) {
			t.Errorf("%q is masked, want shown: %s", name, why)
		}
	}
}

func TestMaskedHidesSecretsByNameOrFlag(t *testing.T) {
	kept := []resource.Property{{Name: "site", Value: "Oslo"}, {Name: "snmp.community", Value: "public"},
		{Name: "db.pass"}, {Name: "door", Value: "7-13", Secret: true}}
	want := []resource.Property{{Name: "site", Value: "Oslo"}, {Name: "snmp.community", Value: resource.Mask},
		{Name: "db.pass"}, {Name: "door", Value: resource.Mask, Secret: true}}
	if shown := resource.Masked(kept); !reflect.DeepEqual(shown, want) || kept[1].Value != "public" {
		t.Errorf("shown is %+v and kept %+v, want shown %+v", shown, kept, want)
	}
}

func TestKeptFillsInStoredSecrets(t *testing.T) {
	was := []resource.Property{{Name: "snmp.community", Value: "public"}, {Name: "note", Value: "was"},
		{Name: "door", Value: "7-13", Secret: true}}
	given := func(name, value string) resource.GivenProperty {
		return resource.GivenProperty{Property: resource.Property{Name: name, Value: value}}
	}
	flagged := func(name, value string, secret bool) resource.GivenProperty {
		return resource.GivenProperty{Property: resource.Property{Name: name, Value: value, Secret: secret},
			Flagged: true}
	}
	for _, tt := range []struct {
		name string
		now  resource.GivenProperty
		want resource.Property
		err  string
	}{
		{"a new value replaces the old", given("snmp.community", "private"),
			resource.Property{Name: "snmp.community", Value: "private"}, ""},
		{"an empty value replaces the old", given("snmp.community", ""), resource.Property{Name: "snmp.community"}, ""},
		{"the mask keeps the old under another letter case", given("SNMP.Community", resource.Mask),
			resource.Property{Name: "SNMP.Community", Value: "public"}, ""},
		{"eight stars in no secret are eight stars", given("note", resource.Mask),
			resource.Property{Name: "note", Value: resource.Mask}, ""},
		{"the mask keeps value and flag", given("door", resource.Mask),
			resource.Property{Name: "door", Value: "7-13", Secret: true}, ""},
		{"a new value keeps the flag", given("Door", "8-14"),
			resource.Property{Name: "Door", Value: "8-14", Secret: true}, ""},
		{"a flag is set with a value", flagged("note", "is", true),
			resource.Property{Name: "note", Value: "is", Secret: true}, ""},
		{"a flag is set on a secret name", flagged("snmp.community", resource.Mask, true),
			resource.Property{Name: "snmp.community", Value: "public", Secret: true}, ""},
		{"a flag is taken away with a new value", flagged("door", "open", false),
			resource.Property{Name: "door", Value: "open"}, ""},
		{"a flag that is taken away does not show the value", flagged("door", resource.Mask, false),
			resource.Property{}, `customProperties: "door" is secret; send its value again to show it`},
		{"a name stays secret without the flag", flagged("snmp.community", resource.Mask, false),
			resource.Property{Name: "snmp.community", Value: "public"}, ""},
		{"a new property has the flag that is given", flagged("safe", "4711", true),
			resource.Property{Name: "safe", Value: "4711", Secret: true}, ""},
	} {
		got, err := resource.Kept("customProperties", []resource.GivenProperty{tt.now}, was)
		if tt.err != "" {
			if f := fault.Of(err); err == nil || f.Kind != fault.Invalid || f.Message != tt.err {
				t.Errorf("%s: %v, want %s", tt.name, err, tt.err)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(got, []resource.Property{tt.want}) {
			t.Errorf("%s: got %+v (%v), want %+v", tt.name, got, err, tt.want)
		}
	}
}

func TestFlagRoundTripsAndIsOmittedIfFalse(t *testing.T) {
	props := []resource.Property{{Name: "a", Value: `x,"secret":true}`},
		{Name: "door", Value: resource.Mask, Secret: true}, {Name: "z", Value: "1"}}
	for _, list := range [][]resource.Property{props, props[1:]} { // with and without escapes
		text := string(resource.AppendProperties(nil, list))
		if back, err := resource.ReadProperties(text); err != nil || !reflect.DeepEqual(back, list) {
			t.Errorf("%s is read as %+v (%v)", text, back, err)
		}
	}
	want := `[{"name":"a","value":"x,\"secret\":true}"},{"name":"door","value":"********"},{"name":"z","value":"1"}]`
	if got := string(resource.WithoutFlags(resource.AppendProperties(nil, props))); got != want {
		t.Errorf("without flags it is %s, want %s", got, want)
	}
}
