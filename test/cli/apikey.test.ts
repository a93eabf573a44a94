import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { authenticate } from '#platform/api-keys/index.ts';
import { errorOf } from '../support/cli-process.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

let it: Installation;
beforeAll(async () => {
  it = await prepareInstallation();
});
afterAll(() => it.remove());

interface Key {
  id: string;
  name: string;
  scope: string;
  scopes: string[];
  secret?: string;
  productIds: string[] | null;
  ipAllowlist: string[];
  limits: Record<string, { max: number; windowSeconds: number }> | null;
  expiresAt: string | null;
  revokedAt: string | null;
}

const create = ['apikey', 'create', '--service', 'license', '--name'];

/** Whom a secret opens the API for, from an address. */
async function opens(secret: string | undefined, ip = '203.0.113.7'): Promise<unknown> {
  const instance = await it.open();
  const found = await authenticate(instance.ctx, 'license', secret ?? '', ip);
  await instance.close();
  return typeof found === 'string' ? found : found.id;
}

describe('apikey create', () => {
  test('with --json the answer holds the secret, which opens the API', async () => {
    const key = await it.json<Key>([...create, 'ci', '--scope', 'FULL_ADMIN']);
    expect(key).toMatchObject({ name: 'ci', scope: 'FULL_ADMIN', scopes: ['FULL_ADMIN'], productIds: null });
    expect(key.secret).toMatch(/^alk_/);
    expect(await opens(key.secret)).toBe(key.id);
    const shown = await it.answer<Key>(['apikey', 'show', key.id]);
    expect(shown).not.toHaveProperty('secret');
    const { stdout } = await it.inside(['apikey', 'list', '--json']);
    expect(stdout).not.toContain(key.secret);
  });

  test('products, addresses and expiry confine it', async () => {
    const product = await it.answer<{ id: string }>(['product', 'create', '--name', 'E', '--slug', 'editor']);
    const limits = [
      '--product',
      'editor',
      '--ip',
      '198.51.100.0/24',
      '--ip',
      '2001:db8::1',
      '--expires',
      '90d',
    ];
    const key = await it.answer<Key>([...create, 'shop', '--scope', 'CREATE_LICENSE', ...limits]);
    expect(key.productIds).toEqual([product.id]);
    expect(key.ipAllowlist).toEqual(['198.51.100.0/24', '2001:db8::1']);
    const days = (Date.parse(key.expiresAt ?? '') - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(89.9);
    expect(await opens(key.secret, '198.51.100.9')).toBe(key.id);
    expect(await opens(key.secret)).toBe('IP_NOT_ALLOWED');
  });

  test('where nobody would see the secret none is made, and the refusal names the flags that show it', async () => {
    const keys = () => it.answer<{ pagination: { total: number } }>(['apikey', 'list']);
    const before = await keys();
    const hidden = await it.appctl([...create, 'quiet', '--scope', 'READ_ONLY']);
    expect(hidden).toMatchObject({ code: 2, stdout: '' });
    expect(hidden.stderr).toMatch(
      /shown once[\s\S]*nothing was changed[\s\S]*--reveal, --json or --out FILE/,
    );
    expect(await keys()).toMatchObject({ pagination: before.pagination });
    const shown = await it.inside([...create, 'loud', '--scope', 'READ_ONLY', '--reveal']);
    expect(shown.stdout).toMatch(/^secret +alk_\S{20,}$/m);
  });

  test('--out takes the secret away from stdout, into a private file that is never overwritten', async () => {
    const file = join(it.cwd, 'ci.key');
    const key = await it.answer<Key>([...create, 'file', '--scope', 'READ_ONLY', '--out', file]);
    expect(key).not.toHaveProperty('secret');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await opens(readFileSync(file, 'utf8').trim())).toBe(key.id);
    const before = await it.answer<{ pagination: { total: number } }>(['apikey', 'list']);
    const again = await it.inside([...create, 'twice', '--scope', 'READ_ONLY', '--out', file]);
    expect({ code: again.code, stdout: again.stdout }).toEqual({ code: 5, stdout: '' });
    expect(await it.answer(['apikey', 'list'])).toMatchObject({ pagination: before.pagination });
    writeFileSync(file, 'old');
    await it.answer([...create, 'forced', '--scope', 'READ_ONLY', '--out', file, '--force']);
    expect(readFileSync(file, 'utf8')).toMatch(/^alk_\S+\n$/);
  });

  test.each([
    [['x'], /--scope is required.*one of: VALIDATE_ONLY, [A-Z_, ]+\n$/s],
    [['x', '--service', 'store'], /--scope is required.*one of: products:read, [a-z:, ]+\n$/s],
    [['x', '--scope', 'ROOT'], /--scope 'ROOT' is invalid/],
    [['x', '--scope', 'READ_ONLY', '--scope', 'FULL_ADMIN'], /exactly one scope/],
    [['', '--scope', 'READ_ONLY'], /--name must not be empty/],
    [['x', '--scope', 'READ_ONLY', '--ip', '300.1.1.1'], /--ip/],
    [['x', '--scope', 'READ_ONLY', '--expires', 'soon'], /--expires 'soon' is not a valid time/],
    [['x', '--scope', 'READ_ONLY', '--expires', '0s'], /--expires '0s' is out of range/],
    [['x', '--scope', 'READ_ONLY', '--force'], /--force only works with --out/],
  ])('%j is a usage error that names the flag', async (words, message) => {
    const run = await it.inside([...create, ...words, '--reveal']);
    expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 2, stdout: '' });
    expect(run.stderr).toMatch(message);
  });

  test('an unknown product is 3 and a dry run makes nothing', async () => {
    const unknown = await it.inside([...create, 'x', '--scope', 'READ_ONLY', '--product', 'nope', '--json']);
    expect(unknown.code).toBe(3);
    expect(errorOf(unknown).code).toBe('NOT_FOUND');
    const before = await it.answer<{ pagination: object }>(['apikey', 'list']);
    const plan = await it.answer<Key>([...create, 'plan', '--scope', 'READ_ONLY', '--dry-run']);
    expect(plan).toMatchObject({ name: 'plan', dryRun: true });
    expect(plan).not.toHaveProperty('secret');
    expect(await it.answer(['apikey', 'list'])).toMatchObject({ pagination: before.pagination });
  });
});

