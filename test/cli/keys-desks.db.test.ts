// Commands about registered keys at both desks (cli.md sections 1.7 and 3.4).
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generateSeed, signingKeyOf } from '#kernel/ed25519.ts';
import { register } from '#licensing/catalog/keys/index.ts';
import { signDelegation } from '#signing/keys/delegation.ts';
import { type BothDesks, type OneDesk, openBothDesks } from '../support/both-desks.ts';
import { runInside } from '../support/cli-inside.ts';
import { errorOf } from '../support/cli-process.ts';

let desks: BothDesks;
beforeAll(async () => {
  desks = await openBothDesks();
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
