//go:build desktop

package shell

// GDK knows the positions of the displays; Wails only their sizes.

/*
#cgo pkg-config: gtk+-3.0
#include <stdlib.h>
#include <gtk/gtk.h>

typedef struct {
	char name[64];
	int x, y, width, height, primary;
} Screen;

typedef struct {
	Screen screens[16];
	int count, done;
	GMutex lock;
	GCond ready;
} Screens;

static gboolean fill(gpointer data) {
	Screens *all = data;
	GdkDisplay *display = gdk_display_get_default();
	int count = display ? gdk_display_get_n_monitors(display) : 0;
	g_mutex_lock(&all->lock);
	for (int i = 0; i < count && i < 16; i++) {
		GdkMonitor *monitor = gdk_display_get_monitor(display, i);
		GdkRectangle r;
		Screen *s = &all->screens[all->count++];
		const char *model = gdk_monitor_get_model(monitor);
		gdk_monitor_get_geometry(monitor, &r);
		g_strlcpy(s->name, model ? model : "", sizeof s->name);
		s->x = r.x; s->y = r.y; s->width = r.width; s->height = r.height;
		s->primary = gdk_monitor_is_primary(monitor);
	}
	all->done = 1;
	g_cond_signal(&all->ready);
	g_mutex_unlock(&all->lock);
	return G_SOURCE_REMOVE;
}

// read_screens waits for the thread of the windows, which alone may use GDK.
static void read_screens(Screens *all) {
	g_mutex_init(&all->lock);
	g_cond_init(&all->ready);
	g_mutex_lock(&all->lock);
	g_idle_add_full(G_PRIORITY_DEFAULT, fill, all, NULL);
	while (!all->done) g_cond_wait(&all->ready, &all->lock);
	g_mutex_unlock(&all->lock);
	g_mutex_clear(&all->lock);
	g_cond_clear(&all->ready);
}

typedef struct { int x, y; } Corner;

static gboolean move(gpointer data) {
	Corner *to = data;
	GList *all = gtk_window_list_toplevels();
	for (GList *one = all; one; one = one->next)
		if (gtk_window_get_window_type(one->data) == GTK_WINDOW_TOPLEVEL && !gtk_window_get_transient_for(one->data))
			gtk_window_move(one->data, to->x, to->y);
	g_list_free(all);
	g_free(to);
	return G_SOURCE_REMOVE;
}

static void later(int x, int y) {
	Corner *to = g_new(Corner, 1);
	to->x = x; to->y = y;
	g_idle_add(move, to); // after the calls that Wails has queued, which center the window
}
*/
import "C"

import (
	"errors"
	"unsafe"
)

// displays returns the current screens. Like every call that queries the window,
// it must not be called after beforeClose has returned false.
func (r *running) displays() (found []display, err error) {
	all := (*C.Screens)(C.calloc(1, C.size_t(unsafe.Sizeof(C.Screens{}))))
	defer C.free(unsafe.Pointer(all))
	C.read_screens(all)
	for _, s := range all.screens[:all.count] {
		found = append(found, display{
			Name: C.GoString(&s.name[0]), X: int(s.x), Y: int(s.y), Width: int(s.width), Height: int(s.height),
			Primary: s.primary != 0,
		})
	}
	if len(found) == 0 {
		return nil, errors.New("GDK knows of no display")
	}
	return found, nil
}

// move moves the window to p, relative to the corner of all displays. Wails would
// count from the window's current display, which it may just be leaving.
func (r *running) move(p Place) { C.later(C.int(p.X), C.int(p.Y)) }
