// Commands about registered keys at both desks (cli.md sections 1.7 and 3.4).
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generateSeed, signingKeyOf } from '#kernel/ed25519.ts';
import { register } from '#licensing/catalog/keys/index.ts';
import { signDelegation } from '#signing/keys/delegation.ts';
import type { MadeKey } from '../support/app.ts';
import { type BothDesks, type OneDesk, openBothDesks } from '../support/both-desks.ts';
import { runInside } from '../support/cli-inside.ts';
import { errorOf } from '../support/cli-process.ts';

let desks: BothDesks;
let owner: MadeKey;
beforeAll(async () => {
  desks = await openBothDesks();
  owner = await desks.app.adminToken('owner');
});
afterAll(() => desks.close());

/** Two keys of a product. What is printed of them must be the same at both desks, so both have the same. */
const seeds = [generateSeed(), generateSeed()];
const [first, next] = seeds.map(signingKeyOf) as [
  ReturnType<typeof signingKeyOf>,
  ReturnType<typeof signingKeyOf>,
];

const product = async ({ tag }: OneDesk, kind: string) => {
  const made = await desks.app.product({ name: `${kind} ${tag}`, slug: `${kind}-${tag}` });
  for (const { publicKey } of [first, next])
    await register(desks.app.ctx, made, { publicKey, seed: null, label: null });
  return made;
};

describe('registered keys at both desks', () => {
  test('the life of a key', () =>
    desks.same(async (desk) => {
      const { slug } = await product(desk, 'signed');
      await desk.run(`keys list --product ${slug}`);
      await desk.run(`keys list --product ${slug} --json`);
      await desk.run('keys list --product nobody');
      await desk.run(`keys export ${first.keyId} --public`);
      await desk.run(`keys export ${first.keyId} --public --format jwk`);
      await desk.run(`keys activate ${next.keyId} --product ${slug}`);
      await desk.run(`keys activate ${next.keyId} --product ${slug} --yes --dry-run`);
      await desk.run(`keys activate ${next.keyId} --product ${slug} --yes`);
      await desk.run(`keys activate ${next.keyId} --product ${slug} --json`);
      await desk.run(`keys retire ${next.keyId} --product ${slug}`);
      await desk.run(`keys retire ${next.keyId} --product ${slug} --yes --dry-run`);
      await desk.run(`keys retire ${next.keyId} --product ${slug} --yes`);
      await desk.run(`keys retire ${next.keyId} --product ${slug} --json`);
      expect(await desk.failure(`keys activate ${next.keyId} --product ${slug}`)).toMatchObject({ exit: 5 });
    }));

  test('refusals', () =>
    desks.same(async (desk) => {
      for (const words of ['show 0000000000000000', 'show x', 'retire 0000000000000000', 'activate x'])
        expect(await desk.failure(`keys ${words}`)).toMatchObject({ exit: 3 });
      await desk.failure('keys export 0000000000000000 --public');
      await desk.failure('keys activate 0000000000000000 --product nobody');
    }));

  /** Keys are made anew at each desk: what is random of them is no part of what is compared. */
  const shown = ['--fields', 'product,status,encrypted,registered,serverHeld', '--json'];
  const bare = async ({ tag }: OneDesk, kind: string): Promise<string> =>
    (await desks.app.product({ name: `${kind} ${tag}`, slug: `${kind}-${tag}` })).slug;

  test('are made and registered from a file that stays here, or held where the product is', () =>
    desks.same(async (desk) => {
      const slug = await bare(desk, 'made');
      const file = ['--out', `${slug}.key`, '--no-passphrase'];
      await desk.run(['keys', 'generate', '--product', slug, ...file, '--dry-run', ...shown]);
      await desk.run(['keys', 'generate', '--product', slug, ...file, ...shown]);
      expect(existsSync(join(desks.cwd, `${slug}.key`))).toBe(true);
      const [registered] = (await desks.app.admin(`/products/${slug}/keys`, owner)).body
        .items as unknown as object[];
      expect(registered).toMatchObject({ status: 'ACTIVE', serverHeld: false });
      expect((await desk.run(['keys', 'generate', '--product', slug, ...file, ...shown])).code).toBe(5);
      await desk.run(['keys', 'generate', '--product', slug, '--server-held', '--dry-run', ...shown]);
      expect(
        await desk.failure(`keys generate --product ${slug} --out two.key --no-passphrase`),
      ).toMatchObject({
        exit: 5,
      });
      expect(existsSync(join(desks.cwd, 'two.key'))).toBe(false);
      await desk.run([
        'keys',
        'generate',
        '--product',
        slug,
        '--server-held',
        '--next',
        '--comment',
        'ours',
        ...shown,
      ]);
      const again = await bare(desk, 'again');
      await desk.run(['keys', 'import', `${slug}.pub`, '--product', again, ...shown]);
      await desk.run(['keys', 'import', `${slug}.key`, '--product', again, ...shown]);
      expect(await desk.failure('keys import nowhere --product editor')).toMatchObject({ exit: 2 });
    }));

  test('are followed by others, as the key in the hand signs', () =>
    desks.same(async (desk) => {
      const slug = await bare(desk, 'turned');
      const rotate = ['keys', 'rotate', '--product', slug, '--activate-at', '2100-01-01'];
      const fields = ['--fields', 'activateAt,old.status,next.status,next.serverHeld', '--json'];
      expect(await desk.failure([...rotate, '--server-held'])).toMatchObject({ exit: 5 });
      await desk.run([
        'keys',
        'generate',
        '--product',
        slug,
        '--out',
        `${slug}.key`,
        '--no-passphrase',
        ...shown,
      ]);
      const key = ['--key', `${slug}.key`];
      expect(await desk.failure(rotate)).toMatchObject({ exit: 2 });
      const plain = [...rotate, ...key, '--out', `${slug}.next.key`, '--no-passphrase'];
      await desk.run([...plain, '--dry-run', ...fields]);
      expect(existsSync(join(desks.cwd, `${slug}.next.key`))).toBe(false);
      expect((await desk.run([...plain, ...fields])).code).toBe(0);
      expect((await desk.run([...plain, ...fields])).code).toBe(5);
      const held = await bare(desk, 'held');
      await desk.run(['keys', 'generate', '--product', held, '--server-held', ...shown]);
      const wrong = ['keys', 'rotate', '--product', held, ...key, '--out', `${held}.key`, '--no-passphrase'];
      expect((await desk.run([...wrong, ...fields])).code).toBe(5);
      const own = ['keys', 'rotate', '--product', held, '--activate-at', '2100-01-01', ...fields];
      await desk.run([...own, '--dry-run']);
      await desk.run(own);
      expect(await desk.failure('keys rotate --product nobody')).toMatchObject({ exit: 3 });
    }));

  test('a key in a file names one that the server makes and holds', () =>
    desks.same(async (desk) => {
      const slug = await bare(desk, 'taken');
      await desk.run([
        'keys',
        'generate',
        '--product',
        slug,
        '--out',
        `${slug}.key`,
        '--no-passphrase',
        ...shown,
      ]);
      const line = ['keys', 'rotate', '--product', slug, '--key', `${slug}.key`, '--server-held'];
      const fields = ['--fields', 'old.status,next.status,next.serverHeld', '--json'];
      expect((await desk.run([...line, '--dry-run', ...fields])).code).toBe(0);
      expect((await desk.run([...line, ...fields])).code).toBe(0);
      expect((await desk.run([...line, ...fields])).code).toBe(5);
      const { body } = await desks.app.admin(`/products/${slug}/keys`, owner);
      expect(body.items).toMatchObject([{ status: 'ACTIVE' }, { status: 'NEXT', serverHeld: true }]);
      expect((body.items as unknown as object[]).length).toBe(2);
    }));

  test('a private key is not sent, and a key whose product a server does not know is made away from it alone', async () => {
    const server = ['--server', desks.app.url, '--api-key-file', 'token', '--json'];
    const there = { cwd: desks.cwd, env: { APPCTL_DATA_DIR: desks.cwd } };
    const out = ['--out', 'lone.key', '--no-passphrase'];
    const refused = await runInside(['keys', 'generate', '--product', 'nobody', ...out, ...server], there);
    expect([refused.code, errorOf(refused).message]).toEqual([3, "the server has no product 'nobody'"]);
    expect(existsSync(join(desks.cwd, 'lone.key'))).toBe(false);
    const lone = await runInside(['keys', 'generate', '--product', 'nobody', ...out, '--json'], {
      cwd: desks.cwd,
      env: { APPCTL_DATA_DIR: '/nonexistent/appctl' },
    });
    expect([lone.code, JSON.parse(lone.stdout)]).toEqual([0, expect.objectContaining({ registered: false })]);
    const sent = await runInside(
      ['keys', 'import', 'lone.key', '--product', 'nobody', '--server-held', ...server],
      there,
    );
    expect([sent.code, errorOf(sent).message]).toEqual([2, 'a private key never leaves this machine']);
    const held = await runInside(
      ['keys', 'generate', '--product', 'nobody', '--server-held', ...server],
      there,
    );
    expect([held.code, errorOf(held).message]).toEqual([
      2,
      "--server-held needs the product 'nobody', which the server does not have",
    ]);
  });

  test('a private key never leaves its server', async () => {
    const server = ['--server', desks.app.url, '--api-key-file', 'token'];
    const line = ['keys', 'export', first.keyId, '--out', 'x.key', '--confirm', first.keyId, '--json'];
    const run = await runInside([...line, ...server], {
      cwd: desks.cwd,
      env: { APPCTL_DATA_DIR: desks.cwd },
    });
    expect([run.code, errorOf(run).message]).toEqual([2, 'a private key never leaves its server']);
    expect(existsSync(join(desks.cwd, 'x.key'))).toBe(false);
  });
});

