// Commands about products, policies, key formats, tenants and customers at both desks (cli.md sections 1.7 and 3.6).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BothDesks, openBothDesks } from '../support/both-desks.ts';
import { runInside } from '../support/cli-inside.ts';

let desks: BothDesks;
beforeAll(async () => {
  desks = await openBothDesks();
});
afterAll(() => desks.close());

/** Where commands work without --server. */
const here = () => {
  const { dataDir, database } = desks.app.instance.config;
  return { APPCTL_DATA_DIR: dataDir, APPCTL_DATABASE_URL: database.url };
};

interface Named {
  id: string;
  [field: string]: unknown;
}

describe('products at both desks', () => {
  test('the life of a product', () =>
    desks.same(async (desk) => {
      const slug = `editor-${desk.tag}`;
      const words = ['product', 'create', '--name', `Editor ${desk.tag}`, '--slug', slug, '--meta', 'team=a'];
      await desk.run([...words, '--dry-run']);
      const made = await desk.answer<Named>(words);
      expect(made).toMatchObject({ slug, status: 'ACTIVE', metadata: { team: 'a' } });
      expect(await desk.answer(`product show ${made.id}`)).toEqual(made);
      await desk.run(`product show ${slug}`);
      await desk.run(`product update ${slug} --default-days 30 --statement-required`);
      await desk.run(`product update ${slug} --clear default-days --clear meta --dry-run`);
      for (const verb of ['deprecate', 'discontinue', 'activate']) await desk.run(`product ${verb} ${slug}`);
      await desk.run(`product list --q ${slug}`);
      await desk.run(`product list --q ${slug} --status DEPRECATED --plain`);
      await desk.run(`product delete ${slug}`);
      await desk.run(`product delete ${slug} --confirm ${slug} --dry-run`);
      await desk.run(`product delete ${slug} --confirm ${slug}`);
      expect(await desk.failure(`product show ${slug}`)).toMatchObject({ exit: 3, code: 'NOT_FOUND' });
    }));

  test('their slugs are completed at the desk that the line names', async () => {
    await desks.app.product({ name: 'Completed', slug: 'completed' });
    await desks.atEach(async (desk) => {
      // The line that is completed names the desk, not the command that completes it.
      const place = desk.isRemote ? ['--server', desks.app.url, '--api-key-file', 'token'] : [];
      const options = { cwd: desks.cwd, env: desk.isRemote ? { APPCTL_DATA_DIR: 'none' } : here() };
      const line = ['complete-words', '--', ...place, 'product', 'show', 'compl'];
      expect((await runInside(line, options)).stdout.split('\t')[0]?.trim()).toBe('completed');
    });
  });

  test('refusals', () =>
    desks.same(async (desk) => {
      const slug = `taken-${desk.tag}`;
      await desk.run(['product', 'create', '--name', 'Taken', '--slug', slug]);
      const again = await desk.failure(['product', 'create', '--name', 'Taken', '--slug', slug]);
      expect(again).toMatchObject({ exit: 5, code: 'CONFLICT' });
      expect(await desk.failure('product create --name X --slug Not_A_Slug')).toMatchObject({
        exit: 2,
        message: expect.stringContaining('--slug'),
      });
      expect(await desk.failure(`product update ${slug} --policy nope`)).toMatchObject({ exit: 3 });
      for (const name of ['.', '..', '../policies', 'x'.repeat(300), 'prd_none'])
        expect(await desk.failure(['product', 'show', name])).toMatchObject({ exit: 3 });
      await desk.failure(`product update ${slug}`);
      await desk.failure('product activate nope');
    }));
});

