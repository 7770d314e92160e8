/** The second factor of the signed-in user. */
import type { components } from './api.gen'
import type { Http } from './call'
import type { Session } from './model'

export function factorClient(http: Http) {
  return {
    /** Whether it is set up, and how many recovery codes are left. */
    state: () => http.json<Session>('/api/session'),
    /** Begins a set-up; `code` is of the one so far. Client.confirmFactor completes it. */
    begin(password: string, code?: string) {
      const body: components['schemas']['FactorLogin'] = { password, code }
      return http.json<components['schemas']['FactorSetUp']>('/api/session/2fa', { method: 'POST', body })
    },
  }
}
