//go:build desktop

package shell

// With WebviewGpuPolicyNever the processor draws the page, so that the driver that these calls
// look for is unused. Loading it takes 26 MB and part of the start.

/*
#cgo pkg-config: glib-2.0
#include <glib.h>

static void leave_graphics_alone(void) {
	g_setenv("GDK_GL", "disable", FALSE);
	g_setenv("WEBKIT_DISABLE_DMABUF_RENDERER", "1", FALSE);
	g_setenv("WEBKIT_WEB_RENDER_DEVICE_FILE", "/dev/null", FALSE);
}
*/
import "C"

// leaveGraphicsAlone keeps GTK and WebKit from loading a graphics driver into
// this process, unless the user's environment says otherwise. Call it before
// opening the window. The environment that programs get from os/exec stays
// unchanged.
func leaveGraphicsAlone() { C.leave_graphics_alone() }
