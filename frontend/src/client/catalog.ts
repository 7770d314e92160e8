/** The types of a portal's catalog. */
import type { Schemas } from './explorer'

export type Param = Schemas['Param']
export type Schema = Schemas['Schema']
export type Property = Schemas['Property']
export type Endpoint = Schemas['Entry']
export type Category = Schemas['Category']
export type CatalogData = Schemas['Catalog']
