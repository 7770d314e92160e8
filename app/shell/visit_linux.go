//go:build desktop

package shell

/*
#cgo pkg-config: gtk+-3.0
#cgo !webkit2_41 pkg-config: webkit2gtk-4.0
#cgo webkit2_41 pkg-config: webkit2gtk-4.1

#include <stdlib.h>
#include <gtk/gtk.h>
#include <webkit2/webkit2.h>

// WebKit has these since 2.42; they are NULL where it is older.
#pragma weak webkit_settings_get_all_features
#pragma weak webkit_settings_set_feature_enabled
#pragma weak webkit_feature_list_get_length
#pragma weak webkit_feature_list_get
#pragma weak webkit_feature_list_unref
#pragma weak webkit_feature_get_identifier

static void find_view(GtkWidget *widget, gpointer found) {
	if (WEBKIT_IS_WEB_VIEW(widget))
		*(WebKitWebView **)found = WEBKIT_WEB_VIEW(widget);
	else if (GTK_IS_CONTAINER(widget))
		gtk_container_forall(GTK_CONTAINER(widget), find_view, found);
}

static WebKitWebView *the_view(void) {
	WebKitWebView *view = NULL;
	GList *windows = gtk_window_list_toplevels();
	for (GList *w = windows; w; w = w->next)
		find_view(w->data, &view);
	g_list_free(windows);
	return view;
}

static void turn_off(WebKitSettings *settings, const char *name) {
	if (!webkit_settings_get_all_features)
		return;
	WebKitFeatureList *features = webkit_settings_get_all_features();
	for (gsize i = 0; i < webkit_feature_list_get_length(features); i++) {
		WebKitFeature *feature = webkit_feature_list_get(features, i);
		if (g_str_equal(webkit_feature_get_identifier(feature), name))
			webkit_settings_set_feature_enabled(settings, feature, FALSE);
	}
	webkit_feature_list_unref(features);
}

typedef struct {
	const char *address;
	GAsyncQueue *done;
} Visit;

static gboolean begin(gpointer data) {
	Visit *v = data;
	WebKitWebView *view = the_view();
	if (view) {
		// What a page of the portal says of its openers would make WebKit start
		// another process for it. The window has one page, which the user did not open.
		turn_off(webkit_web_view_get_settings(view), "CrossOriginOpenerPolicy");
		webkit_web_view_load_uri(view, v->address);
	}
	g_async_queue_push(v->done, GINT_TO_POINTER(view ? 1 : 2)); // it takes no NULL
	return G_SOURCE_REMOVE;
}

static int visit(const char *address) {
	Visit v = {address, g_async_queue_new()};
	g_idle_add_full(G_PRIORITY_DEFAULT, begin, &v, NULL);
	int result = GPOINTER_TO_INT(g_async_queue_pop(v.done));
	g_async_queue_unref(v.done);
	return result;
}
*/
import "C"
import "unsafe"

// visit navigates the window to an address instead of the page that it requests
// now, and reports whether it does. Until a page has loaded, WebKit shows the
// first one in the process that it has started; navigating to another origin
// later would start a second process, which takes a fifth of a second.
func visit(address string) bool {
	text := C.CString(address)
	defer C.free(unsafe.Pointer(text))
	return C.visit(text) == 1
}
