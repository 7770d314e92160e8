package session

import (
	"context"
	"fmt"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/portal/collector"
	"spyglass/backend/resource"
)

// collectorPrefix is the prefix of the bearer tokens of collectors.
const collectorPrefix = "col_"

// NewCollectorToken returns a bearer token for a collector, col_ID_SECRET, and
// the hash to store. The collector program reads its id from the token.
func NewCollectorToken(collector int64) (bearer, hash string) {
	bearer = fmt.Sprintf("%s%d_%s", collectorPrefix, collector, newSecret())
	return bearer, bearerHash(bearer)
}

// byCollector returns the Access of the collector that owns the token. It allows
// only what collectors do.
func (s *Service) byCollector(ctx context.Context, bearer string) (*resource.Access, error) {
	value, err := s.db.Memo("session.collectors", []string{string(collector.CollectorTokens.Name)},
		func() (any, error) {
			rows, err := resource.Find(context.WithoutCancel(ctx), s.db, collector.CollectorTokens.Name)
			all := make(map[string]*collector.CollectorToken, len(rows))
			for i := range rows {
				all[rows[i].Hash] = &rows[i]
			}
			return all, err
		})
	if err != nil {
		return nil, err
	}
	token := value.(map[string]*collector.CollectorToken)[bearerHash(bearer)]
	switch {
	case token == nil:
		return nil, errBadToken()
	case token.ExpiresOn > 0 && resource.SecondsOf(s.clock()) >= token.ExpiresOn:
		return nil, fault.New(fault.NoLogin, "the installation token has expired; download the installer again")
	}
	area := collector.AreaCollecting
	if token.Installs {
		area = collector.AreaInstalling
	}
	return &resource.Access{
		User: fmt.Sprintf("collector %d", token.CollectorID), Role: "collector", Collector: token.CollectorID,
		Grants: []resource.Grant{{Object: resource.Setting, Area: area, Op: resource.Modify}},
	}, nil
}

func isCollectorToken(bearer string) bool { return strings.HasPrefix(bearer, collectorPrefix) }
