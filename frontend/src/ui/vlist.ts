import type { ComponentConstructorOptions, SvelteComponent } from 'svelte'
import { VList as Untyped, type VListHandle, type VListProps } from 'virtua/svelte'

/** The type of VList. The checker with the native compiler does not read Svelte files of packages. */
type Typed = new <T>(
  options: ComponentConstructorOptions<VListProps<T>>,
) => SvelteComponent<VListProps<T>> & VListHandle

/** A virtual list that measures its rows, see VirtualRows. */
export const VList = Untyped as unknown as Typed
export type { VListHandle }
