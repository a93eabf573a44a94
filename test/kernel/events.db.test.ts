// Typed events and who is told of them inside their transaction.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createContext } from '#kernel/bound-context.ts';
import { type Capability, capability } from '#kernel/capability.ts';
import type { Ctx } from '#kernel/context.ts';
import { defineEvents, event, on, signal } from '#kernel/events.ts';
import { requireDeclaredEvents, subscriptionsOf } from '#kernel/gather.ts';
import { openTestContext, type TestContext } from '../support/context.ts';
import { changesBy, nothing } from '../support/database-changes.ts';
import { readSourceTree } from '../support/source-tree.ts';

const toyEvents = defineEvents('platform', {
  TOY_MADE: event<{ name: string }>(),
  TOY_LOST: event<{ where: string; seen?: number }>(),
  TOY_WORN: signal<{ wear: number }>(),
});

let t: TestContext;
let heard: string[];
beforeEach(async () => {
  t = await openTestContext();
  heard = [];
});
afterEach(() => t.close());

/** A ctx whose process has these capabilities. */
const withCapabilities = (...capabilities: Capability[]): Ctx =>
  createContext({ ...t.runtime, subscriptions: subscriptionsOf(capabilities) }, t.ctx.tenantId);

const toys = capability({ name: 'toys', events: [toyEvents] });
const listening = (name: string): Capability =>
  capability({
    name,
    subscribers: [
      on(toyEvents, 'TOY_MADE', async (_ctx, { subject, data }) =>
        heard.push(`${name}: ${subject} ${data.name}`),
      ),
    ],
  });

describe('a subscriber', () => {
  it('is told once of each event, in the order of events and of capabilities', async () => {
    const ctx = withCapabilities(toys, listening('b'), listening('a'));
    await ctx.tx((ctx) =>
      ctx.emitAll([
        toyEvents.of('TOY_MADE', 'toy_1', { name: 'top' }),
        toyEvents.of('TOY_LOST', 'toy_1', { where: 'attic' }),
        toyEvents.of('TOY_MADE', 'toy_2', { name: 'kite' }),
      ]),
    );
    expect(heard).toEqual(['b: toy_1 top', 'a: toy_1 top', 'b: toy_2 kite', 'a: toy_2 kite']);
  });

  it('finds the row of its event, and may tell of events itself', async () => {
    const keeper = capability({
      name: 'keeper',
      subscribers: [
        on(toyEvents, 'TOY_MADE', async (ctx, { id, subject }) => {
          const [row] = await ctx.db.knex('events').where({ id });
          heard.push(row.type);
          await toyEvents.tell(ctx, 'TOY_LOST', subject, { where: 'shelf' });
        }),
      ],
    });
    const ctx = withCapabilities(toys, keeper);
    await ctx.tx((ctx) => toyEvents.tell(ctx, 'TOY_MADE', 'toy_1', { name: 'top' }));
    expect(heard).toEqual(['TOY_MADE']);
    const types = (await t.eventsOf('toy_1')).map(({ type }) => type);
    expect(types.toSorted()).toEqual(['TOY_LOST', 'TOY_MADE']);
  });

  it('that throws rolls back the event and all that was written with it', async () => {
    const strict = capability({
      name: 'strict',
      subscribers: [on(toyEvents, 'TOY_MADE', () => Promise.reject(new Error('no more toys')))],
    });
    const ctx = withCapabilities(toys, listening('first'), strict, listening('last'));
    const { result, changes } = await changesBy(t.database, () =>
      ctx
        .tx(async (ctx) => {
          await ctx.db.knex('counters').insert({ name: 'toys', value: 1 });
          await toyEvents.tell(ctx, 'TOY_MADE', 'toy_1', { name: 'top' });
        })
        .catch((error: Error) => error.message),
    );
    expect([result, changes, heard]).toEqual(['no more toys', nothing, ['first: toy_1 top']]);
  });

  it('runs again with an attempt that the database repeats, and what it wrote counts once', async () => {
    const counting = capability({
      name: 'counting',
      subscribers: [
        on(toyEvents, 'TOY_MADE', (ctx) =>
          ctx.db.knex('counters').where({ name: 'toys' }).increment('value', 1),
        ),
      ],
    });
    const ctx = withCapabilities(toys, counting);
    await t.database.transaction(({ knex }) => knex('counters').insert({ name: 'toys', value: 0 }));
    let attempts = 0;
    const refused = Object.assign(new Error('could not serialize'), { code: '40001' });
    const made = ctx.tx(async (ctx) => {
      attempts += 1;
      await toyEvents.tell(ctx, 'TOY_MADE', 'toy_1', { name: 'top' });
      if (attempts === 1 && isPostgres()) throw refused;
    });
    await made;
    const [row] = await t.database.db.knex('counters').where({ name: 'toys' });
    expect([attempts, Number(row.value), (await t.eventsOf('toy_1')).length]).toEqual([
      isPostgres() ? 2 : 1,
      1,
      1,
    ]);
  });

  it('rests while its capability is off', async () => {
    const enabledBy = { key: 'toys.enabled', default: false };
    const ctx = createContext(
      {
        ...t.runtime,
        settings: { get: (setting) => setting.default, version: 0 },
        subscriptions: subscriptionsOf([toys, { ...listening('off'), enabledBy }, listening('on')]),
      },
      t.ctx.tenantId,
    );
    await ctx.tx((ctx) => toyEvents.tell(ctx, 'TOY_MADE', 'toy_1', { name: 'top' }));
    expect(heard).toEqual(['on: toy_1 top']);
  });

  const isPostgres = () => t.url.startsWith('postgres');
});

