/** Licenses that a customer has bought (storefront-api.md, G and M). */

import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { integer, oneOf, optional, queryInteger, text } from '#kernel/http/fields.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { later } from '#kernel/sharing.ts';
import { LICENSE_STATUSES, RELEASE_CHANNELS } from '#licensing/contract/enumerations.ts';
import { bounds } from '#licensing/contract/limits.ts';
import { machinesOf, releaseMachine } from '#licensing/licenses/machines/index.ts';
import { storeFail } from '#platform/store-answers/index.ts';
import { limits } from '#storefront/contract/limits.ts';
import { ShopPagination, shopPagination } from '#storefront/contract/pagination.ts';
import { orderOf } from '#storefront/orders/shopper-orders/index.ts';
import { customerIdOf } from '#storefront/people/customers/index.ts';
import { licensesOfOrder } from './delivered.ts';
import { type OwnLicense, ownLicense, ownLicenses, withCards } from './owned.ts';
import { linkToRelease, releasesOf } from './releases.ts';
import { renewInCart } from './renew.ts';
import { reveal } from './reveal.ts';
import { tokenFor } from './tokens.ts';
import {
  LicenseCardView,
  licenseCardView,
  OwnLicenseView,
  OwnMachineView,
  OwnReleaseView,
  ownLicenseView,
  ownMachineView,
  ownReleaseView,
} from './view.ts';

const PREFIX = '/api/shop/licenses';
const ONE = `${PREFIX}/{id}`;

const id = () => text({ min: 1, max: 40 });
const Params = later(() => z.object({ id: id() }));
const own = { customer: true, scope: null, limit: null, params: Params, errors: ['NOT_FOUND'] } as const;
const refusing = { ...own, errors: ['NOT_FOUND', 'VALIDATION_ERROR'] } as const;

const mine = (ctx: Ctx, params: { readonly id: string }): Promise<OwnLicense> =>
  ownLicense(ctx, customerIdOf(ctx), params.id);

/** The browser of the customer: a key is shown to nobody else. */
function browserOf(visitor: Visitor | null): Visitor {
  if (visitor) return visitor;
  throw storeFail('AUTH_UNAUTHORIZED', 'This only works in a browser session');
}

const reading: readonly Endpoint[] = [
  endpoint({
    customer: true,
    method: 'get',
    path: PREFIX,
    summary: 'List the licenses that the customer has bought, newest first',
    scope: null,
    limit: null,
    query: () =>
      z.object({
        page: queryInteger({ min: 1, max: 1_000_000, fallback: 1 }),
        per_page: queryInteger({ min: 1, max: 100, fallback: 20 }),
        status: optional(oneOf(LICENSE_STATUSES)),
      }),
    replies: () => ({ 200: z.object({ data: z.array(LicenseCardView), pagination: ShopPagination }) }),
    errors: ['VALIDATION_ERROR'],
    async handle(ctx, { query: { page, per_page: perPage, status } }) {
      const { licenses, total } = await ownLicenses(ctx, customerIdOf(ctx), { page, perPage, status });
      return ok({ data: licenses.map(licenseCardView), pagination: shopPagination(page, perPage, total) });
    },
  }),
  endpoint({
    ...own,
    method: 'get',
    path: ONE,
    summary: 'Show a license of the customer, with its machines',
    replies: () => ({ 200: z.object({ data: OwnLicenseView }) }),
    async handle(ctx, { params }) {
      const license = await mine(ctx, params);
      return ok({ data: ownLicenseView(license, await machinesOf(ctx, license.card.id)) });
    },
  }),
  endpoint({
    ...own,
    method: 'get',
    path: `${ONE}/activations`,
    summary: 'List the machines that use a license of the customer',
    replies: () => ({ 200: z.object({ data: z.array(OwnMachineView) }) }),
    handle: async (ctx, { params }) =>
      ok({ data: (await machinesOf(ctx, (await mine(ctx, params)).card.id)).map(ownMachineView) }),
  }),
  endpoint({
    ...refusing,
    method: 'get',
    path: `${ONE}/releases`,
    summary: 'List the releases that a license covers, newest first',
    query: () => z.object({ channel: optional(oneOf(RELEASE_CHANNELS)) }),
    replies: () => ({ 200: z.object({ data: z.array(OwnReleaseView) }) }),
    async handle(ctx, { params, query: { channel = 'stable' } }) {
      const { card } = await mine(ctx, params);
      return ok({ data: (await releasesOf(ctx, card.id, channel)).map(ownReleaseView) });
    },
  }),
  endpoint({
    customer: true,
    method: 'get',
    path: '/api/shop/orders/{order_number}/licenses',
    summary: 'List the licenses of an order of the customer',
    scope: null,
    limit: null,
    params: later(() => z.object({ order_number: text({ min: 1, max: 40 }) })),
    replies: () => ({ 200: z.object({ data: z.array(LicenseCardView) }) }),
    errors: ['NOT_FOUND'],
    async handle(ctx, { params }) {
      const order = await orderOf(ctx, customerIdOf(ctx), params.order_number);
      const { licenses } = await licensesOfOrder(ctx, order, { withKeys: false });
      const owned = licenses.map((one) => ({ licenseId: one.id, orderNumber: order.orderNumber }));
      return ok({ data: (await withCards(ctx, owned)).map(licenseCardView) });
    },
  }),
];

