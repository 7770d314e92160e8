import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { endpoint, newRequest, parts, sendPath, until } from './harness'

/** A state of the page. All checks of the page's appearance iterate over `states`. */
export interface State {
  name: string
  /** Opens the state from the welcome screen of an empty workspace. */
  open(page: Page): Promise<unknown>
  /** Opens the state from the previous state in the list, with dialogs and menus closed. If true, `open` does. */
  next?: true | ((page: Page) => Promise<unknown>)
  /** The name of its screenshot in the README. */
  readme?: string
  /** Also compares it on a large screen, with reduced motion and with forced colors. */
  more?: boolean
}

/** Opens a state on a page that shows the previous state. */
export async function goOn(page: Page, state: State) {
  const open = page.locator('dialog[open], [popover]:popover-open')
  const left = async () => {
    if (await open.count()) await page.keyboard.press('Escape')
    return open.count()
  }
  await expect.poll(left, { interval: 200 }).toBe(0)
  await (typeof state.next === 'function' ? state.next : state.open)(page)
}

export const states: State[] = [
  {
    name: 'the past messages',
    open: async (page) => {
      await fleet(page)
      await page.getByRole('grid', { name: 'Devices' }).getByRole('row').nth(1).getByRole('checkbox').check()
      await page.getByRole('button', { name: 'Turn alerting off' }).click()
      await page.getByTestId('toast').getByRole('button', { name: 'Undo' }).click()
      await page
        .getByTestId('toast')
        .getByText(/^Undone: /)
        .waitFor()
      await page.getByRole('contentinfo').getByRole('button', { name: 'Messages' }).click()
      await page.getByRole('dialog', { name: 'Messages' }).getByRole('listitem').nth(1).waitFor()
    },
  },
  { name: 'welcome', more: true, open: (page) => page.getByText('Sample requests').waitFor() },
  {
    name: 'sign in',
    next: true,
    open: async (page) => {
      await menu(page, /^Menu$/)
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
      await page.getByRole('textbox', { name: 'User name' }).waitFor()
    },
  },
  {
    name: 'overview',
    readme: 'overview',
    more: true,
    open: async (page) => {
      await monitor(page)
      await page.getByRole('grid', { name: 'Active alerts' }).getByRole('row').nth(2).waitFor()
      await page.getByRole('region', { name: 'Selected alert' }).getByRole('img').first().waitFor()
    },
  },
  {
    name: 'the alerts',
    next: true,
    open: async (page) => {
      await monitor(page, 'Alerts')
      await page.getByRole('grid', { name: 'Alerts' }).getByRole('row').nth(1).click()
      await page.getByRole('region', { name: 'Alert', exact: true }).getByText('opened as').first().waitFor()
    },
  },
  { name: 'the fleet', next: true, open: (page) => fleet(page) },
  {
    name: 'the fleet with devices selected',
    next: true,
    open: async (page) => {
      await fleet(page)
      await page.getByRole('grid', { name: 'Devices' }).getByRole('row').nth(1).getByRole('checkbox').check()
      await page.getByRole('toolbar', { name: 'Selected devices' }).waitFor()
    },
  },
  {
    name: 'a device to add',
    next: true,
    open: async (page) => {
      await fleet(page)
      await page.getByRole('button', { name: 'Add device' }).click()
      await page.getByRole('switch', { name: 'TCP port' }).click()
      await page.getByRole('button', { name: 'Add device' }).last().click()
      await page.getByRole('alert').waitFor()
    },
  },
  {
    name: 'the fleet without matches',
    next: true,
    open: async (page) => {
      await fleet(page)
      await page.getByRole('searchbox', { name: 'Search devices' }).fill('qqqq')
      await page.getByText('No devices match').waitFor()
    },
  },
  {
    name: 'charts of a device',
    readme: 'device',
    more: true,
    open: async (page) => {
      await device(page)
      await page.getByRole('slider').nth(2).waitFor()
    },
  },
  {
    name: 'a threshold adjusted on a chart',
    next: adjustThreshold,
    open: (page) => device(page).then(() => adjustThreshold(page)),
  },
  {
    name: 'charts of devices compared',
    next: true,
    open: async (page) => {
      await device(page)
      await page.getByRole('slider').first().waitFor()
      await page.getByRole('button', { name: 'Compare with…' }).click()
      await page.keyboard.insertText('web-prod-02.fra')
      await page.getByRole('option', { name: 'web-prod-02.fra' }).click()
      await page
        .getByRole('slider', { name: /web-prod-02/ })
        .first()
        .waitFor()
    },
  },
  {
    name: 'the story of an alert',
    next: true,
    open: async (page) => {
      await alerts(page)
      await page.getByRole('grid', { name: 'Alerts' }).getByRole('row').nth(1).click()
      await page.getByRole('button', { name: 'Story', exact: true }).click()
      await page.getByRole('region', { name: 'Timeline' }).getByRole('listitem').first().waitFor()
    },
  },
  {
    name: 'the map',
    next: true,
    open: async (page) => {
      await monitor(page, 'Map')
      await page.getByRole('application', { name: 'Devices on the map' }).waitFor()
      await page.getByRole('button', { name: 'Show everything' }).click()
    },
  },
  {
    name: 'a device on the map, with a path, and as a table',
    next: true,
    open: async (page) => {
      await monitor(page, 'Map')
      await page.getByRole('combobox', { name: 'Find on the map' }).fill('core-sw-01.fra')
      await page.getByRole('option', { name: 'core-sw-01.fra', exact: true }).click()
      const panel = page.getByRole('region', { name: 'Selected device' })
      await panel.getByRole('combobox', { name: 'Path to' }).fill('core-sw-01.osl')
      await page.getByRole('option', { name: 'core-sw-01.osl', exact: true }).click()
      await panel.getByText('Through groups').waitFor()
      await page.getByRole('button', { name: 'Show as table' }).click()
      await page.getByRole('region', { name: 'Devices in view' }).getByRole('row').nth(1).waitFor()
    },
  },
  { name: 'alerts of a device', next: true, open: (page) => device(page, 'Alerts') },
  {
    name: 'properties of a device',
    next: changeOwner,
    open: (page) => device(page).then(() => changeOwner(page)),
  },
  {
    name: 'history of a device',
    next: deviceHistory,
    open: (page) => device(page).then(() => deviceHistory(page)),
  },
  { name: 'the data sources', next: true, open: (page) => dataSources(page) },
  {
    name: 'a data source to import',
    next: true,
    open: async (page) => {
      await dataSources(page)
      await page.getByRole('button', { name: 'Import…' }).click()
      await page.getByRole('dialog', { name: 'Import data sources' }).waitFor()
    },
  },
  { name: 'a data source tested on a device, with a threshold refused', next: true, open: tested },
  { name: 'the reports', next: true, open: (page) => monitor(page, 'Reports') },
  { name: 'the settings of the portal', next: true, open: (page) => monitor(page, 'Settings') },
  { name: 'the demo', next: true, open: (page) => monitor(page, 'Demo') },
  { name: 'explorer', readme: 'explorer', more: true, open: explorer },
  ...['Table', 'Raw', 'Headers', 'Snippets'].map((view) => ({
    name: `response: ${view}`,
    open: (page: Page) => explorer(page).then(() => showView(page, view)),
    next: (page: Page) => showView(page, view),
  })),
  {
    name: 'a watched request',
    next: watch,
    open: (page) => explorer(page).then(() => watch(page)),
  },
  ...['Variables', 'History', 'Helpers'].map((panel) => ({
    name: `tools: ${panel}`,
    open: (page: Page) => explorer(page).then(() => showPanel(page, panel)),
    next: (page: Page) => showPanel(page, panel),
  })),
  {
    name: 'a response compared with what another role sees',
    next: compareRole,
    open: (page) => explorer(page).then(() => compareRole(page)),
  },
  { name: 'palette', more: true, open: (page) => palette(page, 'API') },
  { name: 'palette before typing', next: true, open: (page) => palette(page, '') },
  {
    name: 'palette with docs and history',
    next: true,
    open: async (page) => {
      await newRequest(page)
      await sendPath(page, '/device/devices?size=1')
      await palette(page, 'device')
    },
  },
  {
    name: 'palette with an action to confirm',
    next: true,
    open: async (page) => {
      await palette(page, 'maintain network 2h')
      const group = parts(page).palette.getByRole('option', { name: /group Network for 2 hours/ })
      await group.click()
      await parts(page).palette.getByRole('alert').waitFor()
    },
  },
  {
    name: 'a token for a request',
    next: true,
    open: async (page) => {
      await newRequest(page)
      await sendPath(page, '/device/devices?size=1')
      await parts(page).response.getByRole('tab', { name: 'Snippets' }).click()
      await page.getByRole('button', { name: 'Create a token' }).click()
      await page.getByText('The request needs').waitFor()
    },
  },
  {
    name: 'palette without matches',
    next: true,
    open: async (page) => {
      await palette(page, '')
      await page.keyboard.insertText('qqqq')
      await page.getByText('No results for').waitFor()
    },
  },
  { name: 'settings: appearance', next: true, open: (page) => settings(page, 'Appearance') },
  { name: 'settings: keys', next: true, open: (page) => settings(page, 'Keys') },
  { name: 'settings: keys in conflict', next: true, open: conflict },
  { name: 'settings: requests', next: true, open: (page) => settings(page, 'Requests') },
  { name: 'settings: https', next: true, open: https },
  { name: 'settings: data', next: true, open: (page) => settings(page, 'Data') },
  { name: 'settings: about', next: true, open: (page) => settings(page, 'About') },
  {
    name: 'shortcuts',
    next: true,
    open: async (page) => {
      await page.keyboard.press('Control+/')
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    },
  },
  { name: 'menu of new tabs', next: true, open: (page) => menu(page, 'New tab') },
  { name: 'settings: notifications', next: true, open: (page) => settings(page, 'Notifications') },
  { name: 'menu of the application', next: true, open: (page) => menu(page, /^Menu$/) },
  {
    name: 'menu of portal and user',
    next: true,
    open: async (page) => {
      await page.getByRole('banner').getByRole('button', { name: /admin/ }).click()
      await page.getByRole('menu').waitFor()
    },
  },
  { name: 'menu of themes', next: true, open: (page) => menu(page, /^Theme/) },
  {
    name: 'catalog search',
    next: true,
    open: async (page) => {
      await newRequest(page)
      await parts(page).search.fill('preferredCollectorId')
      await parts(page).catalog.getByRole('treeitem').first().waitFor()
    },
  },
  {
    name: 'catalog without matches',
    next: true,
    open: async (page) => {
      await newRequest(page)
      await parts(page).search.fill('qqqq')
      await page.getByText('No endpoints match').waitFor()
    },
  },
  { name: 'docs of a write', next: true, open: docsOfWrite },
  {
    name: 'docs without matches',
    next: searchDocs,
    open: (page) => docsOfWrite(page).then(() => searchDocs(page)),
  },
  {
    name: 'an error response',
    next: true,
    open: async (page) => {
      await newRequest(page)
      await sendPath(page, '/device/devices/987654', /^404/)
    },
  },
  {
    name: 'ways to send a list',
    next: true,
    open: async (page) => {
      await newRequest(page)
      await sendPath(page, '/device/devices?size=5')
      await menu(page, 'More send options')
    },
  },
  { name: 'a write under review', next: true, open: (page) => review(page, { unheard: true }) },
  {
    name: 'a deletion to confirm',
    next: true,
    open: async (page) => {
      await write(page, 'DELETE', '/device/groups/2')
      await page.keyboard.press('Control+Enter')
      await page.getByRole('dialog').getByText('It contains').waitFor()
    },
  },
  {
    name: 'a write that can be undone',
    next: true,
    open: async (page) => {
      await review(page)
      await page.getByRole('button', { name: 'Send PATCH' }).click()
      await parts(page).response.getByRole('button', { name: 'Undo' }).waitFor()
    },
  },
  { name: 'a write refused by the lock', next: true, open: locked },
  {
    name: 'timing of a request',
    open: async (page) => {
      await newRequest(page)
      await sendPath(page, '/device/devices?size=5')
      await page.getByRole('button', { name: 'Timing' }).focus()
    },
  },
  { name: 'a portal to add', next: true, open: portalForm },
  {
    name: 'list of portals',
    next: true,
    open: async (page) => {
      await portalMenu(page, 'Manage portals…')
      await page.getByRole('dialog', { name: 'Portals' }).waitFor()
    },
  },
  { name: 'lists of two portals', open: twoLists },
  {
    name: 'what to create in another portal',
    open: (page) => twoLists(page).then(() => createAll(page)),
  },
  {
    name: 'a portal to rehearse',
    open: async (page) => {
      await rehearsal(page, 'none')
      await page.getByRole('button', { name: 'Copy portal' }).waitFor()
    },
  },
  {
    name: 'changes of a rehearsal',
    open: async (page) => {
      await rehearsal(page, 'ready')
      await page.getByRole('button', { name: 'Compare with Staging' }).click()
      await page.getByRole('list', { name: 'Requests' }).waitFor()
    },
  },
  {
    name: 'menu of a tab',
    open: async (page) => {
      await newRequest(page)
      await parts(page).tabs.first().click({ button: 'right' })
      await page.getByRole('menu', { name: 'Tab' }).waitFor()
    },
  },
  {
    name: 'a request to save',
    next: true,
    open: async (page) => {
      await newRequest(page)
      await parts(page).path.fill('/device/devices')
      await page.keyboard.press('Control+s')
      await page.getByRole('dialog', { name: 'Save request' }).waitFor()
    },
  },
  {
    name: 'collections',
    next: true,
    open: async (page) => {
      await newRequest(page)
      await parts(page).catalog.getByRole('tab', { name: 'Collections' }).click()
    },
  },
  {
    name: 'a script of a collection',
    next: true,
    open: async (page) => {
      await newRequest(page)
      await parts(page).path.fill('/device/devices')
      await page.keyboard.press('Control+s')
      await page.getByRole('dialog', { name: 'Save request' }).waitFor()
      await page.keyboard.press('Enter')
      await parts(page).catalog.getByRole('tab', { name: 'Collections' }).click()
      await page.getByRole('tree', { name: 'Collections' }).getByRole('treeitem').first().click({ button: 'right' })
      await page.getByRole('menuitem', { name: 'Write a script…' }).click()
      await page.getByRole('dialog', { name: 'as one' }).getByText('SPYGLASS_TOKEN').first().waitFor()
    },
  },
  {
    name: 'a response to save as an example, and the docs with one',
    next: true,
    open: async (page) => {
      await newRequest(page)
      await sendPath(page, '/device/groups?size=2')
      await page.keyboard.press('Control+s')
      await page.getByRole('dialog', { name: 'Save request' }).waitFor()
      await page.keyboard.press('Enter')
      const keep = async () => {
        await page.getByRole('button', { name: 'Compare…' }).click()
        await page.getByRole('menuitem', { name: 'Save as example…' }).click()
        await page.getByRole('dialog', { name: 'Save as example' }).waitFor()
      }
      await keep()
      await page.keyboard.press('Enter')
      await parts(page)
        .tools.getByRole('button', { name: /^200 200 OK/ })
        .click()
      await parts(page)
        .tools.getByRole('group', { name: /^Body of/ })
        .waitFor()
      await keep()
    },
  },
  {
    name: 'a folder for a collection',
    next: true,
    open: async (page) => {
      await palette(page, 'Sync a collection with a folder…')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog', { name: 'Sync with a folder' }).getByRole('textbox').waitFor()
    },
  },
  { name: 'a file to import', next: true, open: importing },
  {
    name: 'a file to export',
    next: true,
    open: async (page) => {
      await palette(page, 'Export…')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog', { name: 'Export' }).waitFor()
    },
  },
  {
    name: 'an unknown variable',
    next: true,
    open: async (page) => {
      await newRequest(page)
      await sendPath(page, '/device/devices/{{nobody}}', /^Failed/)
    },
  },
  { name: 'chart', open: chart },
  {
    name: 'points of a chart',
    next: pointsTable,
    open: (page) => chart(page).then(() => pointsTable(page)),
  },
  {
    name: 'a list that can be drawn',
    next: true,
    open: async (page) => {
      await newRequest(page)
      await sendPath(page, '/alert/alerts?size=5')
      await parts(page).response.getByRole('tab', { name: 'Chart' }).click()
      await page.getByText('Draw this list as a chart').waitFor()
    },
  },
  {
    name: 'a filter with a mistake',
    next: true,
    open: async (page) => {
      await filtered(page, '.items[] | select(.id == ')
      await page.getByText(/at character \d+/).waitFor()
    },
  },
  {
    name: 'matches of a filter',
    next: filterMatches,
    open: (page) => filtered(page, '').then(() => filterMatches(page)),
  },
  {
    name: 'menu of a value',
    next: true,
    open: async (page) => {
      await newRequest(page)
      await sendPath(page, '/device/devices?size=5')
      await parts(page).tree.focus()
      await page.keyboard.press('Shift+F10')
      await page.getByRole('menu', { name: 'Value' }).waitFor()
    },
  },
  { name: 'two responses compared', next: true, open: compared },
  { name: 'an extractor to add', next: true, open: extractor },
  { name: 'checks with results', next: true, open: checked },
  {
    name: 'a path outside the catalog',
    next: true,
    open: async (page) => {
      await newRequest(page)
      await parts(page).path.fill('/nothing/here')
      await page.keyboard.press('Escape')
      await page.getByText('Not in the catalog').waitFor()
    },
  },
  // must be last: the other states have no environment to select
  {
    name: 'an environment',
    next: true,
    open: async (page) => {
      await newRequest(page)
      await parts(page).tools.getByRole('tab', { name: 'Variables' }).click()
      await parts(page).tools.getByRole('button', { name: 'More for variables' }).click()
      await page.getByRole('menuitem', { name: 'Add environment' }).click()
      await page.getByRole('combobox', { name: 'Environment' }).waitFor()
    },
  },
]

