package ground

// SendInClearDoc describes the field sendInClear; loopback.CheckConsent enforces it.
const SendInClearDoc = "Allow sending secrets unencrypted over http://; otherwise, they are sent to other machines " +
	"over https:// only"
