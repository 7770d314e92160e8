import { expect, test } from 'vitest'
import { Fault } from '../../client'
import { Editing } from '../form/editing.svelte'
import { every, ruleInWords, unitOf, type Source } from './source'
import { SourceForm } from './source-form'

const point = (id: number, alertExpr: string) => ({
  id,
  name: `p${id}`,
  alertExpr,
  alertForNoData: 1,
  alertTransitionInterval: 0,
  alertClearTransitionInterval: 0,
  maxDigits: 4,
})

/** Fakes a portal with a data source that other users also change. */
function portal() {
  const it = {
    value: { id: 7, version: 1, numOfHosts: 3, collectInterval: 60, dataPoints: [point(1, '> 1'), point(2, '> 2')] },
    writes: [] as unknown[],
  }
  const etag = () => JSON.stringify(it.value)
  const rest = {
    get: async () => ({ value: structuredClone(it.value), etag: etag() }),
    write: async (_: string, __: string, sent: Partial<typeof it.value>, given: string) => {
      if (given !== etag()) throw new Fault('changed', 412)
      if (sent.dataPoints?.some((p) => p.alertExpr === 'x'))
        throw new Fault('dataPoints[1].alertExpr: x is no number', 400, { field: 'dataPoints[1].alertExpr' })
      it.writes.push(sent)
      return (it.value = { ...it.value, ...sent, version: it.value.version + 1 })
    },
  }
  const form = new Editing({ rest: new SourceForm(rest as never), path: '/setting/datasources', id: 7, keep: () => {} })
  const rule = (alertExpr: string) => ({
    alertExpr,
    alertForNoData: 1,
    alertTransitionInterval: 0,
    alertClearTransitionInterval: 0,
  })
  return { it, form, rule }
}

test('a threshold rule is a form field, is stored in its data point, and can be undone', async () => {
  const { it, form, rule } = portal()
  await form.load()
  form.set('rule.2', rule('> 5'))
  await form.save([])
  expect(it.writes).toEqual([{ dataPoints: [point(1, '> 1'), point(2, '> 5')] }])
  await form.undo()
  expect([it.value.dataPoints[1].alertExpr, form.dirty]).toEqual(['> 2', false])

  form.set('collectInterval', 90)
  await form.save([])
  it.value = { ...it.value, version: 9 }
  await expect(form.undo()).rejects.toMatchObject({ status: 412 })
})

test('a change of another rule is no conflict, of the same rule it is', async () => {
  const { it, form, rule } = portal()
  await form.load()
  form.set('rule.2', rule('> 5'))
  it.value = { ...it.value, version: 2, dataPoints: [point(1, '> 7'), point(2, '> 2')] }
  await form.save([])
  expect(form.conflict?.fields).toEqual([])
  form.keepMine()
  await form.save([])
  expect(it.value.dataPoints.map((p) => p.alertExpr)).toEqual(['> 7', '> 5'])

  form.set('rule.1', rule('> 8'))
  it.value = { ...it.value, version: 8, dataPoints: [point(1, '> 9'), point(2, '> 5')] }
  await form.save([])
  expect(form.conflict?.fields).toEqual(['rule.1'])
  expect(ruleInWords(form.conflict?.theirs['rule.1'])).toBe('> 9, no data: no alert, opens after 1, clears after 1')
})

test('a new device is no change of the data source, and an error stays at its rule', async () => {
  const { it, form, rule } = portal()
  await form.load()
  form.set('rule.2', rule('x'))
  it.value = { ...it.value, numOfHosts: 4 }
  await form.save([])
  expect(form.at('rule.2')).toEqual({ '.alertExpr': 'The threshold: x is no number' })
  form.set('rule.2', rule('> 6'))
  it.value = { ...it.value, numOfHosts: 5 }
  await form.save([])
  expect([form.conflict, it.value.dataPoints[1].alertExpr]).toEqual([undefined, '> 6'])
})

test('intervals and units are formatted', () => {
  expect([60, 90, 300, 7200, 86_400].map(every)).toEqual(['1 min', '90 s', '5 min', '2 h', '1 d'])
  const graph = (verticalLabel: string, isVirtualDataPoint: boolean) => ({
    verticalLabel,
    lines: [{ dataPointName: 'loss', isVirtualDataPoint }],
  })
  expect(
    unitOf({ graphs: [graph('ms', true)], overviewGraphs: [graph('%', false)] } as unknown as Source, 'loss'),
  ).toBe('%')
})
