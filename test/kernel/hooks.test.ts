// What an operator may put into the hooks directory, and what the program says of it.
import { chmodSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, test, vi } from 'vitest';
import { z } from 'zod';
import { SYSTEM } from '#kernel/actor.ts';
import { ConfigError } from '#kernel/config/errors.ts';
import type { Ctx } from '#kernel/context.ts';
import { runBefore } from '#kernel/hooks/before.ts';
import { createHooks, type Hooks } from '#kernel/hooks/hooks.ts';
import type { HookPoint } from '#kernel/hooks/point.ts';
import { logTo } from '#kernel/log.ts';
import { hooksFolder } from '../support/hooks.ts';

const points: HookPoint[] = [
  { name: 'order.create', service: 'store', after: ['order.created'] },
  { name: 'order.update', service: 'store', after: ['order.updated'] },
];
let logged = '';
const log = logTo({ write: (line: string) => void (logged += line) }, 'info');
afterEach(() => {
  logged = '';
});

const hooksIn = (dir: string): Hooks => createHooks({ dir, points, log });
const ctx = {
  log,
  actor: SYSTEM,
  origin: { requestId: 'req_1' },
  now: () => '2026-03-01T12:00:00.000Z',
} as unknown as Ctx;

async function problemOf(dir: string) {
  const error = await hooksIn(dir)
    .load()
    .then(
      () => null,
      (error: unknown) => error,
    );
  expect(error).toBeInstanceOf(ConfigError);
  return (error as ConfigError).problems[0];
}

const register = (body: string) => `export function register(hooks) { ${body} }`;

it('loads files in the order of their names, with neighbours, node: modules and types', async () => {
  const dir = hooksFolder({
    '20-second.js': `const { join } = require('node:path');
      module.exports.register = (hooks) => hooks.on('before:order.create', () => ({ note: join('a', 'b') }));`,
    '10-first.ts': `import { word } from './lib.ts';
      import { readFileSync } from 'node:fs';
      export function register(hooks: { on(name: string, run: (order: { note: string }) => object): void }): void {
        hooks.on('before:order.create', (order) => ({ note: order.note + word + typeof readFileSync }));
      }`,
    '30-third.mjs': register(`hooks.on('after:order.create', () => {})`),
    'lib.ts': 'export const word: string = " and ";',
    'hooks.d.ts': 'this is not code',
    'example.ts.disabled': 'nor is this',
    'README.md': '# Hooks',
  });
  const { files, byEvent } = await hooksIn(dir).load();
  expect(files.map(({ name, hasRegister }) => [name, hasRegister])).toEqual([
    ['10-first.ts', true],
    ['20-second.js', true],
    ['30-third.mjs', true],
    ['lib.ts', false],
  ]);
  expect(byEvent.get('before:order.create')?.map(({ file }) => file)).toEqual([
    '10-first.ts',
    '20-second.js',
  ]);
  const may = { changes: { note: z.string() } };
  expect(await runBefore(ctx, hooksIn(dir), 'order.create', { note: 'x' }, may)).toEqual({ note: 'a/b' });
});

it('is idle without a directory, and costs nothing then', async () => {
  const hooks = hooksIn('/nowhere/hooks');
  expect(hooks.isIdle('before:order.create')).toBe(true);
  expect((await hooks.load()).files).toEqual([]);
  expect(hooks.isIdle('before:order.create')).toBe(true);
});

test.each([
  [
    'bad.ts',
    'export function register(hooks: object) {\n  const a = ;\n}',
    /bad\.ts:2 could not be loaded: /,
  ],
  ['bad.js', 'export function register(hooks) {\n  foo(\n}\n', /bad\.js:3 could not be loaded: /],
  ['throws.js', 'module.exports.register = 1;\nnull.x;', /throws\.js:2 could not be loaded: .*reading 'x'/],
  ['away.ts', `import './nope.ts';\n${register('')}`, /could not be loaded: Cannot find module/],
  ['enum.ts', `export enum A { x }\n${register('')}`, /enum\.ts:1 could not be loaded: .*enum/],
  ['waits.ts', `await null;\n${register('')}`, /waits\.ts uses await outside of any function/],
  ['typo.js', 'export function regsiter() {}', /exports regsiter and not a function register/],
  ['default.js', 'export default function (hooks) {}', /exports a default function and not/],
  ['event.js', register(`hooks.on('before:order.craete', () => {})`), /did you mean before:order\.create\?/],
  ['name.js', register(`hooks.on(undefined, () => {})`), /does not know undefined; the names are before:/],
  ['fn.js', register(`hooks.on('before:order.create')`), /event\.js|needs a function/],
  ['none.js', register('throw undefined'), /none\.js could not be loaded: undefined/],
  [
    'later.js',
    'export async function register() { throw new Error("no chat") }',
    /later\.js:1 could not be loaded: no chat/,
  ],
])('a start with %s ends with 78 and says where it is wrong', async (name, text, says) => {
  const problem = await problemOf(hooksFolder({ [name]: text }));
  expect(problem).toMatchObject({ key: 'hooks_dir', message: expect.stringMatching(says) });
  expect(problem?.hint).not.toBe('');
});

