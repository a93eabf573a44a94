// Commands that make and change licenses at both desks (cli.md sections 1.7 and 3.5), and with a license API key.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BothDesks, type OneDesk, openBothDesks } from '../support/both-desks.ts';
import { runInside } from '../support/cli-inside.ts';
import { delegatedProduct } from '../support/online-key.ts';

let desks: BothDesks;
beforeAll(async () => {
  desks = await openBothDesks();
});
afterAll(() => desks.close());

const MACHINE = 'machine-0001';
const words = (line: string): string[] => line.split(' ');
const file = (name: string): string => readFileSync(join(desks.cwd, name), 'utf8');

interface Minted {
  id: string;
  key?: string;
  [field: string]: unknown;
}

/** A license of a product that offers offline tokens. */
async function minted(desk: OneDesk, name: string): Promise<Minted & { key: string }> {
  const slug = `${name}-${desk.tag}`;
  const product = await desks.app.product({ name: 'Editor', slug });
  await delegatedProduct(desks.app.ctx, product);
  return desk.answer(`license mint --product ${slug} --email ann@x.test --days 30 --reveal`);
}

/** At the server, outside of what is compared: events name who acted. */
async function adminAnswer<T>(line: string): Promise<T> {
  const place = ['--server', desks.app.url, '--api-key-file', 'token', '--json'];
  return JSON.parse((await runInside([...words(line), ...place], { cwd: desks.cwd })).stdout) as T;
}

