import { change, defineEvents } from '#kernel/events.ts';

/** What happens to the audit log itself. */
export const auditEvents = defineEvents(
  'platform',
  {
    /** Rows were removed for their age: up to which number, and the hash that the row after them continues. */
    AUDIT_CUT: change<{ through: number; hash: string; rows: number }>(),
    /** Rows of the resource that it names were written to a file: by which filter, and how many. */
    EXPORTED: change<{ format: string; filter: Record<string, unknown>; rows: number }>(),
  },
  { target: 'audit' },
);

/** Name of the row that a cut leaves. */
export const CUT = 'AUDIT_CUT';
