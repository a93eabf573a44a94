// What somebody with SQL alone does to the audit log is refused, or found (reliability M25).
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { createContext } from '#kernel/bound-context.ts';
import { change, defineEvents } from '#kernel/events.ts';
import * as audit from '#platform/audit/index.ts';
import { DEFAULT_TENANT_ID } from '#platform/tenants/index.ts';
import { auditRetention } from '../../src/platform/audit/local.ts';
import { purgeAudit } from '../../src/platform/audit/retention.ts';
import { openTestContext, type TestContext } from '../support/context.ts';

const toyEvents = defineEvents('platform', { TOY_RULED: change<{ n: number }>() }, { target: 'toys' });
const DAY = 86_400;

let t: TestContext;
beforeAll(async () => {
  t = await openTestContext();
});
afterAll(() => t.close());

const rule = (n: number) =>
  t.ctx.tx((ctx) =>
    toyEvents.tell(
      ctx,
      'TOY_RULED',
      'toy_1',
      { n },
      { before: { size: 1 }, after: { size: n }, note: 'why' },
    ),
  );

const isPostgres = inject('databaseKind') === 'postgres';
const LOG = 'audit_log';

/** Writes past the triggers, as somebody who owns the database can; they are there again afterwards. */
async function tamper(...statements: string[]): Promise<void> {
  await t.database.transaction(async ({ knex }) => {
    if (isPostgres) await knex.raw(`ALTER TABLE ${LOG} DISABLE TRIGGER USER`);
    const triggers: { name: string; sql: string }[] = isPostgres
      ? []
      : await knex('sqlite_master').where({ type: 'trigger', tbl_name: LOG }).select('name', 'sql');
    for (const { name } of triggers) await knex.raw(`DROP TRIGGER ${name}`);
    for (const sql of statements) await knex.raw(sql);
    for (const { sql } of triggers) await knex.raw(sql);
    if (isPostgres) await knex.raw(`ALTER TABLE ${LOG} ENABLE TRIGGER USER`);
  });
}

const rows = (): Promise<Record<string, unknown>[]> => t.database.db.knex(LOG).orderBy('seq');

/** Puts the log back to what it was. */
async function restore(kept: Record<string, unknown>[], head: audit.Anchor): Promise<void> {
  await tamper(`DELETE FROM ${LOG}`);
  await t.database.transaction(async ({ knex }) => {
    await knex(LOG).insert(kept);
    await knex('audit_head').update({ seq: head.seq, hash: head.hash });
  });
}