describe('licenses at both desks', () => {
  test('are minted: by name, once for an idempotency key, several at once, into a file', () =>
    desks.same(async (desk) => {
      const slug = `viewer-${desk.tag}`;
      await desks.app.product({ name: 'Viewer', slug });
      const policy = `office-${desk.tag}`;
      await desk.run(`policy create --name ${policy}`);
      const mint = `license mint --product ${slug} --email ann@x.test --days 30 --policy ${policy}`;
      await desk.run(`${mint} --dry-run`);
      const [first, again] = [
        await desk.answer<Minted>(`${mint} --idempotency-key order-${desk.tag}`),
        await desk.answer<Minted>(`${mint} --idempotency-key order-${desk.tag} --tier BUSINESS`),
      ];
      expect(again).toMatchObject({ id: first.id, idempotent: true, tier: 'PERSONAL' });
      expect(first.key).toBeUndefined();
      const out = `keys-${desk.tag}.txt`;
      await desk.run(`${mint} --count 3 --out ${out}`);
      expect(file(out).trim().split('\n')).toHaveLength(3);
      expect(statSync(join(desks.cwd, out)).mode & 0o777).toBe(0o600);
      const own = `OWN-AAAA-BBBB-CCCC-${desk.tag.slice(-1)}DDD`;
      writeFileSync(join(desks.cwd, 'own.txt'), own);
      expect(await desk.answer<Minted>(`${mint} --key-file own.txt --reveal`)).toMatchObject({ key: own });
      expect(await desk.failure(`${mint} --policy nope`)).toMatchObject({ exit: 3, code: 'NOT_FOUND' });
      expect(await desk.failure(`license mint --product nope --email a@x.test`)).toMatchObject({
        exit: 3,
        hint: 'appctl product list',
      });
      expect(await desk.failure(`license mint --product ${slug} --email a`)).toMatchObject({
        exit: 2,
        message: expect.stringContaining('--email'),
      });
      await desk.run(`product discontinue ${slug}`);
      expect(await desk.failure(mint)).toMatchObject({ exit: 2, hint: 'add --force to mint it anyway' });
      await desk.run(`${mint} --force`);
    }));

  test('are minted from files, and the rows are known again at the other desk', async () => {
    const editor = await desks.app.product({ name: 'Bulk', slug: 'bulk' });
    const rows = ['product,email,days', 'bulk,ann@x.test,30', 'nope,bob@x.test,30'];
    writeFileSync(join(desks.cwd, 'rows.csv'), rows.join('\n'));
    const line = 'license mint-bulk rows.csv';
    const run = (more: string[], env = {}) => runInside([...words(line), ...more], { cwd: desks.cwd, env });
    const { dataDir, database } = desks.app.instance.config;
    const here = { APPCTL_DATA_DIR: dataDir, APPCTL_DATABASE_URL: database.url };
    const there = ['--server', desks.app.url, '--api-key-file', 'token'];
    expect((await run(['--out', 'bulk.txt'], here)).code).toBe(7);
    const refused = await run(there);
    expect([refused.code, refused.stderr]).toEqual([
      5,
      expect.stringContaining('1 of 2 rows was already minted'),
    ]);
    const resumed = await run([...there, '--resume', '--json']);
    expect([resumed.code, JSON.parse(resumed.stdout)]).toMatchObject([
      7,
      { results: [{ idempotent: true, source: 'BULK' }, { error: { code: 'NOT_FOUND' } }] },
    ]);
    expect(JSON.parse(resumed.stdout).results[1].error.details.hint).toBe(
      `appctl ${there.join(' ')} product list`,
    );
    const piped = await runInside(['license', 'mint-bulk', '-', ...there, '--json'], {
      cwd: desks.cwd,
      input: rows.slice(0, 2).join('\n'),
    });
    expect(JSON.parse(piped.stdout).results[0].error.message).toMatch(/was already minted, as license lic_/);
    const { items } = JSON.parse(
      (await runInside(['license', 'list', '--product', editor.id, '--json'], { cwd: desks.cwd, env: here }))
        .stdout,
    );
    expect(items).toHaveLength(1);
  });

  test('are suspended, resumed, renewed and revoked, one or several', () =>
    desks.same(async (desk) => {
      const [one, other] = [await minted(desk, 'one'), await minted(desk, 'other')];
      const both = `${one.id} ${other.id}`;
      await desk.run(['license', 'suspend', one.id, '--reason', 'payment is late', '--dry-run']);
      await desk.run(['license', 'suspend', one.id, other.id, '--reason', 'payment is late']);
      await desk.run(`license resume ${one.id}`);
      await desk.run(`license resume ${both} lic_none`);
      await desk.run(`license renew ${one.id} --days 10`);
      await desk.run(`license renew ${both} --days 10 --from-now --dry-run`);
      expect(await desk.failure(`license renew ${one.id} --days 1 --from-now`)).toMatchObject({ exit: 10 });
      await desk.run(`license renew ${one.id} --days 1 --from-now --yes`);
      expect(await desk.failure(`license renew ${one.id} --until 2020-01-01`)).toMatchObject({ exit: 2 });
      expect(await desk.failure(`license revoke ${one.id} --reason x`)).toMatchObject({ exit: 10 });
      await desk.run(`license revoke ${one.id} --reason refunded --yes`);
      expect(await desk.failure(`license renew ${one.id} --days 1`)).toMatchObject({ exit: 5 });
      expect(await desk.failure(`license revoke lic_none --reason x --yes`)).toMatchObject({ exit: 3 });
    }));

  test('are edited, given away and put under another policy', () =>
    desks.same(async (desk) => {
      const { id } = await minted(desk, 'edited');
      const policy = `other-${desk.tag}`;
      await desk.run(`policy create --name ${policy} --default-days 5`);
      await desk.run(`license update ${id} --tier BUSINESS --meta team=a --dry-run`);
      expect(await desk.answer(`license update ${id} --tier BUSINESS --meta team=a`)).toMatchObject({
        before: { tier: 'PERSONAL', metadata: {} },
      });
      await desk.run(`license update ${id} --tier BUSINESS`);
      await desk.run(`license update ${id} --clear meta`);
      await desk.run(`license transfer ${id} --to-email bob@x.test`);
      await desk.run(`license transfer ${id} --to-email bob@x.test`);
      expect(await desk.failure(`license transfer lic_none --to-email b`)).toMatchObject({ exit: 2 });
      await desk.run(`license change-policy ${id} ${policy}`);
      expect(await desk.failure(`license change-policy ${id} ${policy} --expiry reset`)).toMatchObject({
        exit: 10,
      });
      await desk.run(`license change-policy ${id} ${policy} --expiry reset --yes`);
      expect(await desk.failure(`license change-policy ${id} nope`)).toMatchObject({ exit: 3 });
    }));

  test('go through the trash', () =>
    desks.same(async (desk) => {
      const { id } = await minted(desk, 'trashed');
      expect(await desk.failure(`license purge ${id} --confirm ${id}`)).toMatchObject({ exit: 5 });
      await desk.run(`license delete ${id} --reason twice --yes --dry-run`);
      expect(await desk.answer(`license delete ${id} --reason twice --yes`)).toMatchObject({
        changed: true,
      });
      expect(await desk.answer(`license delete ${id} --yes`)).toMatchObject({ changed: false });
      expect(await desk.failure(`license suspend ${id} --reason x`)).toMatchObject({ exit: 3 });
      await desk.run(`license restore ${id}`);
      await desk.run(`license restore ${id}`);
      await desk.run(`license delete ${id} --yes`);
      await desk.run(`license purge ${id} --confirm ${id}`);
      expect(await desk.failure(`license restore ${id}`)).toMatchObject({ exit: 3 });
    }));

  test('say who suspended them and why, and when their machines were last seen', () =>
    desks.atEach(async (desk) => {
      const { id } = await minted(desk, 'cause');
      await desk.run(`license token ${id} --machine ${MACHINE} --days 3 --activate`);
      await desk.run(['license', 'suspend', id, '--reason', 'a chargeback']);
      const { stdout } = await desk.run(`license show ${id} --machines`);
      expect(stdout).toMatch(/^status +SUSPENDED\nsince .* LICENSE_SUSPENDED by .*: a chargeback$/m);
      expect(stdout).toMatch(new RegExp(`^machine +${MACHINE}, last seen \\d{4}-`, 'm'));
      const given = await desk.run(`license validate ${id} --machine ${MACHINE}`);
      expect([given.code, given.stdout]).toEqual([5, expect.stringContaining('SUSPENDED')]);
      expect(await desk.failure(`license validate ${id} --key-stdin --machine ${MACHINE}`)).toMatchObject({
        exit: 2,
      });
    }));

  test('get another key, which the timeline tells of when it is shown', () =>
    desks.same(async (desk) => {
      const { id, key } = await minted(desk, 'rekeyed');
      const rekey = `license rekey ${id} --reason leaked --yes`;
      await desk.run(`${rekey} --dry-run`);
      const again = await desk.answer<Minted>(`${rekey} --overlap 60 --reveal`);
      expect(again.key).not.toBe(key);
      const out = `rekeyed-${desk.tag}.txt`;
      await desk.run(`${rekey} --out ${out}`);
      const { events } = await adminAnswer<{ events: { type: string; data: { reason?: string } }[] }>(
        `license show ${id} --events`,
      );
      const reveals = events.filter(({ type }) => type === 'LICENSE_KEY_REVEALED');
      expect(reveals.map(({ data }) => data.reason)).toEqual(['MINT', 'REKEY', 'REKEY']);
      const { key: kept } = await desk.answer<Minted>(['license', 'reveal', id, '--reason', 'a test']);
      expect(file(out)).toBe(`${kept}\n`);
    }));

  test('lose machines and count uses, and have offline tokens', () =>
    desks.same(async (desk) => {
      const { id, key } = await minted(desk, 'used');
      const token = `license token ${id} --machine ${MACHINE} --days 3`;
      expect(await desk.failure(token)).toMatchObject({
        exit: 5,
        hint: expect.stringContaining('--activate'),
      });
      await desk.run(`${token} --activate --dry-run`);
      const issued = await desk.answer<{ token: string }>(`${token} --activate`);
      expect(issued.token.length).toBeGreaterThan(100);
      await desk.run(`license tokens ${id}`);
      await desk.run(`license machines remove ${id} ${MACHINE} --yes --dry-run`);
      await desk.run(`license machines remove ${id} ${MACHINE} --yes`);
      expect(await desk.failure(`license machines remove ${id} ${MACHINE} --yes`)).toMatchObject({ exit: 3 });
      for (const line of ['machines remove ID --stale 14d', 'machines clear ID', 'free-seat ID --oldest']) {
        await desk.run(`${token} --activate`);
        await desk.run(`license ${line.replace('ID', id)} --yes`);
      }
      writeFileSync(join(desks.cwd, 'key.txt'), key);
      await desk.run(`license usage set ${id} 7 --dry-run --yes`);
      await desk.run(`license usage set ${id} 7 --yes`);
      await desk.run(`license usage reset ${id} --yes`);
      await desk.run(`license validate --license ${id} --machine ${MACHINE}`);
      await desk.run(`license validate --key-file key.txt --machine ${MACHINE}`);
      expect(await desk.failure(`license validate --license lic_none --machine ${MACHINE}`)).toMatchObject({
        exit: 3,
      });
      expect(await desk.failure(`license validate --license ${id} --machine m`)).toMatchObject({
        exit: 2,
        message: expect.stringContaining('--machine'),
      });
    }));
});

