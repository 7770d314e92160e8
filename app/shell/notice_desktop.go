//go:build desktop

package shell

// tell shows notices until the window closes. The notification service may hang,
// so nothing waits for this goroutine.
func (r *running) tell() {
	var shows *notifier
	silent := false // it is said once that nothing shows them, not for each
	for {
		select {
		case <-r.closing:
			if shows != nil {
				_ = shows.close() // nothing is left to be shown
			}
			return
		case notice := <-r.window.Notices:
			err := r.show(&shows, notice)
			if err != nil && !silent {
				r.window.Log.Warn("the desktop shows no notices", "err", err)
			}
			silent = err != nil
		}
	}
}

// show shows one notice; the first one finds out how.
func (r *running) show(by **notifier, notice Notice) (err error) {
	if *by == nil {
		if *by, err = newNotifier(r.wails, r.window.Link); err != nil {
			return err
		}
	}
	return (*by).show(r.wails, notice)
}
