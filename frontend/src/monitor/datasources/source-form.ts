import { asFault, Fault } from '../../client'
import type { RestClient, Versioned } from '../../client/rest'
import type { Values } from '../form/fields'
import { fieldOfPoint, ruleOf, type DataPoint, type Rule, type Source } from './source'
import { text } from './text'

type Rest = Pick<RestClient['rest'], 'get' | 'write'>

/**
 * A data source for its form. The rule of each data point is a separate field, so that two users
 * who set different thresholds have no conflict.
 */
export class SourceForm implements Rest {
  #read: Versioned<Source> | undefined
  /** The version of the definition for each etag, which also changes with numOfHosts. */
  #versions = new Map<string, number>()

  constructor(private rest: Rest) {}

  async get<T>(path: string): Promise<Versioned<T>> {
    const read = await this.#get(path)
    return { value: flat(read.value) as T, etag: read.etag }
  }

  async write<T>(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown, etag = ''): Promise<T> {
    const sent = body as Values
    try {
      return flat(await this.#send(method, path, sent, etag)) as T
    } catch (e) {
      throw this.#atRule(asFault(e))
    }
  }

  async #get(path: string): Promise<Versioned<Source>> {
    this.#read = await this.rest.get<Source>(path)
    this.#versions.set(this.#read.etag, this.#read.value.version)
    return this.#read
  }

  async #send(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, sent: Values, etag: string): Promise<Source> {
    const write = (etag: string) =>
      this.rest.write<Source>(method, path, whole(sent, this.#read?.value.dataPoints ?? []), etag)
    try {
      return await write(etag)
    } catch (e) {
      const version = this.#versions.get(etag)
      if (asFault(e).status !== 412 || version === undefined) throw e
      const now = await this.#get(path)
      if (now.value.version !== version) throw e
      return write(now.etag)
    }
  }

  /** Converts an error for dataPoints[2].alertExpr to one for the field of the rule. */
  #atRule(fault: Fault): Fault {
    const [all, index, key] = /^dataPoints\[(\d+)\]\.(\w+)$/.exec(fault.field) ?? []
    const point = this.#read?.value.dataPoints[Number(index)]
    if (!all || !point) return fault
    const rest = fault.message.startsWith(all) ? fault.message.slice(all.length) : `: ${fault.message}`
    return new Fault(`${text.points.parts[key] ?? key}${rest}`, fault.status, {
      ...fault.detail,
      field: `${fieldOfPoint(point)}.${key}`,
    })
  }
}

function flat(source: Source): Values {
  return { ...source, ...Object.fromEntries(source.dataPoints.map((p) => [fieldOfPoint(p), ruleOf(p)])) }
}

/**
 * Returns the values for the API: rules are moved back into their data points, which are one field
 * there.
 */
function whole(sent: Values, points: DataPoint[]): Values {
  const rules = points.map((p) => sent[fieldOfPoint(p)] as Rule | undefined)
  const others = Object.fromEntries(Object.entries(sent).filter(([name]) => !name.startsWith('rule.')))
  return rules.some(Boolean) ? { ...others, dataPoints: points.map((p, i) => ({ ...p, ...rules[i] })) } : others
}