describe('with a license API key', () => {
  const run = async (line: string, options: { code?: number } = {}) => {
    const place = ['--server', desks.app.url, '--api-key-file', 'api.key'];
    const done = await runInside([...words(line), ...place], { cwd: desks.cwd });
    expect([done.code, done.stderr]).toEqual([options.code ?? 0, expect.any(String)]);
    return done;
  };
  beforeAll(async () => {
    writeFileSync(join(desks.cwd, 'api.key'), (await desks.app.apiKey('FULL_ADMIN')).secret, { mode: 0o600 });
    await desks.app.product({ name: 'Shop', slug: 'shop' });
  });

  test('mint, validate, renew and revoke call the public API; all else asks for a login', async () => {
    const mint = 'license mint --product shop --email ann@x.test --days 30 --json --idempotency-key api-1';
    const made = JSON.parse((await run(`${mint} --reveal`)).stdout) as Minted;
    expect(made).toMatchObject({ status: 'ACTIVE', product: expect.any(String), key: expect.any(String) });
    const again = JSON.parse((await run(`${mint} --out minted.key`)).stdout) as Minted;
    expect(again).toMatchObject({ id: made.id, idempotent: true });
    expect([again.key, file('minted.key')]).toEqual([undefined, `${made.key}\n`]);
    const checked = await run(`license validate --key-file minted.key --machine ${MACHINE} --json`, {
      code: 5,
    });
    expect(JSON.parse(checked.stdout)).toMatchObject({ code: 'NOT_ACTIVATED', explain: [] });
    expect(checked.stdout).not.toContain(made.key);
    const renewed = await run(`license renew ${made.id} --until 2099-01-31T00:00:00Z --yes --json`);
    expect(JSON.parse(renewed.stdout)).toMatchObject({ validUntil: '2099-01-31T00:00:00.000Z' });
    const revoked = await run(`license revoke ${made.id} --reason refunded --yes --json`);
    expect(JSON.parse(revoked.stdout)).toMatchObject({ id: made.id, status: 'REVOKED' });
  });

  test.each([
    ['license mint --product shop --email a@x.test --perpetual --dry-run', /--dry-run needs a login/],
    ['license mint --product shop --email a@x.test --perpetual --count 2', /--count needs a login/],
    ['license mint --product shop --email a@x.test --perpetual --force', /--force needs a login/],
    ['license renew lic_none --days 3', /--days needs a login/],
    ['license validate --license lic_none --machine machine-0001', /--license needs a login/],
    ['license suspend lic_none --reason x', /needs a login or an admin token/],
    ['license update lic_none --tier BUSINESS', /needs a login or an admin token/],
  ])('%s is refused (2)', async (line, message) => {
    expect((await run(line, { code: 2 })).stderr).toMatch(message);
  });
});
