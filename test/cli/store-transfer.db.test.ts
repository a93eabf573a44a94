// Whole products as files: exported, imported into an empty installation, and exported again; bad lines and pictures.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '#kernel/clock.ts';
import { createClass as createShippingClass } from '#storefront/pricing/shipping/index.ts';
import { storeClient } from '../storefront/store-client.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type BothDesks, openBothDesks } from '../support/both-desks.ts';
import { runInside } from '../support/cli-inside.ts';

const picture = (background: string) =>
  sharp({ create: { width: 40, height: 40, channels: 3, background } })
    .png()
    .toBuffer();

let desks: BothDesks;
let empty: TestApp;
let staff: Awaited<ReturnType<typeof storeClient>>;
beforeAll(async () => {
  desks = await openBothDesks();
  // Products keep the order in which they were made: the time must go on.
  empty = await startApp({ clock: systemClock });
  staff = await storeClient(desks.app);
  const { secret } = await empty.adminToken('owner', { isInstanceWide: true });
  writeFileSync(join(desks.cwd, 'empty-token'), secret);
  await fill();
});
afterAll(async () => {
  await desks.close();
  await empty.close();
});

/** A shop with everything that a line can say. */
async function fill(): Promise<void> {
  const outdoor = await staff.data('/categories', 'POST', {
    name: 'Outdoor',
    slug: 'outdoor',
    seo_title: 'Out',
  });
  const tents = await staff.data('/categories', 'POST', {
    name: 'Tents',
    slug: 'tents',
    parent_id: outdoor.id,
  });
  const picks = await staff.data('/collections', 'POST', { title: 'Picks', slug: 'picks', kind: 'manual' });
  const rules = [{ field: 'category', op: 'is', value: 'tents' }];
  await staff.data('/collections', 'POST', {
    title: 'In tents',
    slug: 'in-tents',
    kind: 'rule',
    sort: 'newest',
    rules,
  });
  // Classes are of the shop: the other one has its own, of these names.
  const bulky = { name: 'Bulky', handlingCents: 500 };
  const { id: shippingClass } = await createShippingClass(desks.app.ctx, bulky);
  await createShippingClass(empty.ctx, bulky);
  const { body } = await staff.send('/tax/classes?q=reduced');
  const [reduced] = body.data as unknown as { id: string }[];
  const tent = await staff.data('/products', 'POST', {
    tax_class_id: reduced?.id,
    title: 'Dome <tent>',
    slug: 'dome',
    type: 'physical',
    status: 'active',
    brand: 'Northfell',
    description_html: '<p>Dry.</p><script>alert(1)</script>',
    short_description: '=SUM(A1)',
    tags: ['two', 'Three season'],
    seo_title: 'Tent',
    max_quantity: 3,
    category_ids: [tents.id],
    collection_ids: [picks.id],
    options: [
      { name: 'Color', values: ['Moss', 'Rust'] },
      { name: 'Size', values: ['2', '3'] },
    ],
    variants: ['Moss', 'Rust'].flatMap((color) =>
      ['2', '3'].map((size) => ({
        sku: `DOME-${color}-${size}`,
        price_cents: 30_000 + Number(size),
        compare_at_cents: 40_000,
        barcode: size === '2' ? '4006381333931' : null,
        weight_g: 2000,
        shipping_class_id: shippingClass,
        stock: color === 'Rust' ? 4 : 0,
        is_default: color === 'Rust' && size === '2',
        option_values: { Color: color, Size: size },
      })),
    ),
  });
  const { options, variants } = (await staff.data(`/products/${tent.id}`)) as unknown as Product;
  const [moss] = options[0]?.values ?? [];
  await staff.data(`/option-values/${moss?.id}`, 'PATCH', { swatch_hex: '#5e7d4a' });
  const mediaIds: string[] = [];
  for (const color of ['green', 'brown']) {
    mediaIds.push(await sendPicture(`${color}.png`, await picture(color)));
  }
  await staff.data(`/products/${tent.id}/media`, 'POST', { media_ids: mediaIds });
  const items = [{ media_id: mediaIds[1], alt: 'from the side', variant_id: variants[3]?.id }];
  await staff.data(`/products/${tent.id}/media`, 'PATCH', { items });
  const swatch = await sendPicture('rust.png', await picture('red'));
  await staff.data(`/option-values/${options[0]?.values[1]?.id}`, 'PATCH', { media_id: swatch });
  const cover = await sendPicture('outdoor.png', await picture('blue'));
  await staff.data(`/categories/${outdoor.id}`, 'PATCH', { media_id: cover });
  await staff.data(`/collections/${picks.id}`, 'PATCH', { media_id: cover });
  const places = { category_ids: [tents.id], collection_ids: [picks.id] };
  const draft = await staff.data('/products', 'POST', {
    ...{ title: 'Draft', slug: 'draft', type: 'digital' },
    ...places,
  });
  // The one that was made last comes first, and what is beside the first one is made after it.
  const product_ids = [draft.id, tent.id];
  await staff.data(`/categories/${tents.id}/products`, 'PUT', { product_ids });
  await staff.data(`/collections/${picks.id}/products`, 'PUT', { product_ids });
  for (const [one, other] of [
    [tent, draft],
    [draft, tent],
  ] as const)
    await staff.data(`/products/${one.id}/related`, 'PUT', {
      items: ['upsell', 'related'].map((kind) => ({ product_id: other.id, kind })),
    });
}

