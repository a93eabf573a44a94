import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { authenticate } from '#platform/admin-tokens/index.ts';
import { errorOf } from '../support/cli-process.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

let it: Installation;
beforeAll(async () => {
  it = await prepareInstallation();
});
afterAll(() => it.remove());

interface Token {
  id: string;
  name: string;
  role: string;
  tenant: string | null;
  prefix: string;
  expiresAt: string | null;
  revokedAt: string | null;
  secret?: string;
}

type Listed = { items: Token[]; pagination: { total: number } };

const create = ['admin', 'token', 'create', '--name'];

/** Whom a secret opens the admin API for. */
async function opens(secret: string | undefined): Promise<unknown> {
  const instance = await it.open();
  const found = await authenticate(instance.ctx, secret ?? '');
  await instance.close();
  return typeof found === 'string' ? found : found.id;
}

const total = async () => (await it.answer<Listed>(['admin', 'token', 'list'])).pagination.total;

describe('admin token create', () => {
  test('with --json the answer holds the secret, which opens the admin API', async () => {
    const token = await it.json<Token>([...create, 'ci', '--role', 'owner', '--expires', '90d']);
    expect(token).toMatchObject({ name: 'ci', role: 'owner', tenant: 'default', revokedAt: null });
    expect(token.secret).toMatch(/^adm_[A-Za-z0-9_-]{43}$/);
    expect(token.prefix).toBe(token.secret?.slice(0, 8));
    const days = (Date.parse(token.expiresAt ?? '') - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(89.9);
    expect(await opens(token.secret)).toBe(token.id);
    const { stdout } = await it.inside(['admin', 'token', 'list', '--json']);
    expect(stdout).toContain(token.id);
    expect(stdout).not.toContain(token.secret);
  });

  test('without a terminal the secret is shown with --reveal', async () => {
    const shown = await it.inside([...create, 'loud', '--role', 'viewer', '--reveal']);
    expect(shown.stdout).toMatch(/^secret +adm_\S{20,}$/m);
  });

  test('--out takes the secret away from stdout, into a private file that is never overwritten', async () => {
    const file = join(it.cwd, 'admin.token');
    const token = await it.answer<Token>([...create, 'file', '--role', 'licensing', '--out', file]);
    expect(token).not.toHaveProperty('secret');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await opens(readFileSync(file, 'utf8').trim())).toBe(token.id);
    const before = await total();
    const again = await it.inside([...create, 'twice', '--role', 'viewer', '--out', file]);
    expect({ code: again.code, stdout: again.stdout }).toEqual({ code: 5, stdout: '' });
    expect(await total()).toBe(before);
  });

  test('--tenant binds it, --instance opens every tenant', async () => {
    await it.answer(['tenant', 'create', '--slug', 'acme', '--name', 'Acme']);
    const own = await it.answer<Token>([...create, 'own', '--role', 'viewer', '--tenant', 'acme']);
    expect(own.tenant).toBe('acme');
    const wide = await it.answer<Token>([...create, 'wide', '--role', 'viewer', '--instance']);
    expect(wide.tenant).toBeNull();
    const ids = async (...words: string[]) =>
      (await it.answer<Listed>(['admin', 'token', 'list', ...words])).items.map(({ id }) => id);
    expect(await ids('--tenant', 'acme')).toEqual([own.id, wide.id]);
    expect(await ids()).not.toContain(own.id);
    expect((await it.inside(['admin', 'token', 'revoke', own.id, '--yes'])).code).toBe(3);
  });

  test.each([
    [['x'], /--role is required/],
    [['x', '--role', 'root'], /--role must be one of the roles in appctl admin role list, not "root"/],
    [['', '--role', 'viewer'], /--name must not be empty/],
    [['x'.repeat(101), '--role', 'viewer'], /--name must have at most 100 characters/],
    [['x', '--role', 'viewer', '--expires', 'soon'], /--expires 'soon' is not a valid time/],
    [['x', '--role', 'viewer', '--expires', '0s'], /--expires '0s' is out of range/],
    [['x', '--role', 'viewer', '--force'], /--force only works with --out/],
  ])('%j is a usage error that names the flag', async (words, message) => {
    const run = await it.inside([...create, ...words, '--reveal']);
    expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 2, stdout: '' });
    expect(run.stderr).toMatch(message);
  });

  test('a dry run makes nothing and shows no secret', async () => {
    const before = await total();
    const plan = await it.answer<Token>([...create, 'plan', '--role', 'viewer', '--dry-run']);
    expect(plan).toMatchObject({ name: 'plan', dryRun: true });
    expect(plan).not.toHaveProperty('secret');
    expect(await total()).toBe(before);
  });
});

describe('admin token revoke', () => {
  test('asks first, ends the token at once and may be repeated', async () => {
    const token = await it.answer<Token>([...create, 'leaving', '--role', 'viewer']);
    const revoke = ['admin', 'token', 'revoke', token.id];
    expect(await it.inside(revoke)).toMatchObject({ code: 10, stdout: '' });
    expect(await it.answer<Token>([...revoke, '--dry-run'])).toMatchObject({ dryRun: true });
    expect(await opens(token.secret)).toBe(token.id);
    const revoked = await it.answer<Token>([...revoke, '--yes']);
    expect(revoked.revokedAt).not.toBeNull();
    expect(await opens(token.secret)).toBe('REVOKED');
    expect(await it.answer(['admin', 'token', 'revoke', token.id, '--yes'])).toEqual(revoked);
  });

  test('an unknown one is 3', async () => {
    const run = await it.inside(['admin', 'token', 'revoke', 'adt_nope', '--yes', '--json']);
    expect(run.code).toBe(3);
    expect(errorOf(run)).toMatchObject({ code: 'NOT_FOUND', hint: 'appctl admin token list' });
  });
});
