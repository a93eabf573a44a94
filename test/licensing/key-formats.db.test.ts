import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import * as keyFormats from '#licensing/catalog/key-formats/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { openTestContext, type TestContext } from '../support/context.ts';
import { codeOf, faultsOf, refusalOf } from '../support/refusal.ts';

let t: TestContext;
beforeAll(async () => {
  t = await openTestContext();
});
afterAll(() => t.close());

let made = 0;
const make = (more: Partial<keyFormats.KeyFormatCreateInput> = {}): Promise<keyFormats.StoredKeyFormat> => {
  made += 1;
  t.clock.advance(1);
  return keyFormats.create(t.ctx, { name: `Format ${made}`, prefix: 'EDIT', segments: 5, ...more });
};
const makeDefault = (ctx: Ctx, id: string | null): Promise<void> =>
  t.database.transaction(async ({ knex }) => {
    await knex('license_tenants').where({ id: ctx.tenantId }).update({ default_key_format_id: id });
  });

describe('create', () => {
  it('fills the defaults and tells the timeline', async () => {
    const format = await make({ name: 'plain' });
    expect(format).toEqual({
      id: expect.stringMatching(/^fmt_[0-9A-Z]{26}$/),
      tenantId: t.ctx.tenantId,
      name: 'plain',
      prefix: 'EDIT',
      segments: 5,
      segmentLength: 4,
      alphabet: 'CROCKFORD32',
      checksum: 'NONE',
      createdAt: t.ctx.now(),
      updatedAt: t.ctx.now(),
    });
    expect(await keyFormats.get(t.ctx, 'plain')).toEqual(format);
    expect(await keyFormats.get(t.ctx, format.id)).toEqual(format);
    expect(await t.eventsOf(format.id)).toEqual([{ type: 'KEY_FORMAT_CREATED', data: { name: 'plain' } }]);
  });

  it.each([
    [{ name: '' }, 'name'],
    [{ prefix: 'x' }, 'prefix'],
    [{ prefix: 'APP-' }, 'prefix'],
    [{ segments: 3 }, 'segments'],
    [{ segmentLength: 5 }, 'segmentLength'],
    [{ alphabet: 'BASE64' }, 'alphabet'],
    [{ alphabet: 'HEX', segments: 4, checksum: 'LUHN' }, 'segments'],
    [{ colour: 'red' }, ''],
  ])('refuses %j', async (wrong, path) => {
    const input = { name: 'wrong', prefix: 'EDIT', segments: 5, ...wrong } as keyFormats.KeyFormatCreateInput;
    expect(await faultsOf(keyFormats.create(t.ctx, input))).toEqual([path]);
    expect(await keyFormats.find(t.ctx, 'wrong')).toBeNull();
  });

  it('gives a name to one of two that ask at once', async () => {
    const outcomes = await Promise.allSettled([make({ name: 'twice' }), make({ name: 'twice' })]);
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused).toHaveLength(1);
    const error = await refusalOf(Promise.reject(refused[0]?.reason));
    expect([error.code, error.details.hint]).toEqual(['CONFLICT', 'appctl keyformat show twice']);
  });

  it('keeps tenants apart', async () => {
    const format = await make({ name: 'ours' });
    const other = await t.otherTenant();
    await keyFormats.create(other, { name: 'ours', prefix: 'THEIR', segments: 4 });
    expect(await codeOf(keyFormats.get(other, format.id))).toBe('NOT_FOUND');
    expect(await codeOf(keyFormats.update(other, format.id, { segments: 6 }))).toBe('NOT_FOUND');
    expect(await codeOf(keyFormats.remove(other, format.id))).toBe('NOT_FOUND');
    expect((await keyFormats.list(other, { page: 1, limit: 50 })).items.map((one) => one.prefix)).toEqual([
      'THEIR',
    ]);
  });
});

