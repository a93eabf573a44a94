import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { optional, text } from '#kernel/http/fields.ts';
import { wholeInRehearsal } from '#kernel/rehearse.ts';
import { later } from '#kernel/sharing.ts';
import { fail } from '#licensing/contract/errors.ts';
import { type Action, adminResource, answering } from '#platform/admin/index.ts';
import * as products from '../products/index.ts';
import { viewOf } from './online/view.ts';
import { type OnlineKeyListed, onlineKeyRows, signingKeyRows } from './queries.ts';
import { rowOf } from './release/product-keys.ts';
import { findKey } from './release/registered-key.ts';
import { find } from './release/registry.ts';
import type { SigningKeyRow } from './release/repository.ts';
import { activate, bridgesTo, retire, type Succession } from './release/succession.ts';
import { onlineKeyScreen, signingKeyScreen } from './screen.ts';
import {
  KeyBridgesView,
  ListedOnlineKeyView,
  RegisteredKeyView,
  registeredKeyViews,
  SuccessionView,
  signingKeyView,
} from './view.ts';

/** Id or slug of the product, when several have the key. */
const ProductNamed = later(() => z.strictObject({ product: optional(text({ min: 1, max: 63 })) }));
const RetireBody = later(() => ProductNamed.meta({ id: 'KeyRetireBody' }));
const ActivateBody = later(() =>
  ProductNamed.extend({ strandOldClients: optional(z.boolean()) }).meta({
    id: 'KeyActivateBody',
  }),
);

type Chosen = z.output<typeof ActivateBody>;

/** @throws AppError NOT_FOUND, VALIDATION_ERROR when several products have the key and none is named */
async function ownerOf(ctx: Ctx, keyId: string, { product }: Chosen): Promise<string> {
  const named = product === undefined ? null : (await products.get(ctx, product)).id;
  const { product: slug } = await find(ctx, keyId, named);
  return named ?? (await products.get(ctx, slug)).id;
}

/** @param from statuses of keys that it is offered for */
const succeeding = (
  label: string,
  summary: string,
  from: readonly SigningKeyRow['status'][],
  input: typeof ActivateBody | typeof RetireBody,
  change: (ctx: Ctx, keyId: string, productId: string, chosen: Chosen) => Promise<Succession>,
): Action<SigningKeyRow> =>
  answering<SigningKeyRow, typeof SuccessionView, typeof ActivateBody>({
    label,
    summary,
    needs: 'licensing:secrets',
    level: 'moderate',
    where: 'row',
    sudo: true,
    when: ({ status }) => from.includes(status),
    input: input as typeof ActivateBody,
    output: SuccessionView,
    async run(ctx, keyId, chosen) {
      const productId = await ownerOf(ctx, keyId, chosen);
      return wholeInRehearsal(ctx, async (ctx) => {
        const { changed, retired, delegation } = await change(ctx, keyId, productId, chosen);
        const key = signingKeyView(await rowOf(ctx, productId, keyId));
        return { key, changed, retired, delegation };
      });
    },
  });

/** Release keys of all products, for staff; those of one product are below it (licensing 4.2, Signing keys). */
export const signingKeyResource = adminResource<SigningKeyRow>({
  name: 'signing-keys',
  labels: { one: 'signing key', many: 'signing keys' },
  about: 'Keys that sign releases, of all products',
  needs: { read: 'licensing:read' },
  screen: signingKeyScreen,
  rows: signingKeyRows,
  get: (ctx, keyId) => findKey(ctx, keyId),
  actions: {
    bridges: answering({
      label: 'Bridges',
      summary: 'Show which bridging releases move clients to a NEXT key, and which clients are left behind',
      needs: 'licensing:read',
      level: 'mild',
      where: 'row',
      method: 'get',
      query: ProductNamed,
      output: KeyBridgesView,
      async run(ctx, keyId, chosen) {
        const productId = await ownerOf(ctx, keyId, chosen);
        const key = signingKeyView(await rowOf(ctx, productId, keyId));
        const leading = await bridgesTo(ctx, keyId, productId);
        if (leading === null) return { key, oldKeyId: null, releases: [], stranded: [] };
        const releases = leading.bridges.releases.map(({ version, channel, platform, arch }) => ({
          version,
          channel,
          platform,
          arch,
        }));
        return { key, oldKeyId: leading.oldKeyId, releases, stranded: [...leading.bridges.stranded] };
      },
    }),
    activate: succeeding(
      'Activate',
      'Activate a NEXT key and retire the current one; give the product if several have the key',
      ['NEXT'],
      ActivateBody,
      (ctx, keyId, productId, { strandOldClients = false }) =>
        activate(ctx, keyId, productId, { strandOldClients }),
    ),
    retire: succeeding(
      'Retire',
      'Retire a key; give the product if several have the key',
      ['NEXT', 'ACTIVE'],
      RetireBody,
      (ctx, keyId, productId) => retire(ctx, keyId, productId),
    ),
  },
  apis: [
    {
      surface: 'license-admin',
      path: '/signing-keys',
      item: 'key',
      key: 'keyId',
      view: RegisteredKeyView,
      toViews: registeredKeyViews,
      without: ['bulk'],
    },
  ],
});

/** Online keys of all products, for staff. */
export const onlineKeyResource = adminResource<OnlineKeyListed>({
  name: 'online-keys',
  labels: { one: 'online key', many: 'online keys' },
  about: 'Keys on the server that sign offline tokens and answers',
  needs: { read: 'licensing:read' },
  screen: onlineKeyScreen,
  rows: onlineKeyRows,
  async get(ctx, keyId) {
    const filters = { keyId };
    const { items } = await onlineKeyRows.page(ctx, { filters, offset: 0, limit: 1 });
    if (items[0]) return items[0];
    throw fail('NOT_FOUND', `online key ${keyId} was not found`, {
      details: { keyId, hint: 'appctl keys online list' },
    });
  },
  apis: [
    {
      surface: 'license-admin',
      path: '/online-keys',
      item: 'onlineKey',
      key: 'keyId',
      view: ListedOnlineKeyView,
      toView: (row, ctx) => ({ id: row.id, ...viewOf(row, row.roots, ctx.now()) }),
    },
  ],
});