it('does not wait for ever for register', async () => {
  vi.useFakeTimers();
  try {
    const waiting = problemOf(hooksFolder({ 'hangs.js': register('return new Promise(() => {})') }));
    await vi.advanceTimersByTimeAsync(5100);
    expect((await waiting)?.message).toMatch(/register had not finished after 5 seconds/);
  } finally {
    vi.useRealTimers();
  }
});

const fine = { 'a.js': register('') };

it('refuses files, and a directory, that others can change', async () => {
  const dir = hooksFolder(fine);
  chmodSync(join(dir, 'a.js'), 0o666);
  expect(await problemOf(dir)).toEqual({
    key: 'hooks_dir',
    message: `${join(dir, 'a.js')} can be changed by others (mode 666)`,
    hint: `chmod go-w ${join(dir, 'a.js')}`,
  });
  chmodSync(join(dir, 'a.js'), 0o600);
  chmodSync(dir, 0o775);
  expect((await problemOf(dir))?.message).toBe(`${dir} can be changed by others (mode 775)`);
  chmodSync(dir, 0o755);
  expect((await hooksIn(dir).load()).files).toHaveLength(1);
});

it('refuses a link that leads out of the directory', async () => {
  const dir = hooksFolder(fine);
  const other = hooksFolder(fine);
  symlinkSync(join(dir, 'a.js'), join(dir, 'inside.js'));
  expect((await hooksIn(dir).load()).files).toHaveLength(2);
  symlinkSync(join(other, 'a.js'), join(dir, 'out.js'));
  expect((await problemOf(dir))?.message).toBe(
    `${join(dir, 'out.js')} is a link that points outside the hooks directory`,
  );
});

it('says so when the hooks directory is a file', async () => {
  const path = join(hooksFolder({}), 'file');
  writeFileSync(path, '');
  expect((await problemOf(path))?.message).toBe(`${path} is not a directory`);
});

/** Runs one before-hook, written as the body of a function of `payload`. */
async function before(body: string, payload: object = { note: 'x', totals: { total: 1 }, id: 'ord_1' }) {
  const dir = hooksFolder({
    'a.js': register(`hooks.on('before:order.create', async (payload, about) => { ${body} })`),
  });
  const hooks = hooksIn(dir);
  const allowed = { changes: { note: z.string().max(5) }, computed: ['totals'] };
  const result = await runBefore(
    ctx,
    hooks,
    'order.create',
    payload as Record<string, unknown>,
    allowed,
  ).catch((error: unknown) => error);
  return { result, one: hooks.loaded?.byEvent.get('before:order.create')?.[0] };
}

test.each([
  ['nothing', '', null],
  ['the same', 'return payload', null],
  ['a changed field', `return { ...payload, note: 'y' }`, { note: 'y' }],
  ['only the changed field', `return { note: 'y' }`, { note: 'y' }],
  ['other totals, which are worked out anew', `return { ...payload, totals: { total: 0 } }`, null],
])('a hook that returns %s', async (_what, body, changes) => {
  expect((await before(body)).result).toEqual(changes);
});

test.each([
  [`return { ...payload, id: 'ord_2' }`, 'it changed id, which it may not; a hook may change note'],
  [`return { price: 1 }`, 'it returned price, which does not exist; a hook may change note'],
  [`return { note: 'too long a note' }`, 'it returned a value of note that is not allowed'],
  [`return 'garbage'`, 'it returned something that is not the payload'],
  ['return null', 'it returned something that is not the payload'],
  ['return [payload]', 'it returned something that is not the payload'],
  ['const a = {}; a.a = a; return a', 'circular structure'],
  [`return { get note() { throw new Error('trap') } }`, 'trap'],
  [`return 'x'.repeat(2_000_000)`, 'it returned more than 1 MB'],
  [`payload.note = 'y'`, 'Cannot assign to read only property'],
  ['payload.totals.total = 0', 'Cannot assign to read only property'],
  [`payload.constructor.freeze; throw undefined`, 'it threw undefined'],
  ['throw null', 'it threw null'],
  ['throw { get message() { throw 1 } }', 'it threw [object Object]'],
  ['null.x', 'TypeError'],
])('%s is a failure that names the file, and is logged', async (body, says) => {
  const { result, one } = await before(body);
  expect(String(result)).toMatch(/the hook before:order\.create of a\.js failed/);
  expect(String(result)).toContain(says);
  expect(one).toMatchObject({ runs: 1, errors: 1, refused: 0, lastErrorAt: ctx.now() });
  expect(logged).toContain('"file":"a.js"');
});