describe('apikey --limit', () => {
  const update = (id: string, ...words: string[]) => it.answer<Key>(['apikey', 'update', id, ...words]);

  test('create and update set limits of a key; list and show tell them', async () => {
    const limited = ['--limit', 'write=600/15m', '--limit', 'heartbeat=none'];
    const key = await it.answer<Key>([...create, 'launch', '--scope', 'VALIDATE_ONLY', ...limited]);
    expect(key.limits?.write).toEqual({ max: 600, windowSeconds: 900 });
    expect(key.limits?.heartbeat?.max).toBe(0);
    const forPerson = await it.inside([
      ...create,
      'other',
      '--scope',
      'VALIDATE_ONLY',
      ...limited,
      '--reveal',
    ]);
    expect(forPerson.stdout).toMatch(/^limits +write=600\/15m, heartbeat=none$/m);
    expect((await it.inside(['apikey', 'list'])).stdout).toContain('write=600/15m, heartbeat=none');
    expect((await it.inside(['apikey', 'show', key.id])).stdout).toMatch(
      /^limits +write=600\/15m, heartbeat=none$/m,
    );
    // What is not named stays.
    const more = await update(key.id, '--limit', 'offline_token=9/2h', '--limit', 'heartbeat=default');
    expect(more.limits).toEqual({
      write: { max: 600, windowSeconds: 900 },
      offline_token: { max: 9, windowSeconds: 7200 },
    });
    expect(await update(key.id, '--clear', 'limit')).toMatchObject({ limits: null });
    expect(await it.answer<Key>(['apikey', 'show', key.id])).toMatchObject({ limits: null });
  });

  test.each([
    ['write', /--limit 'write' is not a limit/],
    ['write=600', /--limit 'write=600' is not a limit/],
    ['write=600/15', /is not a limit[\s\S]*write=600\/15m/],
    ['write=0/15m', /out of range/],
    ['write=9999999999/15m', /out of range/],
    ['write=5/0s', /the window must be 1s to 1d/],
    ['write=5/2d', /the window must be 1s to 1d/],
    ['read=5/1m', /"read" is counted per address[\s\S]*settings set licensing\.limits\.read\.max/],
    ['wriet=5/1m', /unknown limit "wriet"[\s\S]*write, heartbeat, offline_token/],
  ])('%s is a usage error', async (limit, message) => {
    const run = await it.inside([...create, 'x', '--scope', 'READ_ONLY', '--limit', limit]);
    expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 2, stdout: '' });
    expect(run.stderr).toMatch(message);
  });

  test('one bucket twice, and --clear limit with --limit, are usage errors', async () => {
    const { id } = await it.answer<Key>([...create, 'twice', '--scope', 'READ_ONLY']);
    const twice = ['--limit', 'write=1/1m', '--limit', 'write=2/1m'];
    expect((await it.inside(['apikey', 'update', id, ...twice])).code).toBe(2);
    expect(
      (await it.inside(['apikey', 'update', id, '--limit', 'write=1/1m', '--clear', 'limit'])).code,
    ).toBe(2);
  });
});