it('a signal reaches subscribers and nobody else: no row is written of it', async () => {
  const menders = capability({
    name: 'menders',
    subscribers: [on(toyEvents, 'TOY_WORN', async (_ctx, { data }) => heard.push(`wear ${data.wear}`))],
  });
  const ctx = withCapabilities(toys, menders);
  const { changes } = await changesBy(t.database, () =>
    ctx.tx((ctx) => toyEvents.tell(ctx, 'TOY_WORN', 'toy_1', { wear: 3 })),
  );
  expect([changes, heard]).toEqual([nothing, ['wear 3']]);
  await expect(toyEvents.tell(ctx, 'TOY_WORN', 'toy_1', { wear: 3 })).rejects.toThrow(/inside a transaction/);
});

describe('declarations', () => {
  it('of the whole program belong to a capability each, so that nobody listens in vain', () => {
    const made = readSourceTree().flatMap(({ text }) =>
      [...text.matchAll(/export const (\w+) = defineEvents/g)].map(([, name]) => name),
    );
    const listed = readSourceTree().flatMap(({ text }) =>
      [...text.matchAll(/\bevents: \[([^\]]*)\]/g)].flatMap(([, names = '']) => names.split(/,\s*/)),
    );
    expect(made.length).toBeGreaterThan(15);
    expect(made.filter((name) => !listed.includes(name as string))).toEqual([]);
  });

  it('of one name twice are refused, and so is a subscriber of what nobody declares', () => {
    expect(() => requireDeclaredEvents([toys, { ...toys, name: 'copies' }])).toThrow(
      'platform TOY_MADE is declared twice',
    );
    expect(() => requireDeclaredEvents([listening('b')])).toThrow(
      'b listens to TOY_MADE, which no capability declares',
    );
  });

  it('are what compiles: no other name, no other data, and nothing that was not declared', async () => {
    const wrong = async (ctx: Ctx): Promise<void> => {
      // @ts-expect-error a misspelt name
      await toyEvents.tell(ctx, 'TOY_MAID', 'toy_1', { name: 'top' });
      // @ts-expect-error data of another event
      await toyEvents.tell(ctx, 'TOY_MADE', 'toy_1', { where: 'attic' });
      // @ts-expect-error a field that the event does not have
      await toyEvents.tell(ctx, 'TOY_LOST', 'toy_1', { where: 'attic', color: 'red' });
      // @ts-expect-error made by hand
      await ctx.emit({ type: 'TOY_MADE', service: 'platform', subject: 'toy_1', data: { name: 'top' } });
      // @ts-expect-error a subscriber that reads what the event does not tell
      on(toyEvents, 'TOY_MADE', async (_ctx, { data }) => data.where);
      // @ts-expect-error a subscriber of a misspelt name
      on(toyEvents, 'TOY_MAID', async () => undefined);
    };
    await expect(wrong(t.ctx)).rejects.toThrow();
  });
});
