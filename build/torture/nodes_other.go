//go:build !unix

package main

import "context"

func needsPostgres() string { return "a system of the Unix family" }

func needsPrometheus() string { return needsPostgres() }

func nodes(context.Context, options, *result) error { return nil }

func storeAway(context.Context, options, *result) error { return nil }