async function filtered(page: Page, query: string) {
  await newRequest(page)
  await sendPath(page, '/device/devices?size=5')
  await parts(page).response.getByRole('button', { name: 'Filter', exact: true }).click()
  await parts(page).response.getByRole('searchbox', { name: 'Filter response' }).fill(query)
}

async function compared(page: Page) {
  const { response } = parts(page)
  await newRequest(page)
  await sendPath(page, '/device/devices?size=3&sort=id')
  await sendPath(page, '/device/devices?size=4&sort=-id', /· 4 items/)
  await response.getByRole('button', { name: 'Compare…' }).click()
  await page
    .getByRole('menu', { name: 'Compare with' })
    .getByRole('menuitem', { name: /^Previous response/ })
    .click()
  await response.getByRole('region', { name: 'Comparison' }).getByRole('option').first().waitFor()
}

async function checked(page: Page) {
  const { response } = parts(page)
  await newRequest(page)
  await sendPath(page, '/device/devices?size=5')
  await response.getByRole('tab', { name: 'Checks' }).click()
  for (const value of ['200', '404']) {
    await response.getByRole('button', { name: 'Add check' }).click()
    await response
      .getByLabel(/^Value of check/)
      .last()
      .fill(value)
  }
  await response.getByRole('button', { name: 'Add check' }).click()
  await response.getByLabel('Kind of check 3').selectOption({ label: 'Header' })
  await response.getByLabel('Name of check 3').fill('Content-Type')
  await page.keyboard.press('Control+Enter')
  await response.getByText('1 of 3 passed').waitFor()
}

