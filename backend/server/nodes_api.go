package server

import (
	"context"

	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/node"
	"spyglass/backend/resource"
)

// nodeState is one node, as the node that responds sees it.
type nodeState struct {
	ID        int64            `json:"id" doc:"id of the node; a restart gets a new one"`
	Name      string           `json:"name" doc:"name of the machine"`
	Process   int64            `json:"process" doc:"id of the process on the machine"`
	Version   string           `json:"version" doc:"version of the program"`
	Address   string           `json:"address" doc:"where the node serves"`
	Alive     bool             `json:"alive" doc:"it has reported within the last seconds"`
	Lag       float64          `json:"lag" doc:"seconds since the node that responds has heard of it; 0 if it is not alive"`
	This      bool             `json:"this" doc:"it is the node that responds"`
	StartedOn resource.Seconds `json:"startedOn" doc:"when it started, in epoch seconds of its clock"`
	SeenOn    resource.Seconds `json:"seenOn" doc:"when it last reported, in epoch seconds of its clock"`
	Leases    []heldLease      `json:"leases" doc:"what only this node does at the moment"`
}

// heldLease is a lease of a node.
type heldLease struct {
	Name  string           `json:"name" doc:"monitoring, notices or reports"`
	Since resource.Seconds `json:"since" doc:"when the node began, in epoch seconds of its clock"`
}

// nodesEndpoint returns the endpoint that lists the nodes.
func (s *Server) nodesEndpoint() resource.Endpoint {
	list := resource.SchemaOf(resource.Whole[nodeState]{})
	list.Name = "nodeList"
	return resource.Endpoint{
		Method: "GET", Path: "/setting/nodes", Category: ground.CategorySettings, Response: &list,
		Right:   resource.Right{Object: resource.Setting, Area: ground.AreaPortal, Op: resource.Read},
		Summary: "List nodes",
		Doc: "Returns the processes that serve the portal, and what each of them does alone. If a node does not " +
			"report any more, another one takes over its leases within 15 seconds. The list is empty for a portal " +
			"that is not in a database on a server.",
		Example: resource.Example{Path: "/setting/nodes"},
		Handle:  func(ctx context.Context, _ *resource.Call) (any, error) { return s.nodes(ctx) },
	}
}

func (s *Server) nodes(ctx context.Context) (*resource.Whole[nodeState], error) {
	out := &resource.Whole[nodeState]{Items: []nodeState{}}
	if s.leases == nil {
		return out, nil
	}
	rows, err := resource.Find(ctx, s.db, node.Nodes.Name)
	if err != nil {
		return nil, err
	}
	leases, err := resource.Find(ctx, s.db, node.Leases.Name)
	if err != nil {
		return nil, err
	}
	ages, self := s.leases.Ages(), s.leases.ID()
	for _, n := range rows {
		age, alive := ages[n.ID]
		state := nodeState{ID: n.ID, Name: n.Name, Process: n.Process, Version: n.Version, Address: n.Address,
			Alive: alive, Lag: age.Seconds(), This: n.ID == self, StartedOn: n.StartedOn, SeenOn: n.SeenOn,
			Leases: []heldLease{}}
		for _, l := range leases {
			if l.Node == n.ID {
				state.Leases = append(state.Leases, heldLease{l.Work, l.Since})
			}
		}
		out.Items = append(out.Items, state)
	}
	out.Total = len(out.Items)
	return out, nil
}
