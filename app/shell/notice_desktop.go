//go:build desktop

package shell

// tell shows notices until the window closes. Whoever shows them may hang: so
// nobody waits for this goroutine, which ends with the program then.
func (r *running) tell() {
	var shows *notifier
	for {
		select {
		case <-r.closing:
			if shows != nil {
				_ = shows.close() // nothing is left to be shown
			}
			return
		case notice := <-r.window.Notices:
			if err := r.show(&shows, notice); err != nil {
				r.window.Log.Warn("the desktop shows no notices", "err", err)
			}
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
