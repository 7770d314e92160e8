/** The text of the first page and of the tour, all in one place. */

export const text = {
  title: 'Welcome',
  name: 'Spyglass',
  says: 'See what your portal sees, and ask it anything.',
  newHere: 'New here? Five stops show what is where.',
  tour: 'Take the tour',
  noTour: 'No, thanks',
  api: 'API Explorer',
  apiGoes: 'Find an endpoint, send it, read the answer.',
  monitor: 'Monitor',
  monitorGoes: 'Alerts, device health and charts, live.',
  recent: 'Recent requests',
  recentOf: 'this portal',
  none: ['Nothing was sent yet. Try a sample, or press ', ' and type an endpoint.'],
  samples: 'Sample requests',
  samplesFor: 'to start with',
  signedIn: (user: string, portal: string) => `signed in as ${user} to ${portal}`,
  elsewhere: (portal: string, as: string) => `${portal}: ${as}`,
  data: 'data in ',

  sample: {
    dead: 'Devices that are dead',
    critical: 'Critical alerts, newest first',
    groups: 'Groups, two levels deep',
    data: 'Data of one instance, last 3 h',
    sources: 'DataSources by name',
    downtime: 'One hour of downtime',
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
    /** Keys stand in the words as `[command]`. */
    catalog: [
      'Every request the portal answers',
      '[catalog.search] searches by path, field or purpose. Choosing one fills a request; what you have edited is never overwritten.',
    ],
    request: [
      'Fill it in and send it',
      'Ids, fields and values are offered as you type. [request.send] sends; nothing leaves this computer but what you send to a portal elsewhere.',
    ],
    response: [
      'Read the answer',
      'As a tree, a table or a chart, of any size. Snippets has the same request as a script that runs.',
    ],
    tools: [
      'Keep what you need',
      'Docs follow the path. History has every request and its answer; a value of one answer becomes a variable of the next.',
    ],
    monitor: [
      'See the portal at work',
      'What is wrong now, live. Every screen opens the request behind it in the API Explorer. [palette] finds all the rest.',
    ],
  },
} as const
