// Commands about API keys, admin tokens, accounts, roles, settings and the audit log at both desks (cli.md 1.7).
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BothDesks, openBothDesks } from '../support/both-desks.ts';

let desks: BothDesks;
beforeAll(async () => {
  desks = await openBothDesks();
});
afterAll(() => desks.close());

interface Made {
  id: string;
  secret?: string;
  [field: string]: unknown;
}

describe('API keys', () => {
  test('the life of an API key', () =>
    desks.same(async (desk) => {
      const slug = `keys-${desk.tag}`;
      await desks.app.product({ name: 'Keys', slug });
      const create = ['apikey', 'create', '--service', 'license', '--name', `app ${desk.tag}`];
      const words = [...create, '--scope', 'READ_ONLY', '--product', slug, '--limit', 'write=600/15m'];
      expect(await desk.answer([...words, '--dry-run'])).not.toHaveProperty('secret');
      const made = await desk.answer<Made>(words);
      expect(made.secret).toMatch(/^alk_/);
      const file = join(desks.cwd, `${desk.tag}.key`);
      await desk.run([...create, '--scope', 'FULL_ADMIN', '--out', file]);
      expect(readFileSync(file, 'utf8')).toMatch(/^alk_\S+\n$/);
      await desk.run(`apikey show ${made.id}`);
      await desk.run(['apikey', 'update', made.id, '--name', 'renamed', '--clear', 'product']);
      await desk.run(`apikey rotate ${made.id} --overlap 1h --reveal`);
      expect(await desk.failure(`apikey revoke ${made.id}`)).toMatchObject({ exit: 10 });
      await desk.run(`apikey revoke ${made.id} --yes --dry-run`);
      expect(await desk.answer(`apikey revoke ${made.id} --yes`)).toMatchObject({ id: made.id });
      expect(await desk.failure(`apikey rotate ${made.id}`)).toMatchObject({ exit: 5 });
    }));

  test('refusals', () =>
    desks.same(async (desk) => {
      const create = ['apikey', 'create', '--service', 'license', '--name', 'x', '--scope', 'READ_ONLY'];
      expect(await desk.failure([...create, '--product', 'nope'])).toMatchObject({ exit: 3 });
      const ip = await desk.failure([...create, '--ip', '300.1.1.1']);
      expect(ip).toMatchObject({ exit: 2, message: expect.stringContaining('--ip') });
      expect(await desk.failure('apikey show key_nope')).toMatchObject({ exit: 3 });
      expect(await desk.failure('apikey update key_nope --name x')).toMatchObject({ exit: 3 });
    }));
});

describe('who may administer', () => {
  test('roles, accounts and tokens', () =>
    desks.same(async (desk) => {
      const role = `shift-${desk.tag}`;
      const email = `ann-${desk.tag}@example.com`;
      const slug = `rights-${desk.tag}`;
      await desks.app.product({ name: 'Rights', slug });
      await desk.run(`admin role create ${role} --permission licensing:read --dry-run`);
      await desk.run(`admin role create ${role} --permission licensing:read`);
      await desk.run(`admin role grant ${role} licensing:write audit:read`);
      await desk.run(`admin role deny ${role} audit:read --json`);
      await desk.run(`admin role show ${role}`);
      expect(await desk.failure('admin role grant owner audit:read')).toMatchObject({ exit: 5 });
      await desk.run(`admin user create --email ${email} --role ${role} --invite --dry-run`);
      const made = await desk.answer<Made>(
        `admin user create --email ${email} --role ${role} --generate --must-change-password`,
      );
      expect(made).toMatchObject({ email, roles: [role], password: expect.stringMatching(/.{20}/) });
      await desk.answer(`admin user show ${email}`);
      await desk.answer(`admin user set-role ${email} --role viewer --yes`);
      const scoped = await desk.answer<Made>(`admin user set-scope ${email} --product ${slug} --yes`);
      expect(scoped.scopes).toEqual([{ kind: 'license_product', refId: expect.stringMatching(/^prd_/) }]);
      await desk.run(`admin user 2fa status ${email}`);
      await desk.run(`admin user 2fa reset ${email} --yes`);
      await desk.run(`admin user sessions list ${email}`);
      await desk.run(`admin user sessions revoke ${email} --yes`);
      await desk.run(`admin user unlock ${email} --json`);
      const reset = await desk.answer<Made>(`admin user reset-password ${email} --generate --yes`);
      expect(reset.password).toMatch(/.{20}/);
      await desk.answer(`admin user disable ${email} --yes`);
      expect(await desk.failure(`admin user reset-password ${email} --link`)).toMatchObject({ exit: 5 });
      await desk.answer(`admin user enable ${email}`);
      const token = await desk.answer<Made>([
        ...['admin', 'token', 'create', '--name', `ci ${desk.tag}`, '--role', 'viewer'],
        ...['--product', slug],
      ]);
      expect(token.secret).toMatch(/^adm_/);
      await desk.run(`admin token revoke ${token.id} --yes`);
      await desk.run(`admin role delete ${role} --yes`);
      await desk.run(`admin user delete ${email} --yes`);
      expect(await desk.failure(`admin user show ${email}`)).toMatchObject({ exit: 3 });
    }));
});

describe('settings', () => {
  test('list, get, set and unset', () =>
    desks.same(async (desk) => {
      const key = 'licensing.trash_days';
      await desk.run('settings list --group licensing --json');
      await desk.run(`settings get ${key} --json`);
      await desk.run(`settings set ${key} 21 --dry-run`);
      expect(await desk.answer(`settings set ${key} 22`)).toEqual({ key, old: 30, new: 22 });
      expect(await desk.answer(`settings get ${key}`)).toEqual({ key, value: 22, source: 'database' });
      await desk.run('settings list --changed --json');
      await desk.run(`settings unset ${key}`);
      expect(await desk.failure(`settings set ${key} soon`)).toMatchObject({ exit: 2 });
      expect(await desk.failure('settings set store_opne false')).toMatchObject({
        exit: 3,
        hint: 'did you mean store_open?',
      });
      expect(await desk.failure('settings set licensing.nope 1')).toMatchObject({ exit: 3 });
    }));
});

describe('the audit log', () => {
  test('list, verify and export', async () => {
    const product = await desks.app.product({ name: '=Audited', slug: 'audited' });
    await desks.same(async (desk) => {
      await desk.run(`audit list --target ${product.id}`);
      await desk.run(`audit list --target products/${product.id} --json --limit 1 --page 2`);
      const file = join(desks.cwd, `${desk.tag}.csv`);
      await desk.run(`audit export --target ${product.id} --format csv --out ${file}`);
      expect(readFileSync(file, 'utf8')).toContain('actor.label');
      await desk.run(`audit export --target ${product.id} --out -`);
    });
    // An export is on record itself: what is verified here is the same at both.
    await desks.same(async (desk) => {
      const verdict = await desk.answer<{ ok: boolean; head: { seq: number } }>('audit verify');
      expect(verdict.ok).toBe(true);
      const anchor = join(desks.cwd, `${desk.tag}.json`);
      writeFileSync(anchor, JSON.stringify({ head: { seq: 1, hash: 'x' } }));
      expect((await desk.run(`audit verify --anchor ${anchor}`)).code).toBe(6);
    });
  });
});
