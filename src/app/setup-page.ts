import { z } from 'zod';
import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { generateSeed, signingKeyOf } from '#kernel/ed25519.ts';
import { text } from '#kernel/http/fields.ts';
import { goTo, type Page, page, show } from '#kernel/http/page.ts';
import { fail } from '#kernel/service/errors.ts';
import { later } from '#kernel/sharing.ts';
import * as keys from '#licensing/catalog/keys/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { sudoFirst } from '#platform/accounts/index.ts';
import { checks } from './capabilities.ts';

const PATH = '/admin/setup/next';
/** Who makes signing keys, here as everywhere. */
const SIGNING = 'licensing:secrets';

/**
 * What follows the owner in the setup in a browser: the first product, with a key that signs its releases. It stays
 * open to whoever may make products, and shows what there is.
 *
 * @param hasLicensing the license service is served
 */
export const setupNextPage = (hasLicensing: boolean): Page =>
  page({
    path: PATH,
    title: 'Set up',
    audience: { staff: 'licensing:write' },
    form: later(() =>
      z.object({
        name: text({ min: 1, max: 255, trim: true }),
        slug: text({ min: 1, max: 63, trim: true }).meta({ title: 'Short name' }),
        signingKey: z.literal('true').optional(),
      }),
    ),
    async show(ctx) {
      const product = hasLicensing ? await firstProduct(ctx) : null;
      const publicKeys = product ? await keys.list(ctx, { product: product.slug, page: 1, limit: 10 }) : null;
      const shown = publicKeys?.items.map(({ publicKey }) => publicKey) ?? [];
      const mayHaveKey = allows(ctx.actor, SIGNING);
      const launch = checks.flatMap((check) => check.launch ?? []);
      return show('platform/setup-next', { hasLicensing, product, keys: shown, mayHaveKey, launch });
    },
    async submit(ctx, { form, visitor }) {
      const { name, slug } = form;
      if (form.signingKey) {
        requireSigning(ctx);
        const first = sudoFirst(ctx, visitor, PATH);
        if (first) return first;
      }
      await ctx.tx(async (ctx) => {
        const product = await products.create(ctx, { name, slug });
        if (form.signingKey) await keepKey(ctx, product);
      });
      return goTo(PATH);
    },
  });

function requireSigning({ actor }: Ctx): void {
  if (allows(actor, SIGNING)) return;
  throw fail('INSUFFICIENT_SCOPE', `Creating a signing key needs the permission ${SIGNING}`);
}

async function firstProduct(ctx: Ctx): Promise<products.Product | null> {
  const { items } = await products.list(ctx, { page: 1, limit: 1 });
  return items[0] ?? null;
}

/** The private part stays on the server, sealed: a browser is no place to keep it. */
async function keepKey(ctx: Ctx, product: products.Product): Promise<void> {
  const seed = generateSeed();
  const { publicKey } = signingKeyOf(seed);
  await keys.register(ctx, product, { publicKey, seed, label: null });
}
