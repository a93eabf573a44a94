// Commands about the shop at both desks, and with an API key of the store.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { create } from '#storefront/tools/api-keys/index.ts';
import { storeClient } from '../storefront/store-client.ts';
import { type BothDesks, openBothDesks } from '../support/both-desks.ts';
import { runInside } from '../support/cli-inside.ts';
import { errorOf } from '../support/cli-process.ts';

let desks: BothDesks;
let staff: Awaited<ReturnType<typeof storeClient>>;
beforeAll(async () => {
  desks = await openBothDesks();
  staff = await storeClient(desks.app);
});
afterAll(() => desks.close());

/** Makes a category and two products in it, whose slugs and SKUs end with the tag of the desk. */
async function shelf(tag: string) {
  const category = await staff.data('/categories', 'POST', {
    name: `Kitchen ${tag}`,
    slug: `kitchen-${tag}`,
  });
  const product = (name: string, fields: object = {}) =>
    staff.data('/products', 'POST', {
      title: `${name} ${tag}`,
      slug: `${name}-${tag}`,
      type: 'physical',
      tags: [`set-${tag}`],
      category_ids: [category.id],
      variants: [{ sku: `${name}-${tag}-1`, price_cents: 1900 }],
      ...fields,
    });
  return { category, mug: await product('mug'), bowl: await product('bowl', { variants: [] }) };
}

describe('products of the shop at both desks', () => {
  test('are listed by every filter, and shown by id, slug and SKU', () =>
    desks.same(async (desk) => {
      const { category, mug } = await shelf(desk.tag);
      for (const name of [mug.id, `mug-${desk.tag}`, `MUG-${desk.tag}-1`])
        expect(await desk.answer(['store', 'product', 'show', name])).toMatchObject({ id: mug.id });
      await desk.run(`store product show mug-${desk.tag}`);
      const found = async (filters: string) => {
        const line = `store product list ${filters}`;
        const { items } = await desk.answer<{ items: { slug: string }[] }>(line);
        return items.map(({ slug }) => slug.replace(`-${desk.tag}`, '')).toSorted();
      };
      for (const named of [category.id, `kitchen-${desk.tag}`, `/kitchen-${desk.tag}/`])
        expect(await found(`--category ${named}`)).toEqual(['bowl', 'mug']);
      expect(await found(`--tag set-${desk.tag} --status draft --type physical`)).toEqual(['bowl', 'mug']);
      expect(await found(`--q MUG-${desk.tag}`)).toEqual(['mug']);
      expect(await found(`--q ${desk.tag} --status archived`)).toEqual([]);
      await desk.run(`store product list --q ${desk.tag} --limit 1 --page 2`);
      await desk.run(`store product list --q ${desk.tag} --plain --fields slug,price_cents,tags`);
      await desk.run(`store product list --q nothing-${desk.tag}`);
    }));

  test('are published, archived and made drafts again', () =>
    desks.same(async (desk) => {
      await shelf(`shown-${desk.tag}`);
      const [slug, bare] = [`mug-shown-${desk.tag}`, `bowl-shown-${desk.tag}`];
      const set = (words: string) => `store product set-status ${words}`;
      expect(await desk.answer(set(`active ${slug} --dry-run`))).toMatchObject({
        status: 'active',
        dryRun: true,
      });
      expect(await desk.answer(`store product show ${slug}`)).toMatchObject({ status: 'draft', version: 1 });
      expect(await desk.answer(set(`active ${slug}`))).toMatchObject({ status: 'active', version: 2 });
      expect(await desk.failure(set(`archived ${slug}`))).toMatchObject({ exit: 10 });
      expect(await desk.answer(set(`archived ${slug} --yes`))).toMatchObject({ status: 'archived' });
      expect(await desk.failure(set(`active ${bare}`))).toMatchObject({ exit: 5 });
      const several = await desk.run([...set(`active ${slug} ${bare} nope`).split(' '), '--json']);
      expect(several.code).toBe(7);
      expect(JSON.parse(several.stdout)).toMatchObject({
        results: [
          { success: true, slug },
          { success: false },
          { success: false, error: { code: 'NOT_FOUND' } },
        ],
        summary: { total: 3, succeeded: 1, failed: 2 },
      });
      await desk.run(set(`draft ${slug}`));
    }));

  test('refusals', () =>
    desks.same(async (desk) => {
      expect(await desk.failure('store product show nope')).toMatchObject({ exit: 3, code: 'NOT_FOUND' });
      expect(await desk.failure('store product list --category nope')).toMatchObject({ exit: 3 });
      expect(await desk.failure('store product set-status gone mug')).toMatchObject({ exit: 2 });
      expect(await desk.failure('store product set-status active')).toMatchObject({ exit: 2 });
      for (const name of ['.', '..', '../categories', 'x'.repeat(300)])
        expect(await desk.failure(['store', 'product', 'show', name])).toMatchObject({ exit: 3 });
      expect(await desk.failure('store product list --limit 101')).toMatchObject({ exit: 2 });
    }));
});

