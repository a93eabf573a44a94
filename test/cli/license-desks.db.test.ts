// Commands that read licenses print the same on the local installation and on a server.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as machines from '#licensing/licenses/machines/index.ts';
import * as usage from '#licensing/licenses/usage/index.ts';
import { type BothDesks, openBothDesks } from '../support/both-desks.ts';

let desks: BothDesks;
let id: string;
let key: string;
let other: string;
beforeAll(async () => {
  desks = await openBothDesks();
  const { app, cwd } = desks;
  const product = await app.product({ slug: 'editor', name: 'Editor' });
  ({ id, key } = await app.license({
    productId: product.id,
    orderId: 'order 7',
    maxUses: 10,
    maxActivations: 3,
    metadata: { plan: 'pro' },
  }));
  other = (await app.license({ productId: product.id, customerEmail: 'bea@x.test', type: 'FLOATING' })).id;
  for (const machineId of ['machine-0001', 'machine-0002'])
    await machines.activate(app.ctx, { licenseKey: key, machineId });
  await usage.recordUsage(app.ctx, { licenseKey: key, feature: 'export', quantity: 4 });
  writeFileSync(join(cwd, 'key'), key, { mode: 0o600 });
});
afterAll(() => desks.close());

it('lists and finds licenses', () =>
  desks.same(async ({ run, answer, failure }) => {
    await run('license list');
    expect((await answer<{ items: unknown[] }>('license list')).items).toHaveLength(2);
    const filters = [
      '--product editor --status ACTIVE --type FLOATING',
      '--email bea@x.test',
      '--machine machine-0001',
    ];
    for (const filter of filters)
      expect((await answer<{ items: unknown[] }>(`license list ${filter}`)).items).toHaveLength(1);
    expect(
      (await answer<{ items: unknown[] }>('license list --expiring 30d --stale 1h --trashed')).items,
    ).toEqual([]);
    await run('license list --csv --fields keyMasked,status');
    await run(['license', 'find', 'order 7']);
    expect((await answer<{ items: { id: string }[] }>('license find --key-file key')).items[0]?.id).toBe(id);
    expect((await failure('license find nobody')).exit).toBe(3);
    expect((await failure('license list --product nothing')).exit).toBe(3);
    expect((await failure(['license', 'find', key])).exit).toBe(2);
  }));

it('says of an empty list what shows or makes something', () =>
  desks.same(async ({ run }) => {
    const told = async (line: string) => (await run(line)).stderr;
    expect(await told('license list --status REVOKED')).toMatch(
      /^nothing matches these flags; to see everything: appctl .*license list$/m,
    );
    expect(await told('policy list')).toMatch(
      /^nothing here yet; to make the first: appctl .*policy create --help$/m,
    );
    expect(await told('abuse list')).toMatch(/^nothing here yet$/m);
    expect(await told('license list --limit 1')).not.toMatch(/^nothing/m);
    for (const silent of ['--json', '--csv'])
      expect(await told(`policy list ${silent}`)).not.toContain('nothing here');
  }));

it('shows one license, its machines, its usage and its whole key', () =>
  desks.same(async ({ run, answer, failure }) => {
    await run(`license show ${id} --machines --usage`);
    await run(`license show ${other} --events`);
    const shown = await answer(`license show ${id} --machines --usage`);
    expect(shown).toMatchObject({ id, orderId: 'order 7', effectiveMaxUses: 10, usage: { current: 4 } });
    expect(await answer(`license show --key-file key --reveal`)).toMatchObject({ id, key });
    expect(await answer(['license', 'reveal', id, '--reason', 'ticket 7'])).toEqual({ id, key });
    await run(`license machines list ${id}`);
    await run(`license usage show ${id}`);
    await run(`license usage list --key-file key`);
    expect((await failure('license show lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV')).exit).toBe(3);
    expect((await failure('license show nothing')).exit).toBe(3);
    expect((await failure('license usage show lic_01J9ZK3T5W8Y2QF4M6N7P0R1SV')).exit).toBe(3);
  }));

it('shows a person why a license was suspended, and the licenses of a customer in words', () =>
  desks.atEach(async ({ run, answer }) => {
    await answer(['license', 'suspend', other, '--reason', 'chargeback of May']);
    const { stdout } = await run(`license show ${other} --events`);
    expect(stdout).toMatch(/LICENSE_SUSPENDED by .+: chargeback of May$/m);
    expect((await run('customer show bea@x.test')).stdout).toMatch(
      /^licenses +lic_\w+ \(editor, SUSPENDED\)$/m,
    );
    await answer(`license resume ${other}`);
  }));

it('tells who holds seats', () =>
  desks.same(async ({ run, failure }) => {
    await run('license seats');
    await run('license seats --product editor --denied --since 7d --json');
    expect(await failure('license seats --product nothing')).toMatchObject({ exit: 3 });
  }));

it('exports licenses, with their keys too', () =>
  desks.same(async ({ tag, run }) => {
    for (const format of ['csv', 'jsonl', 'json']) await run(`license export --format ${format} --out -`);
    await run(`license export --format jsonl --reveal --order-id none --out -`);
    await run(['license', 'export', '--reveal', '--out', `${tag}.jsonl`, '--product', 'editor']);
    const rows = readFileSync(join(desks.cwd, `${tag}.jsonl`), 'utf8')
      .trim()
      .split('\n');
    expect(rows.map((row) => JSON.parse(row).key)).toContain(key);
  }));

it('an idempotency key is the same at every desk', async () => {
  const made: { id: string; idempotent?: true }[] = [];
  const mint = 'license mint --product editor --email ann@x.test --perpetual --idempotency-key order-77';
  await desks.atEach(async ({ answer, run }) => {
    made.push(await answer(mint));
    expect(
      (await run('license mint --product editor --email b@x.test --perpetual --idempotency-key order-77'))
        .stderr,
    ).toContain('--idempotency-key was used before with other values');
    made.push(...(await answer<{ results: typeof made }>(`${mint} --count 2`)).results);
  });
  const ids = made.map(({ id }) => id);
  expect(ids.slice(3)).toEqual(ids.slice(0, 3));
  expect(made.map(({ idempotent = false }) => idempotent)).toEqual([false, false, false, true, true, true]);
});
