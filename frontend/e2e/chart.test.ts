import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newRequest, parts, sendPath, suite, until } from './harness'
import { step } from './story'

const portal = suite()

/** Returns the data path of the first instance of `source` on the first device whose name contains `device`. */
async function dataPath(page: Page, device: string, source: string): Promise<string> {
  return page.evaluate(
    async ([device, source]) => {
      const first = async (path: string) =>
        ((await (await fetch(`/api${path}`)).json()) as { items: { id: number }[] }).items[0].id
      const d = await first(`/device/devices?size=1&filter=displayName~"${device}"`)
      const s = await first(`/device/devices/${d}/devicedatasources?filter=dataSourceName:"${source}"`)
      return `/device/devices/${d}/devicedatasources/${s}/instances/${await first(`/device/devices/${d}/devicedatasources/${s}/instances`)}`
    },
    [device, source],
  )
}

/** Waits until the response contains the history that the demo creates after its start. */
async function remembered(page: Page, path: string) {
  const values = () =>
    page.evaluate(
      async (path) => ((await (await fetch(`/api${path}`)).json()) as { values: unknown[] }).values.length,
      path,
    )
  await expect.poll(values).toBeGreaterThan(100)
}

/** Counts the pixels of the canvas that are not empty. */
function drawn(page: Page): Promise<number> {
  return page.evaluate(() => {
    const canvas = document.querySelector<HTMLCanvasElement>('.plot canvas')
    if (!canvas?.width) return 0
    const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height)
    let n = 0
    for (let i = 3; i < data.length; i += 4) if (data[i] > 0) n++
    return n
  })
}

