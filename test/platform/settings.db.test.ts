// Runtime settings: pins, values, secrets, and how other processes come to see a change (cli.md section 5).
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createContext } from '#kernel/bound-context.ts';
import { keyringOf } from '#kernel/crypto.ts';
import { setting } from '#kernel/settings.ts';
import {
  createSettingsStore,
  get,
  list,
  pinName,
  type SettingsStore,
  set,
  unset,
} from '#platform/settings/index.ts';
import { openTestContext, type TestContext } from '../support/context.ts';
import { codeOf, refusalOf } from '../support/refusal.ts';

const base = { group: 'test', description: 'of a test' };
const days = setting({ ...base, key: 'test.days', schema: z.int().min(1).max(90), default: 30 });
const on = setting({ ...base, key: 'test.on', schema: z.boolean(), default: false });
const name = setting({ ...base, key: 'test.name', schema: z.string().max(10), default: 'shop' });
const words = setting({ ...base, key: 'test.words', schema: z.array(z.string()), default: [] as string[] });
const token = setting({ ...base, key: 'test.token', schema: z.string(), default: '', secret: true });
const declared = [days, on, name, words, token];

const keyring = keyringOf(randomBytes(32));
let t: TestContext;
beforeAll(async () => {
  t = await openTestContext();
});
afterAll(() => t.close());
beforeEach(async () => {
  await t.database.transaction(({ knex }) => knex('settings').delete());
});

/** Pins as the variables of their settings make them. */
const pinsOf = (texts: Record<string, string>) =>
  new Map(Object.entries(texts).map(([key, text]) => [key, { text, by: pinName(key) }]));

/** What one process holds: its store and a ctx on it. */
async function openProcess(pins: Record<string, string> = {}, known: typeof declared | unknown[] = declared) {
  const store = createSettingsStore(known as typeof declared, pinsOf(pins), keyring);
  const ctx = createContext({ ...t.runtime, settings: store, keyring }, t.ctx.tenantId);
  await t.database.transaction(({ knex }) =>
    knex('counters').where({ name: 'settings' }).increment('value', 1),
  );
  await store.refresh(ctx);
  return { store, ctx };
}
const daysIn = (store: SettingsStore) => store.get(days);

describe('a change', () => {
  it('is seen at once by the process that made it, and by another after its next refresh', async () => {
    const [one, two] = [await openProcess(), await openProcess()];
    expect(await set(one.ctx, { key: 'test.days', value: 7 })).toEqual({ key: 'test.days', old: 30, new: 7 });
    expect([daysIn(one.store), daysIn(two.store)]).toEqual([7, 30]);
    expect(await two.store.refresh(two.ctx)).toBe(true);
    expect(daysIn(two.store)).toBe(7);
    expect(await two.store.refresh(two.ctx)).toBe(false);
    expect(two.store.version).toBe(one.store.version);
  });

  it('is in the audit log, from what to what; a secret as stars, the same value again not at all', async () => {
    const { ctx } = await openProcess();
    const rowsOf = async (key: string) => {
      const rows = await t.database.db.knex('audit_log').where({ target_id: key }).orderBy('seq', 'desc');
      return rows.map(({ action, before, after }) => [action, JSON.parse(before), JSON.parse(after)]);
    };
    await set(ctx, { key: 'test.name', value: 'store' });
    await set(ctx, { key: 'test.name', value: 'store' });
    await unset(ctx, 'test.name');
    expect(await rowsOf('test.name')).toEqual([
      ['SETTING_CHANGED', { value: 'store' }, { value: 'shop' }],
      ['SETTING_CHANGED', { value: 'shop' }, { value: 'store' }],
    ]);
    await set(ctx, { key: 'test.token', value: 'hidden' });
    expect(await rowsOf('test.token')).toEqual([['SETTING_CHANGED', { value: '' }, { value: '***' }]]);
  });

  it('put back leaves the default and no row', async () => {
    const { store, ctx } = await openProcess();
    await set(ctx, { key: 'test.days', value: 7 });
    expect([get(ctx, 'test.days').changed, store.isChanged('test.days')]).toEqual([true, true]);
    expect(await unset(ctx, 'test.days')).toEqual({ key: 'test.days', old: 7, new: 30 });
    expect(await t.database.db.knex('settings')).toEqual([]);
    expect(get(ctx, 'test.days')).toMatchObject({ value: 30, default: 30, changed: false });
  });

  it('by many at once loses none of them', async () => {
    const processes = await Promise.all(Array.from({ length: 4 }, () => openProcess()));
    const { version } = (await openProcess()).store;
    const changes = Array.from({ length: 20 }, (_, index) => {
      const { ctx } = processes[index % 4] as (typeof processes)[number];
      return set(ctx, { key: 'test.days', value: index + 1 });
    });
    await Promise.all(changes);
    const last = await openProcess();
    expect(last.store.version).toBe(version + 21);
    const [row] = await t.database.db.knex('settings').where({ key: 'test.days' });
    expect(daysIn(last.store)).toBe(Number(row.value));
  });
});