describe('update', () => {
  it('changes what is sent', async () => {
    const format = await make();
    t.clock.advance(60);
    const after = await keyFormats.update(t.ctx, format.name, { prefix: 'NEW', checksum: 'LUHN' });
    expect(after).toEqual({ ...format, prefix: 'NEW', checksum: 'LUHN', updatedAt: t.ctx.now() });
    expect(await keyFormats.get(t.ctx, format.id)).toEqual(after);
    expect(await keyFormats.update(t.ctx, format.id, { prefix: 'NEW', alphabet: undefined })).toEqual(after);
    expect(await t.eventsOf(format.id)).toHaveLength(2);
  });

  it('loses no change of two at once', async () => {
    const format = await make();
    await Promise.all([
      keyFormats.update(t.ctx, format.id, { prefix: 'BOTH' }),
      keyFormats.update(t.ctx, format.id, { segments: 8 }),
    ]);
    expect(await keyFormats.get(t.ctx, format.id)).toMatchObject({ prefix: 'BOTH', segments: 8 });
  });

  it('refuses a format that is too weak after the merge, a taken name and unknown fields', async () => {
    const [taken, format] = [await make(), await make({ segments: 4 })];
    const weak = { alphabet: 'HEX', checksum: 'LUHN' } as const;
    expect(await faultsOf(keyFormats.update(t.ctx, format.id, weak))).toEqual(['segments']);
    expect(await codeOf(keyFormats.update(t.ctx, format.id, { name: taken.name }))).toBe('CONFLICT');
    const unknown = { id: 'fmt_other' } as unknown as keyFormats.KeyFormatUpdateInput;
    expect(await faultsOf(keyFormats.update(t.ctx, format.id, unknown))).toEqual(['']);
    expect(await keyFormats.get(t.ctx, format.id)).toEqual(format);
    expect(await codeOf(keyFormats.update(t.ctx, 'nowhere', {}))).toBe('NOT_FOUND');
  });
});

describe('formatOf', () => {
  it("is the product's, else the tenant's, else the built-in one", async () => {
    const other = await t.otherTenant();
    expect(await keyFormats.formatOf(other, { keyFormatId: null })).toEqual(keyFormats.DEFAULT_KEY_FORMAT);
    const tenants = await keyFormats.create(other, { name: 'tenants', prefix: 'TEN', segments: 5 });
    const own = await keyFormats.create(other, { name: 'own', prefix: 'OWN', segments: 6, alphabet: 'HEX' });
    expect(await keyFormats.formatOf(other, { keyFormatId: own.id })).toEqual({
      prefix: 'OWN',
      segments: 6,
      segmentLength: 4,
      alphabet: 'HEX',
      checksum: 'NONE',
    });
    await makeDefault(other, tenants.id);
    expect((await keyFormats.formatOf(other, { keyFormatId: null })).prefix).toBe('TEN');
    expect((await keyFormats.formatOf(other, { keyFormatId: own.id })).prefix).toBe('OWN');
    expect(await keyFormats.formatOf(t.ctx, { keyFormatId: null })).toEqual(keyFormats.DEFAULT_KEY_FORMAT);
  });

  it('never takes a format of another tenant', async () => {
    const [format, other] = [await make(), await t.otherTenant()];
    expect(await keyFormats.formatOf(other, { keyFormatId: format.id })).toEqual(
      keyFormats.DEFAULT_KEY_FORMAT,
    );
  });
});

describe('remove', () => {
  it('deletes a format that nothing names', async () => {
    const format = await make();
    await keyFormats.remove(t.ctx, format.name);
    expect(await keyFormats.find(t.ctx, format.id)).toBeNull();
    expect(await codeOf(keyFormats.remove(t.ctx, format.id))).toBe('NOT_FOUND');
  });

  it('refuses while a product or its tenant names it', async () => {
    const format = await make();
    const product = await products.create(t.ctx, {
      name: 'Editor',
      slug: 'editor',
      keyFormatId: format.name,
    });
    const error = await refusalOf(keyFormats.remove(t.ctx, format.id));
    expect([error.code, error.status, error.details.reason]).toEqual(['CONFLICT', 409, 'IN_USE']);
    await products.update(t.ctx, product.id, { keyFormatId: null });
    await makeDefault(t.ctx, format.id);
    expect(await codeOf(keyFormats.remove(t.ctx, format.id))).toBe('CONFLICT');
    await makeDefault(t.ctx, null);
    await keyFormats.remove(t.ctx, format.id);
    expect(await keyFormats.find(t.ctx, format.id)).toBeNull();
  });
});

describe('preview', () => {
  it('shows samples, bits and length', () => {
    const { samples, entropyBits, length } = keyFormats.preview({
      prefix: 'EDIT',
      segments: 5,
      alphabet: 'ALNUM36',
    });
    expect([entropyBits, length]).toEqual([103, 29]);
    expect(new Set(samples).size).toBe(5);
    for (const sample of samples) expect(sample).toMatch(/^EDIT(-[0-9A-Z]{4}){5}$/);
  });

  it('refuses a name, a weak format and a wrong prefix', async () => {
    const preview = async (input: unknown) =>
      keyFormats.preview(input as { prefix: string; segments: number });
    expect(await faultsOf(preview({ prefix: 'EDIT', segments: 5, name: 'x' }))).toEqual(['']);
    expect(
      await faultsOf(preview({ prefix: 'EDIT', segments: 4, alphabet: 'HEX', checksum: 'LUHN' })),
    ).toEqual(['segments']);
    expect(await faultsOf(preview({ prefix: 'e', segments: 4 }))).toEqual(['prefix']);
    expect(await faultsOf(preview(null))).toEqual(['']);
  });
});