async function extractor(page: Page) {
  const { tools } = parts(page)
  await newRequest(page)
  await sendPath(page, '/device/devices?size=5')
  await tools.getByRole('tab', { name: 'Helpers' }).click()
  await tools.getByRole('button', { name: 'Extract $.items[0].id from every response' }).click()
  await tools.getByRole('textbox', { name: 'Variable to set' }).waitFor()
}

async function portalMenu(page: Page, item: string) {
  await page.getByRole('banner').locator('button.portal').click()
  await page.getByRole('menuitem', { name: item }).click()
}

/** Adds a portal that exists only in this page, from the next load on. */
async function withStaging(page: Page) {
  const more = { id: 99, name: 'Staging', remote: true, environment: 'staging', auth: 'none', readOnly: false }
  for (const [path, list] of [
    ['start', 'portals'],
    ['portals/all', 'items'],
  ])
    await page.route(`**/explorer/${path}*`, async (route) => {
      const response = await route.fetch()
      const body = (await response.json()) as Record<string, object[]>
      await route.fulfill({ response, json: { ...body, [list]: [...body[list], { ...body[list][0], ...more }] } })
    })
}

/** Opens the rehearsal of that portal at a stage. */
async function rehearsal(page: Page, stage: 'none' | 'ready') {
  await withStaging(page)
  const state = { portal: 99, name: 'Staging', folder: '/srv/rehearsals/99-staging.example', stage, version: 1 }
  const more = { progress: null, line: '', problem: '', copied: 1_790_000_000_000, copy: 0, running: true }
  await page.route('**/explorer/rehearsal?*', (route) => route.fulfill({ json: { ...state, ...more } }))
  const kinds = [
    { kind: '/device/groups', noun: 'device groups', count: 25, problem: '' },
    { kind: '/device/devices', noun: 'devices', count: 152, problem: '' },
    { kind: '/setting/roles', noun: 'roles', count: -1, problem: 'you need View access to Users.' },
  ]
  const quota = { limit: 500, remaining: 480, window: 60 }
  await page.route('**/explorer/rehearsal/preview*', (route) => route.fulfill({ json: { kinds, quota } }))
  await page.route('**/explorer/rehearsal/report*', (route) => route.fulfill({ json: { counts: [], notes: [] } }))
  const changed = { field: 'customProperties rack', was: '"12"', now: '"14"', there: '"13"', both: true }
  const steps = [
    {
      ...{ method: 'PATCH', path: '/device/devices/12?opType=replace', kind: '/device/devices', noun: 'device' },
      ...{ body: '{"customProperties":[]}', name: 'edge-1', creates: '', changes: [changed] },
      warnings: ['customProperties rack was changed in the portal since the copy: it is "13" now, and was "12"'],
    },
  ]
  const elsewhere = [{ kind: '/device/devices', noun: 'device', id: '3', name: 'db-1', what: 'deleted', fields: [] }]
  await page.route('**/explorer/rehearsal/diff*', (route) =>
    route.fulfill({ json: { compared: true, steps, elsewhere, notes: ['The API cannot delete the role “Old”.'] } }),
  )
  await page.reload()
  await portalMenu(page, 'Manage portals…')
  await page.getByRole('button', { name: 'Rehearse changes of Staging' }).click()
}