describe('policies at both desks', () => {
  test('the life of a policy', () =>
    desks.same(async (desk) => {
      const slug = `plan-${desk.tag}`;
      const product = await desks.app.product({ name: 'Plan', slug });
      const license = await desks.app.license({ productId: product.id });
      const name = `office-${desk.tag}`;
      const made = await desk.answer<Named>(
        `policy create --name ${name} --entitlement export --entitlement seats=5 --grace 60 --product ${slug}`,
      );
      expect(made).toMatchObject({ name, entitlements: { export: true, seats: 5 } });
      await desk.run(`policy show ${name}`);
      await desk.run(`policy list --q ${name}`);
      await desk.run(`policy update ${name} --grace 0 --max-version 2 --dry-run`);
      await desk.run(`policy update ${name} --clear entitlement --max-version 2`);
      await desk.run(`policy impact ${name} --max-version 1 --json`);
      await desk.run(`policy impact ${name} --clear max-version`);
      await desk.run(`policy attach ${name} --license ${license.id}`);
      expect(await desk.failure(`policy delete ${name}`)).toMatchObject({ exit: 5 });
      await desk.run(`policy detach ${name} --product ${slug} --license ${license.id} --dry-run`);
      await desk.run(`policy detach ${name} --product ${slug} --license ${license.id}`);
      await desk.run(`policy delete ${name} --dry-run`);
      await desk.run(`policy delete ${name}`);
    }));

  test('refusals, and what is refused as a whole leaves nothing behind', () =>
    desks.same(async (desk) => {
      const name = `lonely-${desk.tag}`;
      expect(await desk.failure(`policy create --name ${name} --product nope`)).toMatchObject({ exit: 3 });
      expect(await desk.failure(`policy show ${name}`)).toMatchObject({ exit: 3 });
      expect(await desk.failure(`policy create --name ${name} --max-deactivations 3`)).toMatchObject({
        exit: 2,
        message: expect.stringContaining('--deactivation-window'),
      });
      await desk.run(`policy create --name ${name}`);
      expect(await desk.failure(`policy create --name ${name}`)).toMatchObject({ exit: 5 });
      expect(await desk.failure(`policy impact ${name} --grace 99999999999`)).toMatchObject({
        exit: 2,
        message: expect.stringContaining('--grace'),
      });
      await desk.failure(`policy attach ${name}`);
      await desk.failure(`policy attach ${name} --license lic_none`);
      await desk.failure('policy update nope --grace 1');
      // The name of the other desk would be near this one.
      await desk.run(`policy delete ${name}`);
    }));
});

describe('key formats at both desks', () => {
  test('the life of a key format', () =>
    desks.same(async (desk) => {
      const name = `long-${desk.tag}`;
      const words = `keyformat create --name ${name} --prefix EDIT --segments 5 --checksum LUHN`;
      const show = '--fields id,name,prefix,segments,alphabet,checksum,entropyBits,createdAt,updatedAt';
      await desk.run(`${words} --dry-run ${show}`);
      await desk.run(`${words} ${show}`);
      await desk.run(`keyformat show ${name} ${show}`);
      await desk.run(`keyformat list ${show} --plain`);
      await desk.run(`keyformat update ${name} --segments 6 --dry-run ${show}`);
      await desk.run(`keyformat update ${name} --segments 6 --name ${name}-6 ${show}`);
      await desk.run(
        `keyformat preview ${name}-6 --checksum NONE --fields prefix,segments,checksum,entropyBits`,
      );
      await desk.run(`keyformat delete ${name}-6 --dry-run ${show}`);
      await desk.run(`keyformat delete ${name}-6 ${show}`);
    }));

  test('refusals', () =>
    desks.same(async (desk) => {
      const weak = await desk.failure(
        `keyformat create --name weak-${desk.tag} --prefix AB --segments 4 --alphabet HEX --checksum LUHN`,
      );
      expect(weak).toMatchObject({ exit: 2, message: expect.stringContaining('--segments') });
      expect(await desk.failure('keyformat show nope')).toMatchObject({ exit: 3 });
      expect(await desk.failure('keyformat preview nope --segments 5')).toMatchObject({ exit: 3 });
      expect(await desk.failure('keyformat update nope --segments 5')).toMatchObject({ exit: 3 });
      await desk.failure('keyformat update nope');
      await desk.failure('keyformat delete nope');
    }));
});

