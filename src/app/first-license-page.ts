import { z } from 'zod';
import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { email } from '#kernel/http/fields.ts';
import { goTo, type Page, page, type Shown, show } from '#kernel/http/page.ts';
import { fail } from '#kernel/service/errors.ts';
import { later } from '#kernel/sharing.ts';
import * as products from '#licensing/catalog/products/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { sudoFirst } from '#platform/accounts/index.ts';
import * as apiKeys from '#platform/api-keys/index.ts';
import { PANEL } from '#platform/panel/index.ts';

const PATH = '/admin/setup/first-license';
export const FIRST_LICENSE = PATH;

/**
 * The end of the setup in a browser: an API key and a license of the first product, each shown this once, with a call
 * to copy; the page sees it arrive.
 */
export const firstLicensePage: Page = page({
  path: PATH,
  title: 'Your first license',
  audience: { staff: 'licensing:secrets' },
  layout: PANEL,
  help: 'sell-licenses',
  fragments: { 'first-call': 'platform/first-call' },
  query: later(() => z.object({ license: z.string().max(40).optional() })),
  form: z.object({ customerEmail: email().meta({ title: 'Email address' }) }),
  async show(ctx, { visitor, query }) {
    requireMinting(ctx);
    if (query.license !== undefined)
      return show('platform/first-call-page', await callOf(ctx, query.license));
    const product = await firstProduct(ctx);
    if (!product) return goTo('/admin/setup/next');
    const first = sudoFirst(ctx, visitor, PATH);
    return (
      first ?? show('platform/first-license', { product }, { values: { customerEmail: visitor.actor.label } })
    );
  },
  async submit(ctx, { visitor, form }) {
    requireMinting(ctx);
    const product = await firstProduct(ctx);
    if (!product) return goTo('/admin/setup/next');
    return sudoFirst(ctx, visitor, PATH) ?? makeBoth(ctx, product, form.customerEmail);
  },
});

/** The audience may make the API key; the license needs a right that does not follow from it. */
function requireMinting({ actor }: Ctx): void {
  if (allows(actor, 'licensing:write')) return;
  throw fail('INSUFFICIENT_SCOPE', 'Creating a license needs the permission licensing:write');
}

async function makeBoth(ctx: Ctx, product: products.Product, customerEmail: string): Promise<Shown> {
  const made = await ctx.tx(async (ctx) => {
    const { secret } = await apiKeys.create(ctx, {
      service: 'license',
      name: 'first application',
      scope: 'VALIDATE_ONLY',
      scopes: ['VALIDATE_ONLY'],
    });
    const { license, fields } = await licenses.createByStaff(ctx, { productId: product.id, customerEmail });
    return { apiKey: secret, license, key: fields.key };
  });
  const call = await callOf(ctx, made.license.id);
  return show('platform/first-call-page', { ...call, apiKey: made.apiKey, key: made.key });
}

/** Whether an application has activated the license. */
async function callOf(ctx: Ctx, licenseId: string): Promise<Record<string, unknown>> {
  const license = await licenses.get(ctx, licenseId);
  const [activation] = await licenses.listActivations(ctx, license.id);
  return {
    license: license.id,
    baseUrl: ctx.baseUrl,
    activation: activation ?? null,
    path: PATH,
    apiKey: null,
    key: null,
  };
}

async function firstProduct(ctx: Ctx): Promise<products.Product | null> {
  const { items } = await products.list(ctx, { page: 1, limit: 1 });
  return items[0] ?? null;
}
