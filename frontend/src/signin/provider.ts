/** A sign-in at a provider leaves the page, and comes back to another address of the portal. */
const key = 'link'
const channel = 'signed-in'

/** Keeps the link in the address, such as `#monitor/alerts`, in this tab: browsers send it to no server. */
export function keepLink() {
  if (location.hash) sessionStorage.setItem(key, location.hash)
  else sessionStorage.removeItem(key)
}

/** Completes a sign-in: notifies the other tabs, and returns the link of `keepLink` once; empty for none. */
export function comeBack(): string {
  const others = new BroadcastChannel(channel)
  others.postMessage(null)
  others.close()
  const link = sessionStorage.getItem(key) ?? ''
  sessionStorage.removeItem(key)
  return link
}

/** Calls `act` after each sign-in at a provider in another tab. Returns a function that ends this. */
export function onSignIn(act: () => void): () => void {
  const others = new BroadcastChannel(channel)
  others.onmessage = act
  return () => others.close()
}
