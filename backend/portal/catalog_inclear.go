package portal

// sendInClearDoc describes the field sendInClear; loopback.CheckConsent enforces it.
const sendInClearDoc = "Send in clear text over http://: without it, secrets go to another machine over https:// only"