/** Compares the groups with the groups of a portal that exists only in this page. */
async function twoLists(page: Page) {
  await withStaging(page)
  const none = { differences: [], body: '', left: [], needs: [] }
  const body = { body: '{"name":"Berlin","parentId":4}', left: ['customProperties snmp.community: a secret'] }
  const differences = [{ field: 'description', here: '"Racks 1 to 4"', there: '""' }]
  const rows = [
    { ...none, kind: 'different', key: 'Labs', name: 'Labs', differences },
    { ...none, ...body, kind: 'here', key: 'Sites/Berlin', name: 'Berlin' },
    {
      ...none,
      ...body,
      kind: 'here',
      key: 'Sites/Berlin/Web',
      name: 'Web',
      needs: [{ field: 'parentId', key: 'Sites/Berlin' }],
    },
    { ...none, kind: 'there', key: 'Retired', name: 'Retired' },
  ]
  const counts = { here: 2, there: 1, different: 1, same: 12 }
  await page.route('**/explorer/lists/compare*', (route) =>
    route.fulfill({ json: { key: 'fullPath', keys: ['fullPath', 'id'], create: '/device/groups', rows, ...counts } }),
  )
  await page.reload()
  await newRequest(page)
  await parts(page).path.fill('/device/groups')
  await parts(page).path.blur()
  await page.keyboard.press('Control+Alt+Enter')
  await page.getByRole('button', { name: 'Compare lists' }).click()
  await page.getByRole('option', { name: 'Sites/Berlin/Web' }).click()
}

