package ground

// SendInClearDoc describes the field sendInClear; loopback.CheckConsent enforces it.
const SendInClearDoc = "Send in clear text over http://: without it, secrets go to another machine over https:// only"
