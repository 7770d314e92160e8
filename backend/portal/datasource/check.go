package datasource

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"spyglass/backend/check"
	"spyglass/backend/fault"
	"spyglass/backend/pattern"
	"spyglass/backend/resource"
)

const maxAttributeBytes = 64 << 10 // of a collectorAttribute or a discovery method, as JSON

func checkDataSource(w *resource.Write, was, now *DataSource) error {
	now.part()
	if err := checkDataSourceName(w, was, now); err != nil {
		return err
	}
	if now.DisplayName = strings.TrimSpace(now.DisplayName); now.DisplayName == "" {
		now.DisplayName = now.Name
	}
	now.AppliesTo = strings.TrimSpace(now.AppliesTo)
	if was == nil || was.AppliesTo != now.AppliesTo {
		before := ""
		if was != nil {
			before = was.AppliesTo
		}
		load, err := sourceLoad(w.Context, w.Tx)
		if err != nil {
			return err
		}
		if err := CheckAppliesTo(w.Context, w.Tx, "data sources", load, before, now.AppliesTo); err != nil {
			return err
		}
	}
	if len(w.Call.Query.Get("reason")) > maxReason {
		return fault.At("reason", "reason must have at most %d bytes", maxReason)
	}
	if err := now.checkAttribute(w, was); err != nil {
		return err
	}
	if err := now.checkDiscovery(); err != nil {
		return err
	}
	if err := now.checkPoints(was); err != nil {
		return err
	}
	now.keepGraphs(w, was)
	if err := now.drawEach(w); err != nil {
		return err
	}
	if err := now.checkGraphs("graphs", now.Graphs, was); err != nil {
		return err
	}
	if err := now.checkGraphs("overviewGraphs", now.OverviewGraphs, was); err != nil {
		return err
	}
	return now.checkRoom()
}

// part copies lists, so that completing them does not change the row before the
// write.
func (d *DataSource) part() {
	d.DataPoints = append([]DataPoint{}, d.DataPoints...)
	for i := range d.DataPoints {
		d.DataPoints[i].StatusDisplayNames = append([]StatusDisplayName{}, d.DataPoints[i].StatusDisplayNames...)
	}
	d.Graphs, d.OverviewGraphs = partGraphs(d.Graphs), partGraphs(d.OverviewGraphs)
	d.CollectorAttribute = maps.Clone(d.CollectorAttribute)
	if d.Discovery != nil {
		c := *d.Discovery
		c.Filters, c.Method = append([]DiscoveryFilter{}, c.Filters...), maps.Clone(c.Method)
		d.Discovery = &c
	}
	if d.AccessGroupIDs == nil {
		d.AccessGroupIDs = []int64{}
	}
}

func partGraphs(graphs []Graph) []Graph {
	graphs = append([]Graph{}, graphs...)
	for i := range graphs {
		g := &graphs[i]
		g.DataPoints = append([]GraphDataPoint{}, g.DataPoints...)
		g.Virtual = append([]VirtualDataPoint{}, g.Virtual...)
		g.Lines = append([]GraphLine{}, g.Lines...)
	}
	return graphs
}

// checkDataSourceName completes the name. With forceUniqueIdentifier it appends a
// number to a name that exists already.
func checkDataSourceName(w *resource.Write, was, now *DataSource) error {
	now.Name = strings.TrimSpace(now.Name)
	if now.Name == "" || strings.ContainsAny(now.Name, `*?|,"\/`) {
		return fault.At("name", `name must not contain * ? | , " \ and /, because filters and alert rules select `+
			`data sources by it`)
	}
	force, err := w.Call.Flag("forceUniqueIdentifier")
	if err != nil || !force {
		return err
	}
	all, err := resource.Find(w.Context, w.Tx, DataSourceRows)
	if err != nil {
		return err
	}
	taken := func(name string) bool {
		return slices.ContainsFunc(all, func(d DataSource) bool {
			return (was == nil || d.ID != was.ID) && strings.EqualFold(d.Name, name)
		})
	}
	name := now.Name
	for n := 2; taken(now.Name); n++ {
		now.Name = fmt.Sprintf("%.*s_%d", 58, name, n)
	}
	return nil
}

func (d *DataSource) checkAttribute(w *resource.Write, was *DataSource) error {
	if d.CollectorAttribute == nil {
		d.CollectorAttribute = CollectorAttribute{}
	}
	name, given := d.CollectorAttribute["name"]
	if !given || name == "" || was != nil && was.CollectMethod != d.CollectMethod && !w.Given("collectorAttribute") {
		d.CollectorAttribute["name"] = attributeName(d.CollectMethod)
	} else if name != attributeName(d.CollectMethod) {
		return fault.At("collectorAttribute.name", "collectorAttribute.name must match the collectMethod: %s",
			attributeName(d.CollectMethod))
	}
	return checkAttributes("collectorAttribute", d.CollectorAttribute)
}