interface Product {
  id: string;
  version: number;
  options: { id: string; values: { id: string }[] }[];
  variants: { id: string; sku: string }[];
}

async function sendPicture(name: string, bytes: Buffer): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(bytes)]), name);
  const { secret } = await desks.app.adminToken('owner', { isInstanceWide: true });
  const reply = await fetch(`${desks.app.url}/api/store/media`, {
    method: 'POST',
    body: form,
    headers: { Authorization: `Bearer ${secret}` },
  });
  const { data } = (await reply.json()) as { data: { id: string } };
  return data.id;
}

const linesOf = (name: string) => readFileSync(join(desks.cwd, name), 'utf8').trim().split('\n');

/** A command on the empty installation. */
const there = (line: string) =>
  runInside([...line.split(' '), '--server', empty.url, '--api-key-file', 'empty-token'], {
    cwd: desks.cwd,
    env: { APPCTL_DATA_DIR: join(desks.cwd, 'none') },
  });

describe('a file of products', () => {
  test('goes through an empty installation unchanged, with its pictures', async () => {
    await desks.atEach(async (desk) => {
      const file = `all-${desk.tag}.jsonl`;
      const written = await desk.answer(`store product export --out ${file} --media pictures-${desk.tag}`);
      expect(written).toMatchObject({ rows: { products: 2, categories: 2, collections: 2 }, pictures: 4 });
      expect(readdirSync(join(desks.cwd, `pictures-${desk.tag}`))).toHaveLength(4);
    });
    expect(linesOf('all-desk1.jsonl')).toEqual(linesOf('all-desk2.jsonl'));
    const [first = '', , , , dome = '', , ...links] = linesOf('all-desk1.jsonl');
    expect(JSON.parse(first)).toMatchObject({
      kind: 'category',
      slug: 'outdoor',
      picture: { file_name: 'outdoor.png' },
    });
    const picks = linesOf('all-desk1.jsonl').map((line) => JSON.parse(line));
    expect(picks.find(({ slug, kind }) => kind === 'collection' && slug === 'picks')).toMatchObject({
      picture: { file_name: 'outdoor.png' },
    });
    const both = (slug: string) => ['upsell', 'related'].map((as) => ({ slug, as }));
    const order = { from: 0, products: ['draft', 'dome'] };
    expect(links.map((line) => JSON.parse(line))).toEqual([
      { kind: 'relations', slug: 'dome', items: both('draft') },
      { kind: 'relations', slug: 'draft', items: both('dome') },
      { kind: 'order', of: 'category', slug: 'tents', ...order },
      { kind: 'order', of: 'collection', slug: 'picks', ...order },
    ]);
    expect(JSON.parse(dome)).toMatchObject({
      slug: 'dome',
      description_html: '<p>Dry.</p>',
      categories: ['tents'],
      collections: ['picks'],
      options: [{ values: [{ picture: null }, { picture: { file_name: 'rust.png' } }] }, {}],
      pictures: [{ sku: null }, { alt: 'from the side', sku: 'DOME-Rust-3' }],
      variants: [{ stock: { on_hand: 0 } }, {}, { stock: { on_hand: 4, track_inventory: true } }, {}],
    });
    const line = 'store product import all-desk1.jsonl --media pictures-desk1 --json';
    const planned = await there(`${line} --dry-run`);
    expect(JSON.parse(planned.stdout)).toMatchObject({
      ...{ created: 6, updated: 4, failed: 0, warnings: [], pictures: 4, dryRun: true },
    });
    expect(await (await storeClient(empty)).data('/products')).toEqual([]);
    const made = await there(line);
    expect([made.code, JSON.parse(made.stdout)]).toEqual([
      0,
      expect.objectContaining({ created: 6, updated: 4, failed: 0, warnings: [], pictures: 4 }),
    ]);
    expect(JSON.parse((await there(line)).stdout)).toMatchObject({ unchanged: 10, created: 0, updated: 0 });
    await there('store product export --out again.jsonl --media again');
    expect(linesOf('again.jsonl')).toEqual(linesOf('all-desk1.jsonl'));
  });

  test('is narrowed by the filters of the list, with the places that its products stand in', () =>
    desks.same(async (desk) => {
      const { stdout } = await desk.run('store product export --category outdoor');
      const kinds = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).slug);
      expect(kinds).toEqual(['outdoor', 'tents', 'picks', 'dome', 'draft', 'dome', 'draft']);
      expect((await desk.run('store product export --status archived')).stdout).toBe('');
      expect(await desk.failure('store product export --category nope')).toMatchObject({ exit: 3 });
    }));
});