describe('a value', () => {
  it.each([
    ['test.days', '7', 7],
    ['test.on', 'on', true],
    ['test.on', 'NO', false],
    ['test.name', 'on', 'on'],
    ['test.name', '7', '7'],
    ['test.words', '["a","b"]', ['a', 'b']],
  ])('%s as typed %j is %j', async (key, text, value) => {
    const { ctx } = await openProcess();
    expect((await set(ctx, { key, text })).new).toEqual(value);
  });

  it.each([
    ['test.days', { text: '0' }],
    ['test.days', { text: '91' }],
    ['test.days', { text: 'seven' }],
    ['test.days', { value: '7' }],
    ['test.days', { value: null }],
    ['test.on', { text: 'maybe' }],
    ['test.name', { text: 'x'.repeat(11) }],
    ['test.words', { text: '[1]' }],
  ])('%s refuses %j and stays as it was', async (key, input) => {
    const { ctx } = await openProcess();
    const { code, message } = await refusalOf(set(ctx, { key, ...input } as Parameters<typeof set>[1]));
    expect([code, message.startsWith(`${key}: `)]).toEqual(['VALIDATION_ERROR', true]);
    expect(await t.database.db.knex('settings')).toEqual([]);
  });

  it.each([
    ['test.days', '0', 'must be at least 1'],
    ['test.days', '91', 'must be at most 90'],
    ['test.days', 'seven', 'must be a whole number'],
    ['test.on', 'maybe', 'must be on or off'],
  ])('%s refuses %s and says what it takes', async (key, text, wanted) => {
    const { ctx } = await openProcess();
    expect((await refusalOf(set(ctx, { key, text }))).message).toBe(`${key}: ${wanted}`);
  });

  it('of a setting that nobody declared is NOT_FOUND', async () => {
    const { ctx } = await openProcess();
    expect(await codeOf(set(ctx, { key: 'test.none', value: 1 }))).toBe('NOT_FOUND');
    expect(await codeOf(unset(ctx, 'test.none'))).toBe('NOT_FOUND');
    expect(() => get(ctx, 'test.none')).toThrow(/setting test\.none was not found/);
  });

  it('that an older program stored and this one does not take leaves the default in force', async () => {
    const wide = setting({ ...base, key: 'test.days', schema: z.int(), default: 30 });
    const older = await openProcess({}, [
      wide,
      setting({ ...base, key: 'test.gone', schema: z.int(), default: 1 }),
    ]);
    await set(older.ctx, { key: 'test.days', value: 900 });
    await set(older.ctx, { key: 'test.gone', value: 2 });
    const { store, ctx } = await openProcess();
    expect(daysIn(store)).toBe(30);
    expect(list(ctx).map(({ key }) => key)).toEqual(declared.map(({ key }) => key));
  });
});

describe('a pin', () => {
  it('wins over what is stored, is told by name, and refuses changes', async () => {
    const free = await openProcess();
    await set(free.ctx, { key: 'test.days', value: 7 });
    const { store, ctx } = await openProcess({ 'test.days': '5' });
    expect(daysIn(store)).toBe(5);
    expect(get(ctx, 'test.days')).toMatchObject({
      value: 5,
      pinnedBy: 'APPCTL_SETTING_TEST__DAYS',
      changed: true,
    });
    for (const attempt of [() => set(ctx, { key: 'test.days', value: 9 }), () => unset(ctx, 'test.days')]) {
      const { code, message } = await refusalOf(attempt());
      expect([code, message]).toEqual(['CONFLICT', expect.stringContaining('APPCTL_SETTING_TEST__DAYS')]);
    }
    expect(daysIn((await openProcess()).store)).toBe(7);
  });

  it('that its setting does not take stops the start; one of an unknown setting does not', () => {
    expect(() => createSettingsStore(declared, pinsOf({ 'test.days': '0' }), keyring)).toThrow(/test\.days/);
    const store = createSettingsStore(declared, pinsOf({ 'test.none': '0' }), keyring);
    expect([store.find('test.none'), store.pinnedBy('test.none')]).toEqual([undefined, null]);
    expect(pinName('licensing.trash_days')).toBe('APPCTL_SETTING_LICENSING__TRASH_DAYS');
  });

  it('a setting is declared once', () => {
    expect(() => createSettingsStore([days, days], new Map(), keyring)).toThrow(/twice/);
  });
});

describe('a secret', () => {
  it('is sealed in its row, masked in lists, and shown when it is asked for', async () => {
    const { store, ctx } = await openProcess();
    expect(await set(ctx, { key: 'test.token', text: 'hush' })).toEqual({
      key: 'test.token',
      old: '',
      new: '***',
    });
    const [row] = await t.database.db.knex('settings').where({ key: 'test.token' });
    expect(row.value).toMatch(/^v1\./);
    expect(row.value).not.toContain('hush');
    expect(JSON.stringify(list(ctx))).not.toContain('hush');
    expect(get(ctx, 'test.token').value).toBe('***');
    expect([get(ctx, 'test.token', true).value, store.get(token)]).toEqual(['hush', 'hush']);
    expect((await openProcess()).store.get(token)).toBe('hush');
  });
});