test('data is charted, zoomed by keys and dragging, and shown as a table', async () => {
  const page = await portal.page()
  const p = parts(page)
  await step('data is charted with thresholds, zoomed, and the range changes the request', async () => {
    await newRequest(page)
    const data = `${await dataPath(page, 'web-prod', 'Linux_Host')}/data?period=24`
    await remembered(page, data)
    await sendPath(page, data)
    expect(
      await page.evaluate(
        () => performance.getEntriesByType('resource').filter((r) => /plot-[^/]*\.js/.test(r.name)).length,
      ),
    ).toBe(0)
    await p.response.getByRole('tab', { name: 'Chart' }).click()
    const chart = p.response.getByRole('slider', { name: /^Linux_Host\. .*cpuPercent: lowest .*highest .*last / })
    await chart.waitFor()
    await expect.poll(() => drawn(page)).toBeGreaterThan(1000)
    const lines = p.response.getByRole('group', { name: 'Lines' })
    await expect.poll(() => lines.getByRole('button').count()).toBe(8)
    await expect
      .poll(() => lines.getByRole('button', { name: /^cpuPercent/ }).getAttribute('aria-pressed'))
      .toBe('true')
    await expect
      .poll(() => lines.getByRole('button', { name: /^memoryTotal/ }).getAttribute('aria-pressed'))
      .toBe('false')
    const thresholds = p.response.getByRole('button', { name: 'Thresholds' })
    await expect.poll(() => thresholds.getAttribute('aria-pressed')).toBe('true')

    await chart.focus()
    await page.keyboard.press('End')
    await expect.poll(() => chart.getAttribute('aria-valuetext')).toMatch(/\d{4}, \d\d:\d\d:\d\d: .*cpuPercent [\d.]+/)
    await page.keyboard.press('Shift+PageUp')
    await page.keyboard.press('Shift+PageUp')
    await page.keyboard.press('Enter')
    await p.response.getByRole('button', { name: 'Use this range in the request' }).click()
    await until(page.getByTestId('toast'), /^start and end are now in the request/)
    await p.response.getByText('Edited since sent').waitFor()
    await p.send.click()
    await until(p.status, /^200 OK/)
    await expect.poll(() => p.response.getByText('Edited since sent').count()).toBe(0)
    await expect.poll(() => drawn(page)).toBeGreaterThan(1000)
  })

  await step('dragging zooms, Escape zooms out, and the points are shown as a table', async () => {
    await newRequest(page)
    await sendPath(page, `${await dataPath(page, 'web-prod', 'Ping')}/data?period=24`)
    await p.response.getByRole('tab', { name: 'Chart' }).click()
    await expect.poll(() => drawn(page)).toBeGreaterThan(1000)
    const told = await page.evaluateHandle(() => {
      const words: string[] = []
      const { fillText } = CanvasRenderingContext2D.prototype
      CanvasRenderingContext2D.prototype.fillText = function (text, ...at) {
        words.push(text)
        fillText.call(this, text, ...at)
      }
      return words
    })
    const box = (await page.locator('.plot .u-over').boundingBox())!
    for (const to of [0.61, 0.87, 0.74, 0.93]) {
      await told.evaluate((words) => words.splice(0))
      await page.mouse.move(box.x + box.width * 0.31, box.y + 20)
      await page.mouse.down()
      await page.mouse.move(box.x + box.width * to, box.y + 30, { steps: 5 })
      await page.mouse.up()
      await p.response.getByRole('button', { name: 'Reset zoom' }).waitFor()
      const moments = () => told.evaluate((words) => words.filter((word) => /^\d\d:\d\d/.test(word)))
      await expect.poll(async () => (await moments()).length).toBeGreaterThan(3)
      // all labels are round times
      expect((await moments()).filter((moment) => !/^\d\d:\d[05](:[0-5][05])?$/.test(moment))).toEqual([])
    }
    await p.response.getByRole('slider').focus()
    await page.keyboard.press('Escape')
    await expect.poll(() => p.response.getByRole('button', { name: 'Reset zoom' }).count()).toBe(0)
    await p.response.getByRole('button', { name: 'Points as a table' }).click()
    const points = p.response.getByRole('table', { name: 'Points of the chart' })
    await points.getByRole('columnheader', { name: 'Time' }).waitFor()
    await expect.poll(() => points.getByRole('rowheader').first().textContent()).toMatch(/\d{4}, \d\d:\d\d:\d\d$/)
    await expect.poll(() => points.getByRole('cell').first().textContent()).toMatch(/^[\d.,]+( \S+)?$|^no data$/)
    const [name, value] = [
      points.getByRole('columnheader').nth(3),
      points.getByRole('row').nth(1).getByRole('cell').nth(2),
    ]
    const before = (await value.boundingBox())!.x
    const by = await points.locator('.all').evaluate((rows) => {
      rows.scrollTo(120, 0)
      return rows.scrollLeft
    }) // may stop before 120: the widths of times and values vary
    expect(by).toBeGreaterThan(20)
    await expect
      .poll(async () => [(await name.boundingBox())!.x, (await value.boundingBox())!.x])
      .toEqual([before - by, before - by])
  })

  await step('a graph has its title and unit, and a list offers a chart of its numbers over time', async () => {
    await newRequest(page)
    const instance = await dataPath(page, 'web-prod', 'Linux_Host')
    const [graph, overview] = await page.evaluate(async () => {
      const [source] = (
        (await (await fetch('/api/setting/datasources?filter=name:"Linux_Host"')).json()) as {
          items: Record<'graphs' | 'overviewGraphs', { id: number }[]>[]
        }
      ).items
      return [source.graphs[0].id, source.overviewGraphs[0].id]
    })
    await sendPath(page, `${instance}/graphs/${graph}/data`)
    await p.response.getByRole('tab', { name: 'Chart' }).click()
    await p.response.getByText('Processors, %').waitFor()
    await expect.poll(() => drawn(page)).toBeGreaterThan(1000)
    await p.response.getByRole('button', { name: 'Thresholds' }).waitFor()

    await sendPath(page, `${instance.replace(/instances.*/, 'groups/0')}/graphs/${overview}/data`)
    await p.response.getByText('Processors and memory, %').waitFor()
    await p.response.getByRole('button', { name: 'Thresholds' }).waitFor()

    // this path names no device
    await sendPath(page, `/device/devicedatasourceinstances/${instance.split('/').at(-1)}/graphs/${graph}/data`)
    await p.response.getByText('Processors, %').waitFor()
    await p.response.getByRole('button', { name: 'Thresholds' }).waitFor()

    await sendPath(page, '/alert/alerts?size=50')
    await p.response.getByText('Draw this list as a chart').waitFor()
    await p.response.getByRole('button', { name: 'Draw' }).click()
    await expect.poll(() => drawn(page)).toBeGreaterThan(500)

    await sendPath(page, '/setting/version')
    await p.response.getByText('This response has no chart').waitFor()
  })
})