interface Said {
  line: number;
  message: string;
}

describe('an import', () => {
  const write = (name: string, ...lines: (object | string)[]) => {
    const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
    writeFileSync(join(desks.cwd, name), texts.join('\n'));
  };

  test('changes what a line says, finds products by SKU, and replaces options and variants', () =>
    desks.same(async (desk) => {
      const slug = `lamp-${desk.tag}`;
      const lamp = (fields: object) => ({
        kind: 'product',
        slug,
        title: 'Lamp',
        type: 'physical',
        ...fields,
      });
      const [one, two] = [`L1-${desk.tag}`, `L2-${desk.tag}`];
      write('lamp', lamp({ brand: 'Ostra', variants: [{ sku: one, price_cents: 100, cost_cents: 40 }] }));
      expect(await desk.answer('store product import lamp')).toMatchObject({ created: 1 });
      write('lamp', lamp({ title: 'Lamp 2' }));
      expect(await desk.answer('store product import lamp --dry-run')).toMatchObject({ updated: 1 });
      expect(await desk.answer('store product import lamp')).toMatchObject({ updated: 1 });
      expect(await desk.answer('store product import lamp')).toMatchObject({ unchanged: 1 });
      const options = [
        { name: 'Color', values: [{ value: 'Red', swatch_hex: '#ff0000' }, { value: 'Blue' }] },
      ];
      const variants = [
        { sku: two, price_cents: 300, option_values: { Color: 'Blue' }, is_default: true },
        { sku: one.toLowerCase(), price_cents: 200, option_values: { Color: 'Red' } },
      ];
      // By the SKU of a variant, since no product has that slug: it gets the new one.
      write('lamp', { ...lamp({ options, variants }), slug: `${slug}-2` });
      expect(await desk.answer('store product import lamp')).toMatchObject({ updated: 1, failed: 0 });
      const after = await desk.answer(`store product show ${slug}-2`);
      expect(after).toMatchObject({
        brand: 'Ostra',
        options: [{ name: 'Color', values: [{ swatch_hex: '#ff0000' }, { value: 'Blue' }] }],
        variants: [
          { title: 'Blue', is_default: true },
          { title: 'Red', price_cents: 200, cost_cents: 40 },
        ],
      });
      write('lamp', lamp({ slug: `${slug}-2`, options: [], variants: [{ sku: two, price_cents: 300 }] }));
      expect(await desk.answer('store product import lamp')).toMatchObject({ updated: 1, failed: 0 });
      expect(await desk.answer(`store product show ${two}`)).toMatchObject({
        options: [],
        variants: [{ sku: two }],
      });
    }));

  test('says of each bad line what is wrong, and takes the others', () =>
    desks.same(async (desk) => {
      const good = { kind: 'product', slug: `good-${desk.tag}`, title: 'Good', type: 'physical' };
      write(
        'mixed',
        'no json',
        '[1]',
        { ...good, kind: 'prodct' },
        { ...good, titel: 'x' },
        { ...good, slug: 'Not A Slug' },
        { ...good, categories: ['nowhere'] },
        { ...good, slug: `p-${desk.tag}`, pictures: [{ sha256: 'a'.repeat(64), file_name: 'p.png' }] },
        { kind: 'category', slug: `c-${desk.tag}`, name: 'C', parent: 'nowhere' },
        { kind: 'collection', slug: 'picks', title: 'Picks', filled: 'rule' },
        {
          ...good,
          slug: `twice-${desk.tag}`,
          variants: [
            { sku: 'X', price_cents: 1 },
            { sku: 'x', price_cents: 1 },
          ],
        },
        `{"kind":"product","title":"${'long'.repeat(80_000)}"}`,
        '',
        good,
        { ...good, tax_class: 'nowhere' },
        { ...good, variants: [{ sku: 'X', price_cents: 1, shipping_class: 'Huge' }] },
      );
      const { code, stdout } = await desk.run(['store', 'product', 'import', 'mixed', '--json']);
      const report = JSON.parse(stdout);
      expect([code, report.created, report.failed]).toEqual([7, 1, 13]);
      const said = Object.fromEntries(
        report.errors.map((one: { line: number; message: string }) => [one.line, one.message]),
      );
      expect(said).toMatchObject({
        1: expect.stringContaining('not a JSON object'),
        3: expect.stringContaining('kind: must be one of product, category, collection, relations, order'),
        4: expect.stringContaining('titel'),
        5: expect.stringContaining('slug'),
        6: expect.stringContaining('category nowhere does not exist'),
        7: expect.stringContaining('--media'),
        9: expect.stringContaining('is filled by hand'),
        10: expect.stringContaining('the variant X already'),
        11: expect.stringContaining('more than 300000 characters'),
        14: expect.stringContaining('tax_class: tax class nowhere does not exist; create it first'),
        15: expect.stringContaining('variants.0.shipping_class: shipping class Huge does not exist'),
      });
      await desk.run('store product import mixed');
    }));

  test('stops at the first bad line with --strict, and leaves pictures alone when it is told to', () =>
    desks.same(async (desk) => {
      const line = (slug: string) => ({
        kind: 'product',
        slug: `${slug}-${desk.tag}`,
        title: slug,
        type: 'physical',
      });
      write('strict', line('before'), { ...line('bad'), type: 'thing' }, line('behind'));
      const { code, stdout } = await desk.run('store product import strict --strict --json');
      expect([code, JSON.parse(stdout)]).toEqual([7, expect.objectContaining({ lines: 2, created: 1 })]);
      expect(await desk.failure(`store product show behind-${desk.tag}`)).toMatchObject({ exit: 3 });
      write('bare', { ...line('bare'), pictures: [{ sha256: 'b'.repeat(64) }] });
      expect(await desk.answer('store product import bare --without-pictures')).toMatchObject({ created: 1 });
    }));

  test('leaves out of relations and orders what does not exist, and says so', () =>
    desks.atEach(async (desk) => {
      const [one, two, cat] = [`one-${desk.tag}`, `two-${desk.tag}`, `cat-${desk.tag}`];
      const product = (slug: string) => ({ kind: 'product', slug, title: slug, type: 'physical' });
      write(
        'links',
        { kind: 'category', slug: cat, name: 'Cat' },
        { kind: 'relations', slug: one, items: [] },
        { ...product(one), categories: [cat] },
        { ...product(two), categories: [cat] },
        { kind: 'relations', slug: one, items: [two, 'gone'].map((slug) => ({ slug, as: 'related' })) },
        { kind: 'relations', slug: two, items: [{ slug: two, as: 'related' }] },
        { kind: 'order', of: 'category', slug: cat, products: [two, 'gone', one] },
        { kind: 'order', of: 'category', slug: 'nowhere', products: [two] },
      );
      const { code, stdout } = await desk.run('store product import links --json');
      const report = JSON.parse(stdout);
      expect([code, report.created, report.updated, report.failed]).toEqual([7, 3, 2, 3]);
      expect(report.errors.map(({ line, message }: Said) => [line, message])).toEqual([
        [2, expect.stringContaining(`product ${one} does not exist`)],
        [6, expect.stringContaining('a product cannot be related to itself')],
        [8, expect.stringContaining('category nowhere does not exist')],
      ]);
      expect(report.warnings.map(({ line, message }: Said) => [line, message])).toEqual([
        [5, 'product gone does not exist and was skipped'],
        [7, `product gone is not in the category ${cat} and was skipped`],
      ]);
      const again = await desk.run('store product import links');
      expect(again.stderr).toContain('warning: line 5: product gone does not exist and was skipped');
      const written = (await desk.run(`store product export --category ${cat}`)).stdout;
      expect(JSON.parse(written.trim().split('\n').at(-1) ?? '')).toEqual({
        ...{ kind: 'relations', slug: one },
        items: [{ slug: two, as: 'related' }],
      });
      const file = (await desk.run('store product export')).stdout.trim().split('\n');
      expect(file.filter((line) => line.includes(`"order","of":"category","slug":"${cat}"`))).toEqual([
        JSON.stringify({ kind: 'order', of: 'category', slug: cat, from: 0, products: [two, one] }),
      ]);
    }));

  test('refusals', () =>
    desks.same(async (desk) => {
      expect(await desk.failure('store product import nowhere.jsonl')).toMatchObject({ exit: 2 });
      mkdirSync(join(desks.cwd, 'folder'), { recursive: true });
      expect(await desk.failure('store product import folder')).toMatchObject({ exit: 2 });
      write('one', { kind: 'product', title: 'One', type: 'physical' });
      expect(await desk.failure('store product import one --media nowhere')).toMatchObject({ exit: 2 });
    }));
});
