package resource_test

import (
	"strings"
	"testing"
	"unicode"

	"spyglass/backend/resource"
)

// secretNames are names whose values nobody may read, by what they are for.
var secretNames = []string{
	// what devices and data sources ask for
	"snmp.community", "snmp.authToken", "snmp.privToken", "snmp.authpass", "snmp.privpass", "ro.communities", "snmp.rocommunity", "SNMP community string",
	"jdbc.mysql.pass", "ssh.password", "ssh.passphrase", "ssh.pwd", "db.passwd", "dbpass", "mysqlpwd", "dbpassword", "MYSQLPASSWORD", "dbPassword", "ldap.bindpw", "db-passwords",
	"PASS", "wmi.Pass", "esx.pass", "wifi.psk", "wpapsk", "WPA2-PSK", "PASSKEYS", "htpasswd", "user passcode", "password_hash", "pass1", "db.password_2",
	// what clouds hand out
	"aws.key", "AWS_SECRETKEY", "aws.secretkey", "aws.secretAccessKey", "azure.secretkey", "azure.secret_key", "azure.accountkey", "gcp.serviceaccountkey", "gcp.serviceAccountJson",
	"storage.accesskey", "x.apikey", "api_key", "api.keys", "API KEYS", "Api-Key", "Ocp-Apim-Subscription-Key", "rsa.privatekey", "tls.private-key", "licenseKey", "vault.secret_id",
	"connectionstring", "sql.connection-string", "ConnectionStrings", "db.connStr", "sentry.dsn",
	// what is sent along with a request
	"api.token", "tokens", "oauth.bearer", "oauth.secret", "x.client-secret", "client_secrets", "vault.credential", "credentials", "db.creds", "login.cred",
	"Authorization", "http.basicauth", "auth.jwt", "session.cookie", "X-Amz-Security-Token", "x-csrf-token",
	// what people type
	"pin", "sim.pin", "simpin", "userPin", "door_pin", "pincode", "sim.puk", "mfa.otp", "backup.TOTP",
	"mail.passwort", "vpn.Kennwort", "motdepasse", "db.contraseña", "db.senha",
	// A PIN and a pin on a map or of a plug are one word. A masked place costs a
	// look, a shown PIN opens a door: it is masked.
	"location.pin", "gpio.pin7",
	// The last word is a secret of its own, though the letters spell another word.
	"by.pass", "telecom_pass", "mon.key", "tur-key",
}

// shownNames are names that only look like those of secrets, and why they do not count.
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

func TestSecretNamesCountInEverySpelling(t *testing.T) {
	for _, name := range secretNames {
		snake := strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return r
			}
			return '_'
		}, name)
		spellings := []string{name, strings.ToUpper(name), strings.ToLower(name), snake, strings.ReplaceAll(snake, "_", "-"), "custom." + name, name + "2"}
		for _, spelling := range spellings {
			if !resource.SecretName(spelling) {
				t.Errorf("%s (%s) is shown, want masked", spelling, name)
			}
		}
	}
}

func TestNamesThatOnlyLookLikeSecretsAreShown(t *testing.T) {
	for name, why := range shownNames {
		if resource.SecretName(name) {
			t.Errorf("%q is masked, want shown: %s", name, why)
		}
	}
}

func BenchmarkSecretName(b *testing.B) {
	for b.Loop() {
		resource.SecretName("auto.endpoint.serial_number")
	}
}
