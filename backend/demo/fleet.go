package demo

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// plan is a series of machines that differ only in site and number.
type plan struct {
	prefix  string
	purpose string
	kind    *kind
	also    int64  // another group, of a service; 0 for none
	subnet  int    // third number of the standard addresses
	count   [3]int // number at each of the sites
}

var plans = []plan{
	{"core-sw", "Core switch", &coreSwitch, 0, 1, [3]int{2, 2, 2}},
	{"fw", "Perimeter firewall", &firewall, 0, 3, [3]int{2, 2, 2}},
	{"esx", "Virtual machine host", &hypervisor, 0, 5, [3]int{6, 4, 4}},
	{"web-prod", "Shop front end", &linuxServer, WebShop, 8, [3]int{8, 4, 4}},
	{"db-pg", "PostgreSQL of shop and booking", &postgres, 0, 10, [3]int{3, 2, 2}},
	{"acc-sw", "Floor switch", &accessSwitch, 0, 2, [3]int{8, 5, 5}},
	{"ap", "Access point", &accessPoint, 0, 4, [3]int{8, 6, 6}},
	{"ups", "Uninterruptible supply of the server room", &ups, 0, 6, [3]int{3, 2, 2}},
	{"dc", "Domain controller", &windowsServer, identity, 9, [3]int{2, 2, 2}},
	{"book-prod", "Booking of freight", &linuxServer, booking, 12, [3]int{4, 2, 2}},
	{"track-prod", "Parcel tracking", &linuxServer, tracking, 13, [3]int{3, 2, 2}},
	{"dist-sw", "Distribution switch", &coreSwitch, 0, 1, [3]int{2, 1, 1}},
	{"cache", "Sessions and queues", &redis, 0, 11, [3]int{2, 1, 1}},
	{"nas", "Storage of virtual machines", &storageArray, 0, 7, [3]int{2, 1, 1}},
	{"mail", "Mail server", &windowsServer, identity, 14, [3]int{2, 1, 0}},
	{"file", "File shares", &windowsServer, identity, 15, [3]int{1, 1, 1}},
	{"term", "Terminal server of the warehouse", &windowsServer, 0, 16, [3]int{2, 1, 1}},
	{"db-sql", "SQL Server of accounting", &sqlServer, 0, 10, [3]int{2, 0, 1}},
	{"bkp", "Backup server", &backupServer, 0, 17, [3]int{1, 1, 1}},
	{"log", "Log collection", &linuxServer, 0, 18, [3]int{2, 1, 1}},
	{"web-stg", "Shop front end, next release", &linuxServer, preProduction, 19, [3]int{3, 0, 2}},
}

// StandardDevices is the number of devices of the standard company.
const StandardDevices = 152

// slot is a place in the fleet: one device of each round.
type slot struct {
	*plan
	site    *site
	count   int // devices of the plan at that site
	number  int // from 1, in the first round
	address int // last number of the standard address
	nth     int // index among the devices of the site
	groups  resource.IDs
}

// deviceMaker creates devices. One goroutine uses it at a time.
type deviceMaker struct {
	now    resource.Seconds
	slots  []slot
	atSite map[*site]int // devices of a round at a site
	source *rand.PCG
	dice   *rand.Rand
}

// newDeviceMaker lays out a round: it alternates plans and sites, so that a small
// company has some devices of each.
func newDeviceMaker(now resource.Seconds) *deviceMaker {
	f := &deviceMaker{now: now, atSite: map[*site]int{}, source: rand.NewPCG(0, 0)}
	f.dice = rand.New(f.source)
	used := map[[2]int]int{} // addresses used in each standard subnet
	for number := 1; len(f.slots) < StandardDevices; number++ {
		for i := range plans {
			p := &plans[i]
			for j := range sites {
				s := &sites[j]
				if number > p.count[j] {
					continue
				}
				subnet := [2]int{s.subnet, p.subnet}
				used[subnet]++
				place := slot{plan: p, site: s, count: p.count[j], number: number, address: 10 + used[subnet],
					nth: f.atSite[s], groups: byHand(p.kind.group, s.group, p.also)}
				f.slots = append(f.slots, place)
				f.atSite[s]++
			}
		}
	}
	return f
}

// byHand returns the static groups among the ids; it skips 0.
func byHand(ids ...int64) resource.IDs {
	return slices.DeleteFunc(resource.IDs(ids), func(id int64) bool {
		return id == 0 ||
			slices.ContainsFunc(groups, func(g fleet.Group) bool { return g.ID == id && g.AppliesTo != "" })
	})
}

// simulated is the category of simulated devices, whose values are generated.
const simulated = "simulated"

// seed gives each device its own random numbers, independent of the devices before it.
const seed = 0x5079676c617373

// device makes device number i of count, from 0. Fields that only the portal sets
// are in the status.
func (f *deviceMaker) device(i, count int) (fleet.Device, status) {
	f.source.Seed(seed, uint64(i))
	round, s := i/len(f.slots), &f.slots[i%len(f.slots)]
	name := fmt.Sprintf("%s-%02d.%s", s.prefix, s.number+round*s.count, s.site.code)
	d := fleet.Device{
		ID: int64(i) + 1, Name: f.address(s, round), DisplayName: name, Description: s.purpose,
		GroupIDs: slices.Clone(s.groups), CollectorID: ground.BuiltInCollector, RelatedDeviceID: -1,
		CustomProperties: props(
			"location", f.place(s),
			"system.categories", s.kind.categories+","+simulated,
			"os", f.oneOf(s.kind.systems),
			"owner", s.kind.owner,
			"serial", fmt.Sprintf("%s%08X", s.kind.serial, f.dice.Uint32()),
		),
	}
	for _, p := range s.kind.secrets {
		if f.dice.IntN(3) == 0 {
			d.CustomProperties = append(d.CustomProperties, resource.Property{Name: p.name, Value: f.oneOf(p.values)})
		}
	}
	if s.prefix == "web-prod" || s.prefix == "web-stg" {
		d.Link = "https://" + name + ".kestrel-freight.example/"
	}
	return d, f.status(i, count, s)
}

func (f *deviceMaker) oneOf(values []string) string { return values[f.dice.IntN(len(values))] }

func (f *deviceMaker) place(s *slot) string {
	if s.kind.upright {
		return s.site.office + ", floor " + strconv.Itoa(f.dice.IntN(6)+1)
	}
	return s.site.location + ", rack " + strconv.Itoa(f.dice.IntN(s.site.racks)+1)
}

// address returns the slot's address in the first round; later rounds use the
// next subnets of the site, 254 devices in each.
func (f *deviceMaker) address(s *slot, round int) string {
	second, third, last := s.site.subnet, s.subnet, s.address
	if round > 0 {
		nth := (round-1)*f.atSite[s.site] + s.nth
		second, third, last = s.site.further+nth/(254*256), nth/254%256, nth%254+1
	}
	return fmt.Sprintf("10.%d.%d.%d", second, third, last)
}