test('several instances are charted with thresholds and daily maintenance', async () => {
  const page = await portal.page({ fresh: true })
  const p = parts(page)
  await newRequest(page)
  const source = await page.evaluate(async () => {
    const items = async (path: string) =>
      ((await (await fetch(`/api${path}`)).json()) as { items: { id: number; instanceNumber: number }[] }).items
    for (const device of await items('/device/devices?size=100')) {
      const several = (await items(`/device/devices/${device.id}/devicedatasources?size=100`)).find(
        (s) => s.instanceNumber > 1,
      )
      if (several) return `/device/devices/${device.id}/devicedatasources/${several.id}`
    }
    throw new Error('no device has several instances of a data source')
  })
  const first = await page.evaluate(
    async (source) =>
      ((await (await fetch(`/api${source}/instances`)).json()) as { items: { id: number }[] }).items[0].id,
    source,
  )
  await remembered(page, `${source}/instances/${first}/data?period=24`)
  const responses: string[] = []
  page.on(
    'response',
    (r) =>
      r.url().endsWith('/explorer/maintenance/windows') && r.ok() && void r.text().then((text) => responses.push(text)),
  )
  const made = await page.evaluate(async (device) => {
    const { csrfToken } = (await (await fetch('/explorer/start')).json()).user
    const now = new Date()
    const answer = await fetch('/api/sdt/sdts', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': csrfToken },
      body: JSON.stringify({
        type: 'ResourceSDT',
        deviceId: Number(device),
        sdtType: 'daily',
        comment: 'Every day',
        timezone: 'UTC',
        hour: (now.getUTCHours() + 23) % 24,
        minute: 0,
        duration: 180,
        startDateTime: now.getTime() - 3 * 86_400_000,
      }),
    })
    return answer.status
  }, source.split('/')[3])
  expect(made).toBeLessThan(300)
  await sendPath(page, `${source}/data?period=24`)
  await p.response.getByRole('tab', { name: 'Chart' }).click()
  await expect.poll(() => drawn(page)).toBeGreaterThan(1000)
  await expect
    .poll(() => responses.map((text) => (JSON.parse(text) as { items: unknown[] }).items.length > 0))
    .toEqual([true])
  await expect
    .poll(() => p.response.getByRole('button', { name: 'Thresholds' }).getAttribute('aria-pressed'))
    .toBe('true')
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/chart-instances.png` })

  // A request by id includes instances of another device. Its response contains only ids.
  const ids = await page.evaluate(async (device) => {
    const of = async (id: string) =>
      (
        (await (await fetch(`/api/device/devices/${id}/instances?size=8&fields=id`)).json()) as {
          items: { id: number }[]
        }
      ).items.map((i) => i.id)
    return [...(await of(device)), ...(await of(device === '1' ? '2' : '1'))]
  }, source.split('/')[3])
  expect(ids.length).toBeGreaterThan(10)
  await newRequest(page)
  await p.path.fill('')
  await page.evaluate(
    (ids) =>
      navigator.clipboard.writeText(
        `curl -X POST '${location.origin}/api/device/instances/datafetch?period=24' -d '{"instanceIds":"${ids}"}'`,
      ),
    ids.join(','),
  )
  await p.path.focus()
  await page.keyboard.press('Control+V')
  await expect.poll(() => p.method.inputValue()).toBe('POST')
  const questions: string[] = []
  page.on('request', (r) => {
    if (r.url().endsWith('/explorer/lookup'))
      questions.push(...(r.postDataJSON() as { drafts: { path: string }[] }).drafts.map((d) => d.path))
  })
  await page.keyboard.press('Control+Enter')
  await p.response.getByRole('tab', { name: 'Chart' }).click()
  await p.response.getByRole('button', { name: 'Thresholds' }).waitFor()
  await expect
    .poll(() =>
      p.response
        .getByRole('group', { name: 'Lines' })
        .getByRole('button', { name: /\.\w{3} / })
        .count(),
    )
    .toBeGreaterThan(10) // the labels include device names
  await expect.poll(() => responses.length).toBeGreaterThan(1)
  expect(questions.filter((path) => path.endsWith('/alertsettings'))).toHaveLength(2) // one per device
  expect(questions.filter((path) => path.endsWith('/instances'))).toHaveLength(2)
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/chart-fetched.png` })
})
