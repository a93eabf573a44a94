// What staff change over JSON stands in the audit log: who did it, to what, and what was there before and after (M25).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MadeKey, TestApp } from '../support/app.ts';
import { type AdminCaller, named, openAdminCaller } from './admin-caller.ts';

let app: TestApp;
let everywhere: MadeKey;
let ask: AdminCaller['ask'];
beforeAll(async () => {
  ({ app, ask } = await openAdminCaller());
  everywhere = await app.adminToken('owner', { isInstanceWide: true });
});
afterAll(() => app.close());

interface Row {
  action: string;
  actor_kind: string;
  actor_id: string;
  via: string;
  target_type: string;
  target_id: string;
  before: string | null;
  after: string | null;
}

/** Resources that are a part of another one, in whose history the change is looked for; all others are named as their path. */
const targets: readonly [path: RegExp, target: string][] = [
  // A machine, a seat and a counter are their license's.
  [/^\/(activations|seats|usage)/, 'licenses'],
  [/^\/abuse\/flags(\/\{id\}\/clear)?$/, 'licenses'],
  [/^\/abuse\/flags/, 'abuse-flags'],
  [/^\/abuse\/rules/, 'abuse-rules'],
  // Paths name a key as clients do; the log has its row.
  [/^\/(products\/\{id\}\/(online-)?keys|signing-keys)/, 'signing-keys'],
  [/^\/deliveries/, 'webhooks'],
  [/^\/backups$/, 'jobs'],
  [/^\/inbound-events/, 'inbox-events'],
];

/** Rows that they write are no change of anything: what is sent, and what the sending left. */
const UNAUDITED: readonly string[] = [
  // A request that says so of itself goes to the receiver; nothing that it is told stays.
  'POST /webhooks/{id}/test',
  'POST /webhooks/{id}/test-request',
  // A backup is read; the task says who began it.
  'POST /backups/{file}/verify',
];

/** Something is shown, sent or begun once more: there is no other state before than after. */
const WITHOUT_SIDES: readonly string[] = [
  'LICENSE_KEY_REVEALED',
  'JOB_STARTED',
  'WEBHOOK_REPLAYED',
  'INBOUND_EVENT_REPROCESSED',
  'INBOUND_SAMPLE_SIGNED',
  'BACKUP_RESTORE_STARTED',
];

const writing = named.filter(
  ([name, { endpoint }]) => endpoint.method !== 'get' && !UNAUDITED.includes(name),
);

describe('an operation that changes something says so in the audit log:', () => {
  it.each(writing)('%s', async (name, one) => {
    const made = await one.make(app.ctx);
    const { knex } = app.instance.database.db;
    const { seq } = await knex('audit_head').first('seq');
    const { result, changes } = await app.changesBy(() => ask(one, everywhere, made));
    // Samples of the log itself are in no chain.
    const rows: Row[] = await knex('audit_log')
      .where('seq', '>', seq)
      .whereNot('prev_hash', '')
      .orderBy('seq');
    // The rows of jobs themselves are written all the time.
    if (Object.keys(changes.rows).length === 0 && !name.includes(' /jobs/')) {
      // What was so before may be said again, and changes nothing.
      const changed = rows.filter(({ before, after }) => before !== after);
      expect(changed).toEqual([]);
      return;
    }
    for (const row of rows)
      expect(row).toMatchObject({ actor_kind: 'admin', actor_id: everywhere.id, via: 'api' });
    const hasSides = rows.some(({ before, after }) => before !== null || after !== null);
    expect(hasSides || rows.some(({ action }) => WITHOUT_SIDES.includes(action))).toBe(true);
    const path = name.replace(/^\w+ /, '');
    const other = targets.find(([of]) => of.test(path))?.[1];
    const target = other ?? path.split('/')[1];
    const known = JSON.stringify(made) + result.text;
    expect(
      rows.filter(
        ({ target_type: type, target_id: id }) =>
          type === target && (other !== undefined || known.includes(id)),
      ).length,
    ).toBeGreaterThan(0);
  });
});