describe('apikey update, rotate, revoke', () => {
  test('update changes what is given and clears what is named', async () => {
    const { id } = await it.answer<Key>([...create, 'old', '--scope', 'READ_ONLY', '--ip', '192.0.2.1']);
    const updated = await it.answer<Key>([
      'apikey',
      'update',
      id,
      '--name',
      'new',
      '--expires',
      '1d',
      '--clear',
      'ip',
    ]);
    expect(updated).toMatchObject({ id, name: 'new', ipAllowlist: [], scope: 'READ_ONLY' });
    expect(updated.expiresAt).not.toBeNull();
    expect((await it.inside(['apikey', 'update', id])).code).toBe(2);
    expect((await it.inside(['apikey', 'update', id, '--ip', '192.0.2.1', '--clear', 'ip'])).code).toBe(2);
    expect((await it.inside(['apikey', 'update', 'key_nope', '--name', 'x'])).code).toBe(3);
  });

  test('rotate gives a new secret; the old one dies with the overlap', async () => {
    const key = await it.answer<Key>([...create, 'rotating', '--scope', 'READ_ONLY']);
    const second = await it.answer<Key>(['apikey', 'rotate', key.id]);
    expect(await opens(key.secret)).toBe(key.id);
    expect(await opens(second.secret)).toBe(key.id);
    const hidden = await it.inside(['apikey', 'rotate', key.id]);
    expect(hidden).toMatchObject({ code: 2, stdout: '' });
    expect(await opens(second.secret)).toBe(key.id);
    const again = ['apikey', 'rotate', key.id, '--overlap', '0s'];
    const asked = await it.inside([...again, '--json']);
    expect([asked.code, errorOf(asked).message]).toEqual([
      10,
      expect.stringMatching(
        /a second time[\s\S]*before the last rotation is valid until .*It stops working now/,
      ),
    ]);
    expect(await opens(key.secret)).toBe(key.id);
    const third = await it.answer<Key>([...again, '--yes']);
    expect(await opens(key.secret)).toBe('UNKNOWN');
    expect(await opens(second.secret)).toBe('UNKNOWN');
    expect(await opens(third.secret)).toBe(key.id);
    expect((await it.inside(['apikey', 'rotate', key.id, '--overlap', '8d'])).code).toBe(2);
  });

  test('revoke asks first, ends the key at once and may be repeated', async () => {
    const key = await it.answer<Key>([...create, 'leaving', '--scope', 'READ_ONLY']);
    const refused = await it.inside(['apikey', 'revoke', key.id]);
    expect(refused).toMatchObject({ code: 10, stdout: '' });
    expect(await opens(key.secret)).toBe(key.id);
    const plan = await it.answer<Key>(['apikey', 'revoke', key.id, '--dry-run']);
    expect(plan).toMatchObject({ dryRun: true });
    expect(await opens(key.secret)).toBe(key.id);
    const revoked = await it.answer<Key>(['apikey', 'revoke', key.id, '--yes']);
    expect(revoked.revokedAt).not.toBeNull();
    expect(await opens(key.secret)).toBe('REVOKED');
    expect(await it.answer(['apikey', 'revoke', key.id, '--yes'])).toEqual(revoked);
    expect((await it.inside(['apikey', 'rotate', key.id, '--reveal'])).code).toBe(5);
    expect((await it.inside(['apikey', 'revoke', 'key_nope', '--yes'])).code).toBe(3);
  });
});