describe('online keys at both desks', () => {
  test('are made, delegated to and listed', () =>
    desks.same(async (desk) => {
      const { slug } = await product(desk, 'online');
      const masked = ['keyId', 'publicKey'];
      const plan = await desk.answer(
        `keys online create --product ${slug} --dry-run --fields product,status,delegation`,
      );
      expect(plan).toMatchObject({ product: slug, delegation: null });
      const all = await desks.app.admin(`/online-keys?product=${slug}`, await desks.app.adminToken('owner'));
      expect(all.body.items).toEqual([]);
      await desk.run(`keys online create --product ${slug} --fields product,status,delegation --json`);
      const [made] = (
        await desks.app.admin(`/online-keys?product=${slug}`, await desks.app.adminToken('owner'))
      ).body.items as unknown as Record<string, string>[];
      const publicKey = Buffer.from(made?.publicKey ?? '', 'base64');
      const text = signDelegation(
        { product: slug, publicKey, uses: ['license'], days: 30 },
        first,
        desks.app.ctx.now(),
      );
      writeFileSync(join(desks.cwd, 'delegation'), text);
      expect(Object.keys(made ?? {})).toEqual(expect.arrayContaining(masked));
      await desk.run(`keys online list --product ${slug} --fields product,status --json`);
      expect(
        await desk.failure('keys online delegate 0000000000000000 --delegation-file delegation'),
      ).toMatchObject({
        exit: 3,
      });
      expect(await desk.failure('keys online create --product nobody')).toMatchObject({ exit: 3 });
    }));
});
