/** The actions on an alert: acknowledge, add a note, escalate, plan maintenance. */
export type Act = 'ack' | 'note' | 'escalate' | 'sdt'
