package monitor

import (
	"context"
	"fmt"
	"strings"

	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/override"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
)

// plan holds the thresholds of one instance. Instances with equal thresholds
// share it.
type plan struct {
	points []rule
}

// rule is the threshold of one data point.
type rule struct {
	id            int64
	text          string
	expr          threshold.AlertExpr
	noData        int64 // severity of missing data; 0: no alert
	opens, clears int64 // consecutive polls, at least 1
	disabled      bool
}

// severity returns the severity of a reading according to the rule; known is
// false if the reading has no value for it.
func (r *rule) severity(one *reading) (severity int64, known bool) {
	v, ok := one.values[r.id]
	if ok && v == v {
		return r.expr.Severity(v), true
	}
	if one.first && one.values != nil || r.noData == 0 {
		return 0, false
	}
	return r.noData, true
}

// plans caches the plans of instances until a threshold or a data source changes.
type plans struct {
	thresholds *override.Thresholds
	tree       *fleet.Tree
	of         map[int64]planned
	shared     map[string]*plan
}

type planned struct {
	formula *formula
	watched *watched
	plan    *plan
}

// maxPlans limits the cached plans; beyond it all plans are built again.
const maxPlans = 500_000

func (p *plans) begin(ctx context.Context, r resource.Reader) error {
	thresholds, err := override.ThresholdsOf(ctx, r)
	if err != nil {
		return err
	}
	tree, err := fleet.TreeOf(ctx, r)
	if err != nil {
		return err
	}
	if p.of == nil || p.thresholds != thresholds || p.tree != tree || len(p.of) > maxPlans {
		*p = plans{thresholds, tree, map[int64]planned{}, map[string]*plan{}}
	}
	return nil
}

func (p *plans) find(w *watched, f *formula) *plan {
	if have, ok := p.of[w.instance]; ok && have.formula == f && have.watched == w {
		return have.plan
	}
	made, key := p.work(w, f)
	if have := p.shared[key]; have != nil {
		made = have
	} else {
		p.shared[key] = made
	}
	if w.task != nil {
		p.of[w.instance] = planned{f, w, made}
	}
	return made
}

// work builds a plan, and a text that is equal for equal plans.
func (p *plans) work(w *watched, f *formula) (*plan, string) {
	alertsOff := w.alertsOff
	for _, g := range p.tree.Above(w.spot.Groups) {
		alertsOff = alertsOff || g.DisableAlerting
	}
	made, key := &plan{}, strings.Builder{}
	for i := range f.source.DataPoints {
		dp := &f.source.DataPoints[i]
		e := p.thresholds.For(w.spot, dp)
		r := rule{id: dp.ID, text: e.Expr, opens: max(1, e.Transition), clears: max(1, e.ClearTransition),
			disabled: alertsOff || e.Disabled}
		if expr, err := threshold.ParseAlertExpr(e.Expr); err == nil { // its syntax was checked when it was written
			r.expr = expr
		}
		if e.NoData >= threshold.SeverityWarn {
			r.noData = e.NoData
		}
		made.points = append(made.points, r)
		fmt.Fprintln(&key, r.id, r.text, r.noData, r.opens, r.clears, r.disabled)
	}
	return made, key.String()
}
