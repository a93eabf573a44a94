import { change, defineEvents } from '#kernel/events.ts';

/** What happens to the audit log itself. */
export const auditEvents = defineEvents(
  'platform',
  {
    /** Rows were removed for their age: up to which number, and the hash that the row after them continues. */
    AUDIT_CUT: change<{ through: number; hash: string; rows: number }>(),
  },
  { target: 'audit' },
);

/** Name of the row that a cut leaves. */
export const CUT = 'AUDIT_CUT';