it('a HookError refuses, with its message as one paragraph', async () => {
  const dir = hooksFolder({
    'a.js': register(`hooks.on('before:order.create', ({ says }) => { throw new hooks.HookError(says) })`),
  });
  const hooks = hooksIn(dir);
  const refusal = (says: unknown) =>
    runBefore(ctx, hooks, 'order.create', { says }, {}).catch((error: unknown) => error);
  expect(await refusal('Not to\u0000 you\n<b>')).toMatchObject({
    code: 'VALIDATION_ERROR',
    status: 400,
    message: 'Not to you <b>',
    details: { reason: 'HOOK_REJECTED' },
  });
  expect(await refusal({})).toMatchObject({ message: 'A rule of this shop does not allow this' });
  expect(String(await refusal('x'.repeat(600)))).toHaveLength('AppError: '.length + 500);
  expect(hooks.loaded?.byEvent.get('before:order.create')?.[0]).toMatchObject({
    runs: 3,
    refused: 3,
    errors: 0,
  });
});

it('each hook is given what the one before it made of the payload', async () => {
  const add = (word: string) =>
    register(`hooks.on('before:order.create', ({ note }) => ({ note: note + '${word}' }))`);
  const hooks = hooksIn(hooksFolder({ 'b.js': add('b'), 'a.js': add('a') }));
  const allowed = { changes: { note: z.string() } };
  expect(await runBefore(ctx, hooks, 'order.create', { note: '' }, allowed)).toEqual({ note: 'ab' });
});

it('gives up a hook that never ends after five seconds, and hears of what it does later', async () => {
  vi.useFakeTimers();
  try {
    const running = before(
      'await new Promise((resolve) => setTimeout(resolve, 6000)); throw new Error("late")',
    );
    await vi.advanceTimersByTimeAsync(5100);
    expect(String((await running).result)).toContain('it had not finished after 5 seconds');
    await vi.advanceTimersByTimeAsync(2000);
  } finally {
    vi.useRealTimers();
  }
});

it('a hook that calls itself without end is stopped', async () => {
  const dir = hooksFolder({
    'a.js': register(`hooks.on('before:order.create', () => globalThis.hookCallsItself())`),
  });
  const hooks = hooksIn(dir);
  const call = () => runBefore(ctx, hooks, 'order.create', {}, {});
  Object.assign(globalThis, { hookCallsItself: call });
  await expect(call()).rejects.toThrow(/the hook before:order\.create of a\.js failed/);
  expect(logged).toContain('it is running 256 times already; does it call itself?');
  expect(hooks.loaded?.byEvent.get('before:order.create')?.[0]).toMatchObject({ underWay: 0, runs: 257 });
});

it('a hook that is late again and again rests: one that calls itself through slow requests ends', async () => {
  vi.useFakeTimers();
  try {
    const hooks = hooksIn(
      hooksFolder({ 'a.js': register(`hooks.on('before:order.create', () => globalThis.hookThatHangs())`) }),
    );
    let hangs = true;
    Object.assign(globalThis, { hookThatHangs: () => (hangs ? new Promise(() => undefined) : undefined) });
    const call = () => runBefore(ctx, hooks, 'order.create', {}, {}).catch((error: unknown) => String(error));
    const late = Array.from({ length: 20 }, call);
    await vi.advanceTimersByTimeAsync(5100);
    for (const said of await Promise.all(late)) expect(said).toContain('had not finished after 5 seconds');
    expect(await call()).toContain('it took too long 20 times in a row and rests for 10 seconds');
    await vi.advanceTimersByTimeAsync(10_000);
    hangs = false;
    expect(await call()).toBeNull();
    expect(hooks.loaded?.byEvent.get('before:order.create')?.[0]).toMatchObject({
      lateInRow: 0,
      underWay: 0,
    });
  } finally {
    vi.useRealTimers();
  }
});
