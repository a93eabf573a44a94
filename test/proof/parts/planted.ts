// Faults that are planted in a server that cannot always write, by name: each must be seen as what it is.
import type { Planted } from './strain-judge.ts';

const LAST_EVENT = "SELECT max(id) FROM events WHERE type = 'LICENSE_CREATED'";
const NOT_SOLD = 'SELECT max(id) FROM licenses WHERE order_id IS NULL';

/** Those named as an alteration have it in front of the server. */
export const PLANTED: Readonly<Record<string, Planted>> = {
  'answers-anyway': { kind: 'lost' },
  'always-healthy': { kind: 'late' },
  'needs-a-restart': { kind: 'late' },
  'half-change': {
    kind: 'partial',
    meddle: (reader) => reader.run(`DELETE FROM events WHERE id = (${LAST_EVENT})`),
  },
  'second-license': {
    kind: 'partial',
    meddle: (reader) =>
      reader.run(`UPDATE licenses SET order_id = 'order-0-stripe' WHERE id = (${NOT_SOLD})`),
  },
  'leaves-a-part': { kind: 'partial' },
};