async function portalForm(page: Page) {
  await portalMenu(page, 'Add portal…')
  const form = page.getByRole('dialog', { name: 'Add portal' })
  await form.getByLabel('Name', { exact: true }).fill('Nobody there')
  await form.getByLabel('Address').fill('http://127.0.0.1:9/api')
  await form.getByText('Connection', { exact: true }).click()
  await form.getByRole('button', { name: 'Test connection' }).click()
  await form.getByRole('alert').waitFor()
}

async function importing(page: Page) {
  await palette(page, 'Import…')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Import' })
  await dialog.getByRole('textbox').fill("curl 'http://example.com/device/devices?size=3'")
  await dialog.getByRole('button', { name: 'Read', exact: true }).click()
  await dialog.getByRole('list', { name: 'Requests to import' }).waitFor()
}

async function palette(page: Page, text: string) {
  await page.keyboard.press('Control+K')
  await page.keyboard.insertText(text)
  await parts(page).palette.getByRole('option').first().waitFor()
}

async function settings(page: Page, section: string) {
  await page.keyboard.press('Control+,')
  await page.getByRole('dialog', { name: 'Settings' }).getByRole('tab', { name: section }).click()
}

/** Opens the HTTPS settings as in the desktop window, where the user can change them. */
async function https(page: Page) {
  const authority = '/home/dana/.local/share/spyglass/https/authority.crt'
  const system = { name: 'System certificates', trusted: false, problem: '', command: `sudo install ${authority}` }
  const state = {
    ...{
      on: true,
      port: 8443,
      names: ['acme.example.test'],
      switchable: true,
      problem: '',
      expires: 2_000_000_000_000,
    },
    addresses: ['https://acme.example.test:8443', 'https://127.0.0.1:8443'],
    ...{ hostsFile: '/etc/hosts', hostsLine: '127.0.0.1 acme.example.test', elsewhere: [], authority },
    stores: [system],
  }
  await page.route('**/explorer/https', (route) => route.fulfill({ json: state }))
  await settings(page, 'HTTPS')
  await page.getByRole('button', { name: 'Trust on this computer' }).waitFor()
}

