//go:build desktop && !linux

package notice

import (
	"context"
	"errors"

	desktop "github.com/wailsapp/wails/v2/pkg/runtime"
)

// notifier shows notices through the notifications of Windows and macOS.
type notifier struct{ wails context.Context }

// newNotifier requests the person's permission if the system requires it, and
// waits for it. clicked is called with a notice's link.
func newNotifier(wails context.Context, clicked func(link string)) (*notifier, error) {
	if err := desktop.InitializeNotifications(wails); err != nil {
		return nil, err
	}
	if allowed, err := desktop.RequestNotificationAuthorization(wails); err != nil || !allowed {
		return nil, errors.Join(err, errors.New("notifications are off in the system settings"))
	}
	desktop.OnNotificationResponse(wails, func(result desktop.NotificationResult) {
		if link, ok := result.Response.UserInfo["link"].(string); ok && result.Error == nil {
			clicked(link)
		}
	})
	return &notifier{wails}, nil
}

func (n *notifier) close() error {
	desktop.CleanupNotifications(n.wails)
	return nil
}

func (n *notifier) show(_ context.Context, notice Notice) error {
	return desktop.SendNotification(n.wails, desktop.NotificationOptions{
		ID: notice.Link, Title: notice.Title, Body: notice.Body, Data: map[string]any{"link": notice.Link},
	})
}