describe('tenants at both desks', () => {
  test('the life of a tenant', () =>
    desks.same(async (desk) => {
      const slug = `acme-${desk.tag}`;
      const words = [
        'tenant',
        'create',
        '--slug',
        slug,
        '--name',
        'Acme',
        '--hostname',
        `${slug}.example.com`,
      ];
      await desk.run([...words, '--dry-run']);
      const made = await desk.answer<Named>(words);
      expect(made).toMatchObject({ slug, status: 'ACTIVE' });
      await desk.run(`tenant show ${made.id}`);
      await desk.run(`keyformat create --name long --prefix AC --segments 5 --tenant ${slug} --fields name`);
      await desk.run(`tenant update ${slug} --key-format long --dry-run`);
      const changed = await desk.answer<Named>(`tenant update ${slug} --key-format long`);
      expect(changed.defaultKeyFormatId).toEqual(expect.any(String));
      await desk.run(`tenant update ${slug} --clear key-format --clear hostname`);
      await desk.run(`tenant suspend ${slug}`);
      await desk.run(`tenant suspend ${slug} --yes --dry-run`);
      await desk.run(`tenant suspend ${slug} --yes`);
      await desk.run(`tenant resume ${slug}`);
      await desk.run('tenant list --fields slug,status --page 100');
    }));

  test('refusals', () =>
    desks.same(async (desk) => {
      const slug = `first-${desk.tag}`;
      await desk.run(['tenant', 'create', '--slug', slug, '--name', 'First']);
      expect(await desk.failure(['tenant', 'create', '--slug', slug, '--name', 'Again'])).toMatchObject({
        exit: 5,
      });
      expect(await desk.failure('tenant show nope')).toMatchObject({ exit: 3 });
      expect(await desk.failure(`tenant update ${slug} --key-format nope`)).toMatchObject({ exit: 3 });
      expect(await desk.failure('tenant suspend default --yes')).toMatchObject({ exit: 5 });
      await desk.failure(['tenant', 'create', '--slug', 'Not_A', '--name', 'X']);
      await desk.failure(`tenant update ${slug} --hostname http://x`);
      await desk.failure(`tenant update ${slug}`);
    }));
});

describe('customers at both desks', () => {
  test('the life of a customer', () =>
    desks.same(async (desk) => {
      const email = `ann-${desk.tag}@x.test`;
      const words = ['customer', 'create', '--email', email, '--name', 'Ann Example', '--meta', 'vat=1'];
      await desk.run([...words, '--dry-run']);
      const made = await desk.answer<Named>(words);
      expect(made).toMatchObject({ email, name: 'Ann Example', metadata: { vat: '1' }, licenses: [] });
      const { id: productId } = await desks.app.product({ name: 'App', slug: `app-${desk.tag}` });
      await desks.app.license({ productId, customerEmail: email });
      expect(await desk.answer(`customer show Ann-${desk.tag}@x.test --fields id,email`)).toMatchObject({
        email,
      });
      await desk.run(`customer show ${made.id} --fields email,name,metadata`);
      await desk.run(`customer list --q ${email} --fields email,name`);
      await desk.run(`customer update ${email} --name Anna --clear meta --dry-run --fields name,metadata`);
      await desk.run(`customer update ${email} --name Anna --clear meta --fields name,metadata`);
      await desk.run(`customer export ${email} --out ${desk.tag}.json`);
      const data = JSON.parse(readFileSync(join(desks.cwd, `${desk.tag}.json`), 'utf8'));
      expect(data).toMatchObject({
        customer: { email, name: 'Anna' },
        licenses: [{ productSlug: `app-${desk.tag}`, machines: [], events: [{ type: 'LICENSE_CREATED' }] }],
      });
      expect(JSON.stringify(data)).not.toMatch(/"key":/);
      const into = `bea-${desk.tag}@x.test`;
      await desk.run(`customer create --email ${into} --fields email`);
      await desk.run(`customer merge ${email} ${into}`);
      await desk.run(`customer merge ${email} ${into} --yes --dry-run --fields email,moved`);
      await desk.run(`customer merge ${email} ${into} --yes --fields email,moved`);
      await desk.run(`customer erase ${into}`);
      await desk.run(`customer erase ${into} --confirm ${into} --dry-run --fields licenses,events`);
      await desk.run(`customer erase ${into} --confirm ${into} --fields licenses,events`);
      expect(await desk.failure(`customer show ${into}`)).toMatchObject({ exit: 3 });
    }));

  test('refusals', () =>
    desks.same(async (desk) => {
      const email = `cleo-${desk.tag}@x.test`;
      await desk.run(`customer create --email ${email} --fields email`);
      expect(await desk.failure(`customer create --email ${email}`)).toMatchObject({ exit: 5 });
      expect(await desk.failure('customer create --email nobody')).toMatchObject({
        exit: 2,
        message: expect.stringContaining('--email'),
      });
      expect(await desk.failure(`customer merge ${email} ${email} --yes`)).toMatchObject({ exit: 5 });
      expect(await desk.failure(`customer merge ${email} nobody@x.test --yes`)).toMatchObject({ exit: 3 });
      await desk.failure(`customer update ${email}`);
      await desk.failure('customer export nobody@x.test');
    }));
});