async function conflict(page: Page) {
  await settings(page, 'Keys')
  await page.getByRole('button', { name: 'Change keys of Send Request' }).click()
  await page.keyboard.press('Control+K')
  await page.getByRole('button', { name: 'Use it here instead' }).waitFor()
}

async function menu(page: Page, name: string | RegExp) {
  await page.getByRole('button', { name }).click()
  await page.getByRole('menu').waitFor()
}

async function write(page: Page, method: string, path: string, body = '') {
  const p = parts(page)
  await newRequest(page)
  await p.path.fill(path)
  await p.method.focus()
  await p.method.selectOption(method)
  if (!body) return
  await p.request.getByRole('tab', { name: 'Raw JSON' }).click()
  await p.request.locator('.cm-content').click()
  await page.keyboard.press('Control+A')
  await page.keyboard.insertText(body)
}

let reviews = 0

async function review(page: Page, more: Record<string, unknown> = {}) {
  await write(
    page,
    'PATCH',
    '/device/groups/2',
    JSON.stringify({ name: 'Network', description: `seen ${++reviews} times`, ...more }),
  )
  await menu(page, 'More send options')
  await page.getByRole('menuitem', { name: 'Review changes' }).click()
  await page
    .getByRole('dialog')
    .getByRole('row', { name: /description/ })
    .waitFor()
}