const acting: readonly Endpoint[] = [
  endpoint({
    ...refusing,
    method: 'post',
    path: `${ONE}/reveal`,
    summary: 'Show the full key of a license of the customer',
    description: 'Needs the password unless it was entered in this browser in the last 15 minutes. Audited.',
    limit: limits.licenseReveal,
    bodyOptional: true,
    body: () => z.object({ password: optional(text({ max: 1000 })) }).meta({ id: 'RevealLicense' }),
    replies: () => ({ 200: z.object({ data: z.object({ key: z.string() }) }) }),
    async handle(ctx, { params, body, visitor }) {
      const asked = { customerId: customerIdOf(ctx), licenseId: params.id, password: body?.password ?? '' };
      return ok({ data: { key: await reveal(ctx, browserOf(visitor), asked) } });
    },
  }),
  endpoint({
    ...own,
    method: 'delete',
    path: `${ONE}/activations/{activation_id}`,
    summary: 'Release a machine, so that another one can use the license',
    limit: limits.machineRelease,
    params: later(() => z.object({ id: id(), activation_id: id() })),
    replies: () => ({
      200: z.object({ data: z.object({ activations_used: z.number(), max_activations: z.number() }) }),
    }),
    async handle(ctx, { params }) {
      const { card } = await mine(ctx, params);
      const left = await releaseMachine(ctx, card.id, params.activation_id);
      return ok({
        data: { activations_used: left.activationsUsed, max_activations: left.maxActivations },
      });
    },
  }),
  endpoint({
    ...refusing,
    method: 'post',
    path: `${ONE}/activations/{activation_id}/offline-token`,
    summary: 'Create an offline token for a machine',
    limit: limits.ownOfflineToken,
    params: later(() => z.object({ id: id(), activation_id: id() })),
    bodyOptional: true,
    body: () =>
      z
        .object({
          // No longer than whoever names nothing gets: what lasts longer, after a refund too, is for staff to give.
          ttl_seconds: optional(
            integer(bounds.offlineTtlSeconds.min, bounds.offlineTtlSeconds.usual),
          ).describe(
            'Lifetime; by default the longest allowed: 30 days, or less if the license or its policy limits it',
          ),
        })
        .meta({ id: 'OwnOfflineTokenBody' }),
    replies: () => ({ 200: z.object({ data: z.object({ token: z.string(), expires_at: z.string() }) }) }),
    async handle(ctx, { params, body }) {
      const { card } = await mine(ctx, params);
      const made = await tokenFor(ctx, card.id, params.activation_id, body?.ttl_seconds);
      return ok({ data: { token: made.token, expires_at: made.expiresAt } });
    },
  }),
  endpoint({
    ...refusing,
    method: 'post',
    path: `${ONE}/releases/{release_id}/link`,
    summary: 'Create a link that downloads a release once, valid for 15 minutes',
    limit: limits.releaseLink,
    params: later(() => z.object({ id: id(), release_id: id() })),
    replies: () => ({
      200: z.object({
        data: z.object({
          url: z.string(),
          expires_at: z.string(),
          sha256: z.string(),
          signature: z.string(),
        }),
      }),
    }),
    async handle(ctx, { params }) {
      const { card } = await mine(ctx, params);
      const { link, release } = await linkToRelease(ctx, card.id, params.release_id);
      const { sha256, signature } = release;
      return ok({ data: { url: link.url, expires_at: link.expiresAt, sha256, signature } });
    },
  }),
];

const renewing = endpoint({
  ...refusing,
  method: 'post',
  path: `${ONE}/renew`,
  summary: 'Add a license renewal to the cart',
  replies: () => ({
    200: z.object({ data: z.object({ item_id: z.string(), quantity: z.number() }) }),
  }),
  async handle(ctx, { params, visitor }) {
    const line = await renewInCart(ctx, browserOf(visitor), await mine(ctx, params));
    return ok({ data: { item_id: line.itemId, quantity: line.quantity } });
  },
});

export const licenseEndpoints: readonly Endpoint[] = [...reading, ...acting, renewing];
