import type { DraftData, Endpoint, Method, Row } from '../client'
import { draftOf } from '../request/draft.svelte'
import { text } from './text'

/** A request to start with. */
export interface Sample {
  title: string
  method: Method
  path: string
  query?: [string, string][]
  body?: string
}

export const samples: Sample[] = [
  {
    title: text.sample.dead, method: 'GET', path: '/device/devices',
    query: [['filter', 'hostStatus:"dead"'], ['fields', 'id,displayName,name,hostStatus,lastDataTime'], ['sort', '+displayName'], ['size', '50']],
  },
  {
    title: text.sample.named, method: 'GET', path: '/device/devices',
    query: [['filter', 'displayName~"web"'], ['fields', 'id,displayName,hostStatus,preferredCollectorId'], ['sort', '-id'], ['size', '25']],
  },
  {
    title: text.sample.groups, method: 'GET', path: '/device/groups',
    query: [['fields', 'id,name,fullPath,parentId,numOfHosts'], ['sort', '+fullPath'], ['size', '100']],
  },
  {
    title: text.sample.collectors, method: 'GET', path: '/setting/collectors',
    query: [['fields', 'id,description,hostname,status,isDown,lastHeartbeatOn'], ['sort', '+id'], ['size', '50']],
  },
  {
    title: text.sample.users, method: 'GET', path: '/setting/admins',
    query: [['fields', 'id,username,email,roles,lastLoginOn'], ['sort', '+username']],
  },
  {
    title: text.sample.add, method: 'POST', path: '/device/devices',
    body: JSON.stringify(
      {
        name: '192.0.2.10', displayName: 'web-sample-01', preferredCollectorId: 1, hostGroupIds: '1',
        customProperties: [{ name: 'location', value: 'Rack 12' }],
      },
      null, 2,
    ),
  },
]

/**
 * The draft of a sample: what its endpoint begins with, its own rows switched
 * on. Fields the portal does not know are left out of a `fields` or `filter`.
 */
export function sampleDraft(sample: Sample, endpoint: Endpoint | undefined): DraftData {
  const base = endpoint ? draftOf(endpoint) : { method: sample.method, path: sample.path, template: '', pathParams: [], query: [], headers: [], body: '', mode: 'form' as const }
  const given = new Map(sample.query ?? [])
  const own: Row[] = [...given].map(([key, value]) => ({
    on: true, key, value: key === 'fields' ? knownFields(value, endpoint) : value, doc: endpoint?.params.find((p) => p.name === key)?.doc,
  }))
  const rest = base.query.filter((r) => !given.has(r.key))
  return { ...base, query: [...own.filter((r) => r.value), ...rest], body: sample.body ?? base.body }
}

function knownFields(list: string, endpoint: Endpoint | undefined): string {
  const items = endpoint?.answer?.properties?.find((p) => p.name === 'items')?.items?.properties
  if (!items) return list
  return list.split(',').filter((f) => items.some((p) => p.name === f)).join(',')
}