describe('stock at both desks', () => {
  test('is shown by SKU and id, set to what was counted, and adjusted', () =>
    desks.same(async (desk) => {
      const tag = `stock-${desk.tag}`;
      const { mug } = await shelf(tag);
      const sku = `mug-${tag}-1`;
      const [variant] = mug.variants as { id: string }[];
      expect(await desk.answer(`store inventory show ${sku}`)).toMatchObject({
        sku,
        on_hand: 0,
        available: 0,
      });
      expect(await desk.answer(`store inventory set ${sku} 12 --dry-run`)).toMatchObject({
        on_hand: 12,
        dryRun: true,
      });
      expect(await desk.answer(`store inventory set ${sku} 12`)).toMatchObject({ on_hand: 12, reserved: 0 });
      const taken = ['store', 'inventory', 'adjust', sku.replace('mug', 'MUG'), '-2', '--reason', 'damaged'];
      expect(await desk.answer(taken)).toMatchObject({ on_hand: 10 });
      await desk.run(`store inventory adjust ${sku} 5 --reason received --note again`);
      expect(await desk.answer(`store inventory show ${variant?.id}`)).toMatchObject({ on_hand: 15 });
      await desk.run(`store inventory show ${sku}`);
      expect(await desk.failure(`store inventory show nothing-${tag}`)).toMatchObject({ exit: 3 });
      expect(await desk.failure(`store inventory set ${sku} many`)).toMatchObject({ exit: 2 });
      expect(await desk.failure(`store inventory adjust ${sku} -99`)).toMatchObject({ exit: 2 });
    }));
});

describe('with an API key of the store', () => {
  const withKey = async (scopes: readonly 'products:read'[] | readonly 'products:write'[], line: string) => {
    const { secret } = await create(desks.app.ctx, { name: 'sync', scopes });
    writeFileSync(join(desks.cwd, 'key'), secret);
    const words = [...line.split(' '), '--json', '--server', desks.app.url, '--api-key-file', 'key'];
    return runInside(words, { cwd: desks.cwd, env: { APPCTL_DATA_DIR: join(desks.cwd, 'none') } });
  };

  test('commands read and change what its scopes open, and no more', async () => {
    await shelf('keyed');
    expect((await withKey(['products:read'], 'store product list --q keyed')).code).toBe(0);
    const line = 'store product set-status active mug-keyed';
    const refused = await withKey(['products:read'], line);
    expect([refused.code, errorOf(refused).code]).toEqual([4, 'AUTH_FORBIDDEN']);
    const planned = await withKey(['products:write'], `${line} --dry-run`);
    expect(JSON.parse(planned.stdout)).toMatchObject({ status: 'active', dryRun: true });
    expect(await staff.data('/products/mug-keyed')).toMatchObject({ status: 'draft' });
    expect(JSON.parse((await withKey(['products:write'], line)).stdout)).toMatchObject({ status: 'active' });
  });

  test('commands of the license service refuse it', async () => {
    const refused = await withKey(['products:read'], 'product show nope');
    expect([refused.code, errorOf(refused).message]).toEqual([2, expect.stringContaining('API key')]);
  });
});
