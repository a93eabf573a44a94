import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';

/** Requests of one API key or address that one limit has refused. */
export const refusalRecord = record(
  'limit_refusals',
  {
    /** `license` or `store`. */
    service: column.text(20, 1),
    bucket: column.text(100, 1),
    /** `other`: addresses that are counted together, without a subject. */
    kind: column.choice(['api_key', 'address', 'other']),
    /** Id of the API key, or the address as it is limited. */
    subject: column.text(255).personal(),
    count: column.integer(1),
    /** The limit as it was at the last of them. */
    max: column.integer(0),
    windowSeconds: column.integer(1),
    firstAt: column.time(),
    lastAt: column.time(),
    createdAt: column.time().aside(),
  },
  {
    key: ['service', 'bucket', 'kind', 'subject'],
    whose: 'it says of an address of the network that it was refused, and goes some days later',
    kept: 'for days after the last refusal; of addresses, those that are refused most',
  },
);

export type Refusals = ValuesOf<typeof refusalRecord>;
