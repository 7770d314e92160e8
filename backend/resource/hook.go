package resource

import "context"

// Hook connects two resources if the lower one must not import the upper one:
// devices do not import alerts. The lower one declares a point, a Trigger or a
// Value, and calls it. The upper one lists a Hook for that point in its
// declaration. The store calls the hook as long as both are in the database, in
// the same transaction or snapshot.
//
// A package calls packages above it only through a Trigger or a Value, and those
// below it by an import.
type Hook struct {
	Point string // the name of the Trigger or the Value
	Do    any    // the function, of the type that the point requires
}

// Trigger is a point at which other resources react to a change. E describes the
// change. Its text is unique among all points: "device.removed".
type Trigger[E any] string

// Follow returns a hook that runs do whenever t fires.
func Follow[E any](t Trigger[E], do func(ctx context.Context, tx Tx, what E) error) Hook {
	return Hook{Point: string(t), Do: do}
}

// Fire runs all hooks of t in the transaction, in the order in which their
// resources were added to the store. The first error ends it and the write.
func (t Trigger[E]) Fire(ctx context.Context, tx Tx, what E) error {
	for _, do := range tx.Hooks(string(t)) {
		if err := do.(func(context.Context, Tx, E) error)(ctx, tx, what); err != nil {
			return err
		}
	}
	return nil
}

// Value is a derived value of one resource that another one computes. Its text is
// unique among all points: "device.alertStatus".
type Value string

// Supply returns a hook that computes v, as Of of a Derived does.
func Supply(v Value, of func(ctx context.Context, r Reader, rows []Row) ([][]byte, error)) Hook {
	return Hook{Point: string(v), Do: of}
}

// Or returns an Of for the Derived that shows v. In a database without the
// resource that supplies v, each row gets none.
func (v Value) Or(none any) func(ctx context.Context, r Reader, rows []Row) ([][]byte, error) {
	return func(ctx context.Context, r Reader, rows []Row) ([][]byte, error) {
		for _, of := range r.Hooks(string(v)) {
			return of.(func(context.Context, Reader, []Row) ([][]byte, error))(ctx, r, rows)
		}
		return EachRow(rows, func(Row) any { return none })
	}
}

// EachRow encodes the value of each row, as an Of must return it.
func EachRow(rows []Row, value func(Row) any) ([][]byte, error) {
	out := make([][]byte, len(rows))
	for i, row := range rows {
		var err error
		if out[i], err = Encode(value(row)); err != nil {
			return nil, err
		}
	}
	return out, nil
}
