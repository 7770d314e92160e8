/** A small catalog to look at the page without a portal. */
import type { CatalogData, Endpoint, Method, Param, Property, Schema } from '../client'

const device: Property[] = [
  { name: 'id', type: 'integer', readOnly: true, doc: 'Set by the portal', example: 1147 },
  {
    name: 'name',
    type: 'string',
    required: true,
    doc: 'Host name or IP address',
    example: '10.20.0.11',
    maxLength: 255,
  },
  { name: 'displayName', type: 'string', required: true, doc: 'Name shown in lists', example: 'core-sw-01.fra' },
  { name: 'hostGroupIds', type: 'string', doc: 'Groups, separated by commas', example: '12,48' },
  { name: 'preferredCollectorId', type: 'integer', doc: 'The collector that watches it', example: 3, minimum: 1 },
  { name: 'disableAlerting', type: 'boolean', doc: 'No alerts from it', example: false },
  { name: 'hostStatus', type: 'string', readOnly: true, enum: ['normal', 'warn', 'dead'], doc: 'Worst open alert' },
  {
    name: 'customProperties',
    type: 'array',
    doc: 'Your own properties',
    items: {
      type: 'object',
      properties: [
        { name: 'name', type: 'string', example: 'location' },
        { name: 'value', type: 'string', example: 'Frankfurt FR5, rack 12' },
      ],
    },
  },
]
const object: Schema = { type: 'object', properties: device }

const listParams: Param[] = [
  {
    name: 'size',
    in: 'query',
    type: 'integer',
    required: false,
    doc: 'Items per page, 1 to 1,000. Default 50.',
    default: 50,
    minimum: 1,
    maximum: 1000,
  },
  { name: 'offset', in: 'query', type: 'integer', required: false, doc: 'Items to skip. Default 0.', default: 0 },
  {
    name: 'fields',
    in: 'query',
    type: 'string',
    required: false,
    doc: 'Return only these fields. Smaller and faster.',
    example: 'id,displayName',
  },
  {
    name: 'sort',
    in: 'query',
    type: 'string',
    required: false,
    doc: 'Field name, - in front for descending.',
    example: '-updatedOn',
  },
  {
    name: 'filter',
    in: 'query',
    type: 'string',
    required: false,
    doc: 'Join with , for and, || for or.',
    example: 'displayName~"web"',
  },
]
const id: Param = {
  name: 'id',
  in: 'path',
  type: 'integer',
  required: true,
  doc: 'The id of the object',
  example: 1147,
}

function endpoint(
  method: Method,
  path: string,
  category: string,
  summary: string,
  more: Partial<Endpoint> = {},
): Endpoint {
  const one = path.includes('{id}')
  const list = method === 'GET' && !path.endsWith('}') && !path.endsWith('version')
  const writes = method === 'POST' || method === 'PUT' || method === 'PATCH'
  const body: Schema | null = writes ? object : null
  const example = {
    name: '10.20.0.11',
    displayName: 'core-sw-01.fra',
    preferredCollectorId: 3,
    disableAlerting: false,
    weight: 1.5,
    customProperties: [{ name: 'location', value: 'Frankfurt FR5, rack 12' }],
  }
  return {
    id: `${method} ${path}`,
    method,
    path,
    category,
    summary,
    noun: summary.split(' ').at(-1)!,
    doc: `${summary}. Only what this account can see, one page at a time; sorted by id unless sort says otherwise.`,
    permission: `${category.toLowerCase()}: ${method === 'GET' ? 'read' : 'write'}`,
    admin: category === 'Settings' && method !== 'GET',
    deprecated: false,
    params: [...(one ? [id] : []), ...(list ? listParams : [])],
    body,
    answer: list
      ? {
          type: 'object',
          properties: [
            { name: 'total', type: 'integer' },
            { name: 'items', type: 'array', items: object },
          ],
        }
      : object,
    status: method === 'POST' ? 201 : 200,
    errors: [
      { status: 400, when: 'Filter or field name not understood' },
      { status: 403, when: 'The role lacks the permission' },
      { status: 429, when: 'Over 500 requests per minute' },
    ],
    example: {
      path: path.replace('{id}', '1147'),
      query: list ? [{ key: 'size', value: '50' }] : [],
      body: body ? JSON.stringify(example, null, 2) : null,
    },
    ...more,
  }
}

function crud(path: string, category: string, noun: string): Endpoint[] {
  return [
    endpoint('GET', path, category, `List ${noun}s`),
    endpoint('POST', path, category, `Add a ${noun}`),
    endpoint('GET', `${path}/{id}`, category, `Get one ${noun}`),
    endpoint('PUT', `${path}/{id}`, category, `Replace a ${noun}`),
    endpoint('PATCH', `${path}/{id}`, category, 'Change some fields'),
    endpoint('DELETE', `${path}/{id}`, category, `Remove a ${noun}`),
  ]
}

export const fakeCatalog: CatalogData = {
  categories: [
    {
      name: 'Devices',
      endpoints: [
        ...crud('/device/devices', 'Devices', 'device'),
        endpoint('GET', '/device/devices/{id}/alerts', 'Devices', 'Active alerts of one device'),
        endpoint('GET', '/device/devices/{id}/properties', 'Devices', 'System and custom properties', {
          deprecated: true,
        }),
      ],
    },
    { name: 'Device Groups', endpoints: crud('/device/groups', 'Device Groups', 'group') },
    { name: 'DataSources', endpoints: crud('/setting/datasources', 'DataSources', 'datasource') },
    {
      name: 'Alerts',
      endpoints: [...crud('/alert/alerts', 'Alerts', 'alert').slice(0, 3), ...crud('/sdt/sdts', 'Alerts', 'downtime')],
    },
    {
      name: 'Settings',
      endpoints: [
        endpoint('GET', '/setting/version', 'Settings', 'The API version'),
        ...crud('/setting/collectors', 'Settings', 'collector'),
        ...crud('/setting/admins', 'Settings', 'user'),
      ],
    },
    { name: 'Reports', endpoints: crud('/report/reports', 'Reports', 'report') },
  ],
}