describe('a chain of eight rows', () => {
  let kept: Record<string, unknown>[];
  let head: audit.Anchor;
  beforeAll(async () => {
    for (let n = 1; n <= 8; n++) await rule(n);
    kept = await rows();
    ({ head } = await audit.verify(t.ctx));
  });
  beforeEach(() => restore(kept, head));

  test('is whole, and says where it ends', async () => {
    expect(await audit.verify(t.ctx, head)).toEqual({ ok: true, checked: 8, from: 1, head });
    expect(head).toEqual({ seq: 8, hash: kept[7]?.hash });
  });

  const columns = [
    'id',
    'at',
    'actor_kind',
    'via',
    'tenant_id',
    'action',
    'target_type',
    'target_id',
    'before',
    'after',
    'details',
    'note',
    'prev_hash',
    'hash',
  ];
  test.each(columns)('with one byte of %s flipped is broken there', async (column) => {
    const text = String(kept[4]?.[column]);
    const last = text.charCodeAt(text.length - 1) ^ 1;
    const flipped = text.slice(0, -1) + String.fromCharCode(last);
    await tamper(`UPDATE ${LOG} SET "${column}" = '${flipped}' WHERE seq = 5`);
    expect(await audit.verify(t.ctx)).toMatchObject({ ok: false, brokenAt: 5, checked: 4 });
  });

  test.each(['actor_id', 'actor_label', 'ip', 'user_agent', 'request_id', 'person_id'])(
    'with something in %s, where nothing was, is broken there',
    async (column) => {
      await tamper(`UPDATE ${LOG} SET "${column}" = 'x' WHERE seq = 3`);
      expect(await audit.verify(t.ctx)).toMatchObject({ ok: false, brokenAt: 3 });
    },
  );

  test('without a row is broken where it was', async () => {
    await tamper(`DELETE FROM ${LOG} WHERE seq = 4`);
    expect(await audit.verify(t.ctx)).toMatchObject({ ok: false, brokenAt: 4, fault: 'the row is missing' });
  });

  test('without its first rows is broken there: no row says that they were removed', async () => {
    await tamper(`DELETE FROM ${LOG} WHERE seq <= 2`);
    expect(await audit.verify(t.ctx)).toMatchObject({ ok: false, brokenAt: 2 });
  });

  test('with a row between others is broken there', async () => {
    const copy = (await rows())[2] as Record<string, unknown>;
    const names = Object.keys(copy);
    const values = names.map((name) =>
      name === 'seq' ? '4' : name === 'id' ? `'${'x'.repeat(30)}'` : `"${name}"`,
    );
    await tamper(
      `UPDATE ${LOG} SET seq = seq + 100 WHERE seq >= 4`,
      `INSERT INTO ${LOG} (${names.map((name) => `"${name}"`).join(', ')}) SELECT ${values.join(', ')} FROM ${LOG} WHERE seq = 3`,
      `UPDATE ${LOG} SET seq = seq - 99 WHERE seq >= 104`,
    );
    expect(await audit.verify(t.ctx)).toMatchObject({ ok: false, brokenAt: 4 });
  });

  test('with a row after its end is broken there', async () => {
    const forged = { ...kept[7], seq: 9, id: 'x'.repeat(30), prev_hash: kept[7]?.hash };
    await t.database.transaction(async ({ knex }) => {
      await knex(LOG).insert(forged);
    });
    expect(await audit.verify(t.ctx)).toMatchObject({ ok: false, brokenAt: 9 });
  });

  test('with two rows that changed places is broken at the first', async () => {
    await tamper(
      `UPDATE ${LOG} SET seq = 999 WHERE seq = 5`,
      `UPDATE ${LOG} SET seq = 5 WHERE seq = 6`,
      `UPDATE ${LOG} SET seq = 6 WHERE seq = 999`,
    );
    expect(await audit.verify(t.ctx)).toMatchObject({ ok: false, brokenAt: 5 });
  });

  test('whose end was cut shows it by its head, and by an anchor when the head was cut with it', async () => {
    await tamper(`DELETE FROM ${LOG} WHERE seq > 6`);
    expect(await audit.verify(t.ctx)).toMatchObject({ ok: false, brokenAt: 7 });
    await tamper(`UPDATE audit_head SET seq = 6, hash = '${kept[5]?.hash}'`);
    expect(await audit.verify(t.ctx)).toMatchObject({ ok: true, checked: 6 });
    expect(await audit.verify(t.ctx, head)).toMatchObject({ ok: false, brokenAt: 7 });
    // Rows that were written after the cut do not stand in for those that are gone.
    for (let n = 7; n <= 9; n++) await rule(n);
    expect(await audit.verify(t.ctx)).toMatchObject({ ok: true });
    expect(await audit.verify(t.ctx, head)).toMatchObject({ ok: false, brokenAt: 8 });
  });

  test('of another master key is broken at its beginning', async () => {
    const { keyringOf } = await import('#kernel/crypto.ts');
    const other = createContext({ ...t.runtime, keyring: keyringOf(Buffer.alloc(32, 7)) }, DEFAULT_TENANT_ID);
    expect(await audit.verify(other)).toMatchObject({ ok: false, brokenAt: 1 });
  });

  test.each([
    `UPDATE ${LOG} SET note = 'other' WHERE seq = 2`,
    `DELETE FROM ${LOG} WHERE seq = 1`,
    `DELETE FROM ${LOG}`,
    ...(isPostgres ? [`TRUNCATE ${LOG}`] : []),
  ])('refuses %s', async (sql) => {
    const work = t.database.transaction(({ knex }) => knex.raw(sql));
    await expect(work).rejects.toThrow(/append-only/);
    expect(await audit.verify(t.ctx)).toMatchObject({ ok: true, checked: 8 });
  });
});

describe('retention', () => {
  const days = auditRetention.default;
  /** Context of a process whose settings know the retention. */
  const run = () => purgeAudit.run(t.ctx);

  test('removes what is old enough, leaves a row that says so, and the chain stays whole', async () => {
    t.clock.advance(10 * DAY);
    await rule(20);
    const { head } = await audit.verify(t.ctx);
    expect(await run()).toEqual({ rows: 0 });
    t.clock.advance((days - 5) * DAY);
    const removed = await run();
    expect(removed.rows).toBeGreaterThan(7);
    const left = await rows();
    expect(left.map(({ action }) => action)).toEqual(['TOY_RULED', 'AUDIT_CUT']);
    const verdict = await audit.verify(t.ctx, head);
    expect(verdict).toMatchObject({ ok: true, checked: 2, from: left[0]?.seq });
    await expect(t.database.transaction(({ knex }) => knex(LOG).delete())).rejects.toThrow(/append-only/);
  });

  test('again removes that row with the rest, and leaves one of its own', async () => {
    t.clock.advance(days * DAY);
    await rule(21);
    t.clock.advance(DAY);
    expect(await run()).toEqual({ rows: 2 });
    expect((await rows()).map(({ action }) => action)).toEqual(['TOY_RULED', 'AUDIT_CUT']);
    expect(await audit.verify(t.ctx)).toMatchObject({ ok: true, checked: 2 });
  });

  test('of everything leaves its row alone, which is a chain', async () => {
    t.clock.advance((days + 1) * DAY);
    expect(await run()).toEqual({ rows: 2 });
    expect((await rows()).map(({ action }) => action)).toEqual(['AUDIT_CUT']);
    expect(await audit.verify(t.ctx)).toMatchObject({ ok: true, checked: 1 });
  });

  test('is no way out for somebody else: the row that it leaves cannot be made without the key', async () => {
    await rule(30);
    await rule(31);
    const [, first] = await rows();
    await tamper(`DELETE FROM ${LOG} WHERE seq <= ${first?.seq}`);
    expect(await audit.verify(t.ctx)).toMatchObject({ ok: false, brokenAt: first?.seq });
  });
});