async function locked(page: Page) {
  await write(page, 'PATCH', '/device/groups/2', '{"description": "never"}')
  await menu(page, 'More send options')
  await page.getByRole('menuitemcheckbox', { name: /Read-only/ }).click()
  await page.getByText('is now read-only').waitFor()
  await page.keyboard.press('Control+Enter')
  await parts(page)
    .response.getByText(/is read-only, so/)
    .waitFor()
}

async function chart(page: Page) {
  await newRequest(page)
  const path = await page.evaluate(async () => {
    const first = async (path: string) =>
      ((await (await fetch(`/api${path}`)).json()) as { items: { id: number }[] }).items[0].id
    const device = `/device/devices/${await first('/device/devices?size=1&filter=displayName~"web-prod"')}`
    const source = `${device}/devicedatasources/${await first(`${device}/devicedatasources?filter=dataSourceName:"Linux_Host"`)}`
    return `${source}/instances/${await first(`${source}/instances`)}/data?period=6`
  })
  await sendPath(page, path)
  await parts(page).response.getByRole('tab', { name: 'Chart' }).click()
  await parts(page)
    .response.getByRole('slider', { name: /^Linux_Host/ })
    .waitFor()
}

async function docsOfWrite(page: Page) {
  await newRequest(page)
  await parts(page).search.fill('post devices')
  await endpoint(page, 'POST /device/devices').click()
  await until(parts(page).tools.getByRole('heading', { level: 2 }), /./)
}

/**
 * Returns the pointer targets that are less than 24 pixels wide or high. WCAG exempts rows of the JSON tree, because
 * each is a line of text.
 */
export function small(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const wanted =
      'button, a[href], input, select, textarea, summary, label:has(input), [role="tab"], [role="option"], [role="menuitem"], [role="treeitem"], [role="switch"], [role="checkbox"]'
    return [...document.querySelectorAll<HTMLElement>(wanted)].flatMap((e) => {
      if (e.matches('label input, [aria-label="JSON"] *') || e.closest('.cm-content')) return []
      const { width, height } = e.getBoundingClientRect()
      if (width === 0 || !e.checkVisibility({ visibilityProperty: true }) || (width >= 23.9 && height >= 23.9))
        return []
      return [
        `${e.tagName.toLowerCase()} “${(e.getAttribute('aria-label') || e.textContent || '').trim().slice(0, 40)}” ${Math.round(width)}×${Math.round(height)}`,
      ]
    })
  })
}

/** Opens a request from the catalog, with its response and its docs. */
async function explorer(page: Page) {
  const p = parts(page)
  await newRequest(page)
  await p.search.fill('get device devices')
  await endpoint(page, 'GET /device/devices').click()
  await p.search.fill('')
  await p.tools.getByRole('tab', { name: 'Docs' }).click()
  await page.keyboard.press('Control+Enter')
  await p.tree.getByRole('treeitem').first().waitFor()
}

