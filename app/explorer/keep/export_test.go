package keep

import "os"

// Exchange swaps two files of a folder.
var Exchange = exchange

// SetSwap replaces how two files of a folder are swapped.
func (k *Keeper) SetSwap(swap func(dir *os.File, a, b string) error) { k.swap = swap }