// attributeName returns the name that published clients use for the attributes of
// a check; they refuse unknown names.
func attributeName(method string) string {
	return cmp.Or(checkOf(method).PublishedName, "internal")
}

// discoveryName returns the name that published clients use for a discovery
// method; they refuse unknown names.
func discoveryName(method string) string {
	return cmp.Or(checkOf(method).PublishedSearch, "ad_dummy")
}

// checkOf returns the check with that name, or an empty one.
func checkOf(method string) (found check.Check) {
	if i := slices.IndexFunc(checks, func(c check.Check) bool { return c.Name == method }); i >= 0 {
		found = checks[i]
	}
	return found
}

// withCounters adds the counters that strict clients expect to the discovery
// method that finds nothing.
func withCounters(method map[string]any) map[string]any {
	if method["name"] != "ad_dummy" {
		return method
	}
	out := map[string]any{"generateCount": 0, "getGenerateCount2": 0, "maxNumber": 0}
	maps.Copy(out, method)
	return out
}

// checkAttributes refuses attributes that are too large, and secrets, because every
// user who can view data sources would see them.
func checkAttributes(field string, values map[string]any) error {
	if text, err := json.Marshal(values); err != nil || len(text) > maxAttributeBytes {
		return fault.At(field, "%s has more than %d bytes as JSON", field, maxAttributeBytes)
	}
	for key, value := range values {
		text, isText := value.(string)
		if resource.SecretName(key) && !(isText && (text == "" || propertyToken.MatchString(text))) {
			return fault.At(field+"."+key,
				"%s.%s is visible to all users who view data sources; keep the secret in a device property, and write "+
					"##%s## here",
				field, key, strings.ToLower(key))
		}
	}
	return nil
}

// propertyToken matches a text that consists of a property token.
var propertyToken = regexp.MustCompile(`^##[^#\s]+##$`)

var filterOperations = []any{"Equal", "NotEqual", "Contain", "NotContain", "RegexMatch", "RegexNotMatch", "GreaterThan",
	"LessThan", "Exist", "NotExist"}

func (d *DataSource) checkDiscovery() error {
	d.HasMultiInstances = d.Discovery != nil
	if d.Discovery == nil {
		if d.EnableDiscovery {
			return fault.At("autoDiscoveryConfig",
				"autoDiscoveryConfig is required while enableAutoDiscovery is true")
		}
		return nil
	}
	c := d.Discovery
	if c.Method == nil {
		c.Method = map[string]any{}
	}
	if name, ok := c.Method["name"].(string); !ok || name == "" {
		c.Method["name"] = discoveryName(d.CollectMethod)
	}
	c.Method = withCounters(c.Method)
	if c.ScheduleInterval < 0 || c.ScheduleInterval > 7*24*60 {
		return fault.At("autoDiscoveryConfig.scheduleInterval",
			"autoDiscoveryConfig.scheduleInterval must be 0 to 10080 minutes (a week)")
	}
	if c.GroupMethod == "" {
		c.GroupMethod = "none"
	}
	if c.GroupMethod != "none" && c.GroupMethod != "regex" {
		return oneOf("autoDiscoveryConfig.instanceAutoGroupMethod", []any{"none", "regex"})
	}
	if _, _, err := pattern.Compile(c.GroupParam, MaxRuleSteps); c.GroupMethod == "regex" && err != nil {
		return fault.At("autoDiscoveryConfig.instanceAutoGroupMethodParams",
			"autoDiscoveryConfig.instanceAutoGroupMethodParams is not a valid regular expression: %v", err)
	}
	for i, f := range c.Filters {
		field := fmt.Sprintf("autoDiscoveryConfig.filters[%d]", i)
		if strings.TrimSpace(f.Attribute) == "" {
			return fault.At(field+".attribute", "%s.attribute is empty", field)
		}
		if !slices.Contains(filterOperations, any(f.Operation)) {
			return oneOf(field+".operation", filterOperations)
		}
		if _, _, err := pattern.Compile(f.Value, MaxRuleSteps); strings.HasPrefix(f.Operation, "Regex") && err != nil {
			return fault.At(field+".value", "%s.value is not a valid regular expression: %v", field, err)
		}
	}
	return checkAttributes("autoDiscoveryConfig.method", c.Method)
}

// MaxRuleSteps limits each regular expression of a discovery, which runs for every
// discovered instance.
const MaxRuleSteps = 1000

// oneOf returns an error for a value that is not allowed.
func oneOf(field string, allowed []any) error {
	words := make([]string, len(allowed))
	for i, v := range allowed {
		words[i] = fmt.Sprint(v)
	}
	return &fault.Error{Kind: fault.Invalid, Field: field, Allowed: allowed,
		Message: field + " must be one of " + strings.Join(words, ", ")}
}
