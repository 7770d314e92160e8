/** The acts on an alert: acknowledge, write a note, escalate, plan maintenance. */
export type Act = 'ack' | 'note' | 'escalate' | 'sdt'
