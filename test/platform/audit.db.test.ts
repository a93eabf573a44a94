// Which changes the audit log has, and what its rows say (reliability M25).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Actor } from '#kernel/actor.ts';
import { change, defineEvents, event, signal } from '#kernel/events.ts';
import { rehearse } from '#kernel/rehearse.ts';
import { adminUserRecord } from '../../src/platform/accounts/record.ts';
import { openTestContext, type TestContext } from '../support/context.ts';

const toyEvents = defineEvents(
  'platform',
  { TOY_MADE: event<object>(), TOY_WORN: signal<object>(), TOY_RULED: change<object>() },
  { target: 'toys' },
);
const peopleEvents = defineEvents(
  'platform',
  { PERSON_MADE: change<object>(), PERSON_CHANGED: change<object>(), PERSON_GONE: change<object>() },
  { target: 'people', record: adminUserRecord },
);

const cli: Actor = { kind: 'cli', id: null, label: 'ann' };
const person = 'usr_01J9ZK3T5W8Y2QF4M6N7P0R1SV';
const ann = { id: person, email: 'ann@x.test', name: 'Ann', passwordHash: 'hash', status: 'active' };

let t: TestContext;
beforeAll(async () => {
  t = await openTestContext();
});
afterAll(() => t.close());

const rowsOf = (id: string) => t.database.db.knex('audit_log').where({ target_id: id }).orderBy('seq');

describe('the log has a row', () => {
  const tell = (kind: Actor['kind'], subject: string, type: 'TOY_MADE' | 'TOY_WORN' | 'TOY_RULED') =>
    t.ctx.with({ actor: { ...cli, kind } }).tx((ctx) => toyEvents.tell(ctx, type, subject, { size: 3 }));

  test.each(['staff', 'admin', 'cli'] as const)('of an event by %s, and the event names it', async (kind) => {
    await tell(kind, `toy_${kind}`, 'TOY_MADE');
    const [row, ...others] = await rowsOf(`toy_${kind}`);
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      action: 'TOY_MADE',
      actor_kind: kind,
      actor_label: 'ann',
      target_type: 'toys',
    });
    expect(JSON.parse(row.details)).toEqual({ size: 3 });
    const [told] = await t.database.db.knex('events').where({ subject: `toy_${kind}` });
    expect(told.audit_id).toBe(row.id);
  });

  test.each(['job', 'api_key', 'system', 'guest', 'customer', 'portal'] as const)(
    'of no event by %s, but of each change',
    async (kind) => {
      await tell(kind, `toy_${kind}`, 'TOY_MADE');
      await tell(kind, `toy_${kind}`, 'TOY_WORN');
      expect(await rowsOf(`toy_${kind}`)).toEqual([]);
      await tell(kind, `toy_${kind}`, 'TOY_RULED');
      expect((await rowsOf(`toy_${kind}`)).map(({ action }) => action)).toEqual(['TOY_RULED']);
      const told = await t.database.db.knex('events').where({ subject: `toy_${kind}` });
      expect(told.map(({ type, audit_id }) => [type, audit_id])).toEqual([['TOY_MADE', null]]);
    },
  );

  test('of nothing that was rehearsed or rolled back', async () => {
    const ctx = t.ctx.with({ actor: cli });
    const rule = (ctx: TestContext['ctx']) => toyEvents.tell(ctx, 'TOY_RULED', 'toy_none', {});
    await rehearse(ctx, rule);
    const failed = ctx.tx(async (ctx) => {
      await rule(ctx);
      throw new Error('no toys today');
    });
    await expect(failed).rejects.toThrow('no toys today');
    expect(await rowsOf('toy_none')).toEqual([]);
  });

  test('of every one of many changes of one transaction, in their order', async () => {
    await t.ctx.tx(async (ctx) => {
      for (let n = 0; n < 35; n++) await ctx.tx((ctx) => toyEvents.tell(ctx, 'TOY_RULED', 'toy_many', { n }));
    });
    const rows = await rowsOf('toy_many');
    expect(rows.map(({ details }) => JSON.parse(details).n)).toEqual(Array.from({ length: 35 }, (_, n) => n));
  });
});

describe('before and after', () => {
  type More = {
    before?: object | null;
    after?: object | null;
    diff?: Record<string, unknown>;
    note?: string;
  };
  const tell = async (type: 'PERSON_MADE' | 'PERSON_CHANGED' | 'PERSON_GONE', more: More) => {
    await t.ctx.tx((ctx) => peopleEvents.tell(ctx, type, person, {}, more));
    const row = (await rowsOf(person)).at(-1);
    return { ...row, before: JSON.parse(row.before), after: JSON.parse(row.after) };
  };

  test('are whole when something is made or goes, with secrets masked and what is personal sealed', async () => {
    const made = await tell('PERSON_MADE', { before: null, after: ann });
    expect(made.before).toBeNull();
    expect(made.after).toEqual({
      id: person,
      email: '(sealed)',
      name: '(sealed)',
      passwordHash: '***',
      status: 'active',
      '(sealed)': expect.any(String),
    });
    expect(made.person_id).toBe(person);
    const gone = await tell('PERSON_GONE', { before: ann, after: null });
    expect(gone.after).toBeNull();
    expect(JSON.stringify(gone)).not.toMatch(/ann@x|"Ann"/);
  });

  test('hold what differs', async () => {
    const changed = await tell('PERSON_CHANGED', {
      before: ann,
      after: { ...ann, status: 'disabled', sessionSecret: 'x' },
      note: 'left us',
    });
    expect([changed.before, changed.after]).toEqual([
      { status: 'active' },
      { status: 'disabled', sessionSecret: '***' },
    ]);
    expect(changed.note).toBe('left us');
  });

  test('are read from a diff, too', async () => {
    const { before, after } = await tell('PERSON_CHANGED', { diff: { status: ['invited', 'active'] } });
    expect([before, after]).toEqual([{ status: 'invited' }, { status: 'active' }]);
  });
});

test('a change names its target when it is declared', () => {
  expect(() => defineEvents('platform', { TOY_RULED: change<object>() })).toThrow(/name no target/);
});
