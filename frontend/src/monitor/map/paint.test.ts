import { expect, test, vi } from 'vitest'
import { Fleet } from './fleet'
import { Painter, type Colours } from './paint'
import { scales, whole } from './view'

const size = { width: 1000, height: 500 }
const states = 'nennn'
const fleet = new Fleet({
  layout: 'one',
  width: 8,
  height: 4,
  groups: [{ groupId: 1, name: 'Oslo', parent: -1, x: 0, y: 0, width: 8, height: 4, first: 0, count: states.length }],
  devices: {
    ids: [1, 2, 3, 4, 5],
    names: ['a', 'b', 'c', 'd', 'e'],
    x: [1, 2, 3, 4, 5],
    y: [1, 1, 1, 1, 1],
    groups: [0, 0, 0, 0, 0],
    parents: [-1, -1, -1, -1, -1],
  },
  states,
  counts: [0, 1, 0, 0, 0, 4],
})

/** Paints the fleet on a canvas that records the filled paths, as their colors and numbers of circles. */
function fills(z: number) {
  const found: [string, number][] = []
  let circles = 0
  const ink = new Proxy({} as Record<string, unknown>, {
    get: (has, name: string) =>
      has[name] ??
      ((text?: string) => {
        if (name === 'beginPath') circles = 0
        if (name === 'arc') circles++
        if (name === 'fill') found.push([has.fillStyle as string, circles])
        return name === 'measureText' ? { width: 6 * text!.length } : undefined
      }),
  })
  const canvas = { width: 0, height: 0, getContext: () => ink } as unknown as HTMLCanvasElement
  const letters = { c: 'c', e: 'e', w: 'w', s: 's', u: 'u', n: 'n' }
  const colours = { fill: letters, back: letters, ground: 'ground', box: 'box' } as unknown as Colours
  vi.stubGlobal('devicePixelRatio', 1)
  try {
    new Painter().paint(canvas, fleet, { ...whole(fleet, size), z }, size, {}, colours, new Map())
  } finally {
    vi.unstubAllGlobals()
  }
  return found.filter(([colour]) => colour in letters)
}

test('healthy devices are one path, each other device has its own shape', () => {
  for (const z of [scales.shapes, scales.names])
    expect(fills(z).slice(0, 2), `scale ${z}`).toEqual([
      ['n', 4],
      ['e', 0],
    ])
})
