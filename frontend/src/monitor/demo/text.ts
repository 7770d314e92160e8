/** The text of the demo's controls, all in one place; what incidents are called stands in incidents.ts. */
export const text = {
  title: 'Demo',
  about: 'A made-up company to try things with. Nothing here is real.',
  time: 'Time', timeCall: 'the time', goOn: 'Let it go on', pause: 'Pause', speed: 'Speed', speeds: 'Speeds',
  times: (n: number) => `${n}×`, timesSaid: (n: number) => `${n} times`,
  stands: 'The time of the demo stands still: nothing is measured.',
  hour: (span: string) => `An hour of the demo passes in ${span}.`,
  asTheWorld: 'The demo goes as fast as the world.',
  timeStays: 'The time goes on as it did',
  running: 'Running', runningIncidents: 'Running incidents', incidentsCall: 'incidents',
  ends: (moment: string) => `ends ${moment}`,
  alerts: 'Show its alerts', alertsOf: (name: string) => `: ${name}`,
  stop: 'Stop', start: 'Start',
  none: 'No incident is running. Start one below, and look at the overview.',
  kinds: ['In the company', 'In the API, for testing scripts'],
  notBegun: (name: string) => `${name} did not begin`, goesOn: 'It goes on',
  past: 'Past', pastIncidents: 'Past incidents', was: (moment: string, span: string, who: string) => `${moment}, ${span}, by ${who}`,
  unknown: 'Incidents are not known', again: 'Try again',
  reset: {
    begin: 'Reset the demo…', ask: 'Reset the demo?', goes: 'Devices, alerts, reports and everything else are made anew, as they were at the beginning. Users, roles, tokens and settings stay.',
    type: ['Type ', ' to go on'], word: 'reset', cancel: 'Cancel', busy: 'Resetting…', do: 'Reset the demo', not: 'The demo was not reset', done: 'The demo is as it was at the beginning',
  },
} as const
