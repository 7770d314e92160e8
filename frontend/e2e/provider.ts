/** Starts OpenID Connect providers. */
import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type JWK } from 'oidc-provider'

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const key = { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'k1' } as JWK

export const client = { clientId: 'spyglass', clientSecret: 'client-secret' }

/** A user of a provider, whom it knows by an id that differs from the name. */
export interface Member {
  name: string
  groups: string[]
}

export interface RunningProvider {
  issuer: string
  /** Returns the address to which the provider sends a browser instead of `to`, the portal's callback. */
  sendBack(to: string): string
  /** Completes running requests only. */
  stop(): void
}

/**
 * Starts a certified provider for a portal. Its login form accepts the ids of `members`, with any password. The ID
 * token has only the id: all other claims are at the UserInfo endpoint, as in the specification. The provider is at
 * localhost, because a browser treats it and 127.0.0.1 as different sites, like those of a provider and a portal in
 * production.
 */
export async function startProvider(portal: string, members: Record<string, Member>): Promise<RunningProvider> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        redirect_uris: [`${portal}/oidc/callback`],
      },
    ],
    pkce: { required: () => true },
    claims: { openid: ['sub'], profile: ['preferred_username'], email: ['email'], groups: ['groups'] },
    findAccount(_, id) {
      const { name, groups } = members[id]
      return {
        accountId: id,
        claims: () => ({ sub: id, preferred_username: name, email: `${name}@example.net`, groups }),
      }
    },
    cookies: { keys: ['signs the cookies'] },
    jwks: { keys: [key] },
  })
  const running: RunningProvider = {
    issuer,
    sendBack: (to) => to,
    stop() {
      server.close()
      server.closeIdleConnections()
    },
  }
  provider.use(async (ctx, next) => {
    await next()
    const to = ctx.res.getHeader('Location')
    if (typeof to === 'string' && to.startsWith(`${portal}/`)) ctx.set('Location', running.sendBack(to))
  })
  server.on('request', provider.callback())
  return running
}
