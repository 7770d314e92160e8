import { svelte } from '@sveltejs/vite-plugin-svelte'
import { createServer, type Plugin, type ProxyOptions } from 'vite'
import { defineConfig } from 'vitest/config'

/**
 * `go run ./build dev` sets the address of the portal; `npm run dev` alone uses one started with `spyglass serve
 * --listen 127.0.0.1:8443`.
 */
const portal = process.env.SPYGLASS_ADDRESS ?? 'http://127.0.0.1:8443'

/**
 * The portal accepts requests of its own pages only. Requests of the page that this server
 * delivers are passed on with the origin of the portal; those of other pages are passed on
 * unchanged, so that the portal refuses them.
 */
const proxy: ProxyOptions = {
  target: portal,
  changeOrigin: true,
  configure: (server) => {
    server.on('proxyReq', (passed, request) => {
      if (request.headers.origin === `http://${request.headers.host}`) passed.setHeader('Origin', portal)
    })
  },
}

/** Renders the frame into index.html: it is painted while the script loads. */
const firstPaint: Plugin = {
  name: 'first-paint',
  apply: 'build',
  async transformIndexHtml(html) {
    const server = await createServer({
      configFile: false,
      logLevel: 'error',
      plugins: [svelte()],
      server: { middlewareMode: true, ws: false, watch: null },
      appType: 'custom',
      optimizeDeps: { noDiscovery: true },
    })
    try {
      const [{ render }, frame] = await Promise.all(
        ['svelte/server', '/src/Frame.svelte'].map((name) => server.ssrLoadModule(name)),
      )
      return html.replace(
        '<div id="app">',
        (begin) => `${begin}<div class="first" aria-hidden="true" inert>${render(frame.default).body}</div>`,
      )
    } finally {
      await server.close()
    }
  },
}

export default defineConfig(({ mode }) => ({
  plugins: [svelte(), firstPaint],
  build: { target: 'es2022', chunkSizeWarningLimit: 800, assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  resolve: mode === 'test' ? { conditions: ['browser'] } : undefined,
  server: {
    host: '127.0.0.1',
    port: 5173,
    strictPort: true,
    cors: false,
    proxy: Object.fromEntries(['/api', '/explorer', '/launch', '/santaba'].map((path) => [path, proxy])),
  },
  // One module graph for all files of a worker: loading it again for each file takes longer than the tests.
  test: { include: ['src/**/*.test.ts'], environment: 'node', isolate: false },
}))
