//go:build desktop

package shell

import (
	"github.com/wailsapp/go-webview2/webviewloader" // MIT: finds the runtime that Wails loads
	"golang.org/x/sys/windows"                      // BSD-3-Clause: message boxes
)

// ViewMissing returns the reason why the window cannot show a page, and where to
// get the missing component; "" if it can. Wails reports other problems, such as a
// runtime that is too old.
func ViewMissing() string {
	version, err := webviewloader.GetAvailableCoreWebView2BrowserVersionString("")
	if err != nil || version != "" {
		return ""
	}
	return "The window needs the Microsoft Edge WebView2 runtime, which is not installed. Get it from " +
		"https://developer.microsoft.com/microsoft-edge/webview2/ and start Spyglass again."
}

// Say shows a message until the user closes it, and reports whether it could.
func Say(title, text string) bool {
	caption, err := windows.UTF16PtrFromString(title)
	if err != nil {
		return false
	}
	message, err := windows.UTF16PtrFromString(text)
	if err != nil {
		return false
	}
	const ok = 1 // also if the message is closed; without a display, others
	pressed, _ := windows.MessageBox(0, message, caption, windows.MB_OK|windows.MB_ICONINFORMATION)
	return pressed == ok
}
