/** The text of the welcome page and the tour. */

export const text = {
  title: 'Welcome',
  name: 'Spyglass',
  says: 'Monitor your infrastructure and explore its API.',
  newHere: 'New here? Take a five-step tour.',
  tour: 'Start tour',
  noTour: 'No, thanks',
  api: 'API Explorer',
  apiGoes: 'Find an endpoint, send a request, read the response.',
  monitor: 'Monitor',
  monitorGoes: 'Alerts, device health and charts, live.',
  recent: 'Recent requests',
  recentOf: 'this portal',
  none: ['No requests yet. Try a sample, or press ', ' and type an endpoint.'],
  samples: 'Sample requests',
  samplesFor: 'to get started',
  signedIn: (user: string, portal: string) => `signed in as ${user} to ${portal}`,
  elsewhere: (portal: string, as: string) => `${portal}: ${as}`,
  data: 'data in ',

  sample: {
    dead: 'Dead devices',
    critical: 'Critical alerts, newest first',
    groups: 'Groups, two levels deep',
    data: 'Data of one instance, last 3 h',
    sources: 'DataSources by name',
    downtime: 'One hour of maintenance',
  },

  ago: {
    now: 'just now',
    minutes: (n: number) => `${n} min ago`,
    hours: (n: number) => `${n} h ago`,
    yesterdayAt: (time: string) => `Yesterday ${time}`,
    today: 'Today',
    yesterday: 'Yesterday',
  },

  steps: {
    leave: 'Leave the tour',
    leaveHint: 'Leave (Esc)',
    of: (n: number, all: number) => `${n} of ${all}`,
    back: 'Back',
    next: 'Next',
    done: 'Done',
    /** `[command]` is replaced by the shortcut of a command. */
    catalog: [
      'Every endpoint of the portal',
      '[catalog.search] searches by path, field or purpose. Selecting one fills in a request. Your edits are never overwritten.',
    ],
    request: [
      'Fill in and send',
      'IDs, fields and values are suggested as you type. [request.send] sends the request. Only requests to remote portals leave this computer.',
    ],
    response: [
      'Read the response',
      'As a tree, a table or a chart, at any size. Snippets turns the request into a script. [pane.next] moves to the next pane.',
    ],
    tools: [
      'Reuse requests and values',
      'Docs follows the path. History keeps every request with its response. Save a value from a response as a variable for the next request.',
    ],
    monitor: [
      'Monitor the portal',
      'See current problems live. Every screen can open its request in the API Explorer. [palette] finds everything else.',
    ],
  },
} as const