async function monitor(page: Page, screen?: string) {
  await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'Monitor' }).click()
  if (screen) await page.getByRole('navigation', { name: 'Monitor' }).getByRole('button', { name: screen }).click()
}

async function fleet(page: Page) {
  await monitor(page, 'Fleet')
  await page.getByRole('grid', { name: 'Devices' }).locator('.object').first().waitFor()
  await page.getByRole('treeitem', { name: /^Servers/ }).waitFor()
}

async function device(page: Page, tab?: string) {
  await fleet(page)
  await page.getByRole('searchbox', { name: 'Search devices' }).fill('web-prod-01.fra')
  await page.getByRole('grid', { name: 'Devices' }).getByRole('button', { name: 'web-prod-01.fra' }).click()
  await page.getByRole('heading', { name: 'web-prod-01.fra' }).waitFor()
  if (tab) await page.getByRole('tab', { name: tab }).click()
}

async function alerts(page: Page) {
  await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'Monitor' }).click()
  await page.getByRole('navigation', { name: 'Monitor' }).getByRole('button', { name: 'Alerts' }).click()
  await page.getByRole('grid', { name: 'Alerts' }).getByRole('row').nth(1).waitFor()
}

async function dataSources(page: Page) {
  await monitor(page, 'DataSources')
  await page
    .getByRole('grid', { name: 'DataSources' })
    .getByRole('row', { name: /^Linux Linux_Host/ })
    .waitFor()
}

async function tested(page: Page) {
  await dataSources(page)
  await page
    .getByRole('grid', { name: 'DataSources' })
    .getByRole('row', { name: /^Linux Linux_Host/ })
    .click()
  await page
    .getByRole('grid', { name: 'Devices' })
    .getByRole('button', { name: /^Test on/ })
    .first()
    .click()
  await page.getByRole('table', { name: /^Values of/ }).waitFor()
  await page.getByRole('textbox', { name: 'Error limit of cpuPercent' }).fill('x')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').waitFor()
}

async function adjustThreshold(page: Page) {
  await page
    .getByRole('button', { name: /^Adjust the thresholds of/ })
    .first()
    .click()
  await page.getByText(/in the last 14 days/).waitFor()
  await page.getByRole('button', { name: 'Group', exact: true }).click()
}

async function searchDocs(page: Page) {
  await page.getByRole('searchbox', { name: 'Search the docs' }).fill('qqqq')
}

async function createAll(page: Page) {
  await page.getByRole('button', { name: 'Create all 2 in Staging…' }).click()
  await page.getByRole('dialog', { name: 'Create 2 items in Staging?' }).getByText('Sites/Berlin/Web').click()
}

async function pointsTable(page: Page) {
  await page.getByRole('button', { name: 'Points as a table' }).click()
  await page.getByRole('table', { name: 'Points of the chart' }).waitFor()
}

async function watch(page: Page) {
  const { response } = parts(page)
  await response.getByRole('tab', { name: 'Watch' }).click()
  await response.getByRole('button', { name: 'Start watching' }).click()
  await response.getByRole('checkbox', { name: 'Show Size in bytes in the chart' }).check()
  await response.getByRole('slider', { name: /^Chart of the recording/ }).waitFor()
  await response.getByRole('button', { name: 'Stop watching' }).click()
  await response.getByText('Stopped.', { exact: true }).first().waitFor()
}

async function compareRole(page: Page) {
  await parts(page).response.getByRole('button', { name: 'Compare…' }).click()
  await page.getByRole('menuitem', { name: 'As role readonly' }).click()
  await parts(page).response.getByText('as role readonly').waitFor()
}

async function changeOwner(page: Page) {
  await page.getByRole('tab', { name: 'Properties' }).click()
  await page.getByRole('button', { name: 'Change owner' }).click()
}

async function deviceHistory(page: Page) {
  await page.getByRole('tab', { name: 'History' }).click()
  await page.getByText('Patch night').waitFor()
}

async function filterMatches(page: Page) {
  await parts(page).response.getByRole('searchbox', { name: 'Filter response' }).fill('$.items[*].displayName')
  await page.getByText('5 matches').waitFor()
}

const showView = (page: Page, name: string) => parts(page).response.getByRole('tab', { name }).click()
const showPanel = (page: Page, name: string) => parts(page).tools.getByRole('tab', { name }).click()
