// Package node declares the nodes of a portal and their leases: which processes use its
// database, and which of them does the work that only one may do at a time.
//
// Package lease writes the rows. They have no endpoints of their own.
package node

import "spyglass/backend/resource"

// Node is one process that serves the portal.
type Node struct {
	ID        int64
	Name      string // of the machine
	Process   int64  // its process id there
	Version   string // of the program
	Address   string // where it serves
	StartedOn resource.Seconds
	SeenOn    resource.Seconds // by its own clock
	Beat      int64            // rises as long as it lives
}

// Lease says which node does a work. There is one row for each work, which stays.
type Lease struct {
	ID    int64
	Work  string
	Node  int64 // 0: none
	Epoch int64 // rises with each change of Node: the fencing token
	Since resource.Seconds
}

// Nodes declares the nodes.
var Nodes = resource.Resource[*Node]{
	Name: "node", Label: "node", Doc: "Processes that serve the portal.",
	Fields: []resource.Field[*Node]{
		{Name: "id", At: func(n *Node) any { return &n.ID }, Doc: "Id of the node", ReadOnly: true},
		{Name: "name", At: func(n *Node) any { return &n.Name }, Doc: "Name of the machine", ReadOnly: true},
		{Name: "process", At: func(n *Node) any { return &n.Process }, Doc: "Id of the process", ReadOnly: true},
		{Name: "version", At: func(n *Node) any { return &n.Version }, Doc: "Version of the program", ReadOnly: true},
		{Name: "address", At: func(n *Node) any { return &n.Address }, Doc: "Where the node serves", ReadOnly: true},
		{Name: "startedOn", At: func(n *Node) any { return &n.StartedOn }, Doc: "When the node started",
			ReadOnly: true},
		{Name: "seenOn", At: func(n *Node) any { return &n.SeenOn }, Doc: "When the node last reported",
			ReadOnly: true},
		{Name: "beat", At: func(n *Node) any { return &n.Beat }, Doc: "Rises as long as the node lives",
			ReadOnly: true},
	},
}

// Leases declares the leases.
var Leases = resource.Resource[*Lease]{
	Name: "lease", Label: "lease", Doc: "Work that one node does at a time.",
	Unique: [][]string{{"work"}},
	Fields: []resource.Field[*Lease]{
		{Name: "id", At: func(l *Lease) any { return &l.ID }, Doc: "Id of the lease", ReadOnly: true},
		{Name: "work", At: func(l *Lease) any { return &l.Work }, Doc: "The work", ReadOnly: true},
		{Name: "node", At: func(l *Lease) any { return &l.Node }, Doc: "Node that does it; 0: none", ReadOnly: true},
		{Name: "epoch", At: func(l *Lease) any { return &l.Epoch }, Doc: "Rises with each change of node",
			ReadOnly: true},
		{Name: "since", At: func(l *Lease) any { return &l.Since }, Doc: "When the node began", ReadOnly: true},
	},
}

// Request is a message to the node that does a work, which writes the response.
type Request struct {
	ID       int64
	Work     string
	Name     string // what is requested
	In       string // JSON
	Done     bool
	Response string // JSON
	Fault    string // JSON of a fault.Error, without its cause; empty for none
}

// Requests declares the requests.
var Requests = resource.Resource[*Request]{
	Name: "nodeRequest", Label: "request between nodes", Doc: "Requests of one node to another.",
	Fields: []resource.Field[*Request]{
		{Name: "id", At: func(r *Request) any { return &r.ID }, Doc: "Id of the request", ReadOnly: true},
		{Name: "work", At: func(r *Request) any { return &r.Work }, Doc: "The work of the node that responds",
			ReadOnly: true},
		{Name: "name", At: func(r *Request) any { return &r.Name }, Doc: "What is requested", ReadOnly: true},
		{Name: "in", At: func(r *Request) any { return &r.In }, Doc: "The request", ReadOnly: true},
		{Name: "done", At: func(r *Request) any { return &r.Done }, Doc: "There is a response", ReadOnly: true},
		{Name: "response", At: func(r *Request) any { return &r.Response }, Doc: "The response", ReadOnly: true},
		{Name: "fault", At: func(r *Request) any { return &r.Fault }, Doc: "Why there is none", ReadOnly: true},
	},
}
