import type { DraftData, Endpoint, Method, Row } from '../client'
import { draftOf } from '../state/request/draft.svelte'
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
    title: text.sample.dead,
    method: 'GET',
    path: '/device/devices',
    query: [
      ['filter', 'hostStatus:"dead"'],
      ['fields', 'id,displayName,name,hostStatus,lastDataTime'],
      ['sort', '+displayName'],
      ['size', '50'],
    ],
  },
  {
    title: text.sample.critical,
    method: 'GET',
    path: '/alert/alerts',
    query: [
      ['filter', 'severity:4,cleared:false'],
      [
        'fields',
        'id,startEpoch,monitorObjectName,resourceTemplateName,instanceName,dataPointName,alertValue,threshold,acked',
      ],
      ['sort', '-startEpoch'],
      ['size', '50'],
    ],
  },
  {
    title: text.sample.groups,
    method: 'GET',
    path: '/device/groups',
    query: [
      ['filter', 'parentId:1'],
      ['fields', 'id,name,fullPath,numOfHosts,activeAlerts,subGroups'],
      ['sort', '+name'],
      ['size', '100'],
    ],
  },
  {
    title: text.sample.data,
    method: 'GET',
    path: '/device/devices/{deviceId}/devicedatasources/{hdsId}/instances/{id}/data',
    query: [['period', '3']],
  },
  {
    title: text.sample.sources,
    method: 'GET',
    path: '/setting/datasources',
    query: [
      ['fields', 'id,name,displayName,collectMethod,appliesTo,collectInterval'],
      ['sort', '+name'],
      ['size', '100'],
    ],
  },
  {
    title: text.sample.downtime,
    method: 'POST',
    path: '/sdt/sdts',
    body: JSON.stringify(
      {
        type: 'ResourceSDT',
        sdtType: 'oneTime',
        deviceDisplayName: 'web-prod-01.fra',
        duration: 60,
        comment: 'An hour to work on it',
      },
      null,
      2,
    ),
  },
]

/**
 * Returns the draft of a sample: the draft of its endpoint with the rows of the sample. Fields that the portal does not
 * have are omitted from `fields` and `filter`.
 */
export function sampleDraft(sample: Sample, endpoint: Endpoint | undefined): DraftData {
  const base = endpoint
    ? draftOf(endpoint)
    : {
        method: sample.method,
        path: sample.path,
        template: '',
        pathParams: [],
        query: [],
        headers: [],
        body: '',
        mode: 'form' as const,
      }
  const given = new Map(sample.query ?? [])
  const own: Row[] = [...given].map(([key, value]) => ({
    on: true,
    key,
    value: key === 'fields' ? knownFields(value, endpoint) : value,
    doc: endpoint?.params.find((p) => p.name === key)?.doc,
  }))
  const rest = base.query.filter((r) => !given.has(r.key))
  return { ...base, query: [...own.filter((r) => r.value), ...rest], body: sample.body ?? base.body }
}

function knownFields(list: string, endpoint: Endpoint | undefined): string {
  const items = endpoint?.answer?.properties?.find((p) => p.name === 'items')?.items?.properties
  if (!items) return list
  return list
    .split(',')
    .filter((f) => items.some((p) => p.name === f))
    .join(',')
}
