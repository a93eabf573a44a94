import { z } from 'zod';
import { text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { action, adminResource } from '#platform/admin/index.ts';
import { allows, type Deed, doWith, getMint, tryAgain } from './changes.ts';
import { type MintOf, mintRows } from './queries.ts';
import { mintScreen } from './screen.ts';
import { LicenseMintView, mintViews } from './view.ts';

const needs = { read: 'orders:read', write: 'orders:write' } as const;
const Why = later(() => z.strictObject({ reason: text({ min: 1, max: 500, trim: true }) }));
const Bare = z.strictObject({});

const deed = (name: Deed, said: { label: string; summary: string; level: 'moderate' | 'severe' }) =>
  action<MintOf, typeof Why>({
    ...said,
    needs: needs.write,
    where: 'row',
    input: Why,
    when: allows(name),
    run: (ctx, id, { reason }) => doWith(ctx, id, name, reason),
  });

/** Licenses of orders for staff (storefront-api.md, AO). */
export const licenseMintResource = adminResource<MintOf>({
  name: 'license-grants',
  labels: { one: 'license of an order', many: 'licenses of orders' },
  about: 'Licenses of orders, created and missing',
  needs,
  screen: mintScreen,
  rows: mintRows,
  get: getMint,
  actions: {
    mint: action<MintOf, typeof Bare>({
      label: 'Create missing',
      summary: 'Create the missing licenses of the order, and retry failed changes',
      needs: needs.write,
      where: 'row',
      level: 'mild',
      input: Bare,
      when: ({ status, wanted }) => status !== wanted,
      run: (ctx, id) => tryAgain(ctx, id),
    }),
    suspend: deed('suspend', {
      label: 'Suspend',
      summary: 'Suspend the license of an order until it is reinstated',
      level: 'moderate',
    }),
    reinstate: deed('reinstate', {
      label: 'Reinstate',
      summary: 'Reinstate a suspended license of an order',
      level: 'moderate',
    }),
    revoke: deed('revoke', {
      label: 'Revoke',
      summary: "Revoke a license of an order permanently; if it was not created yet, it won't be",
      level: 'severe',
    }),
  },
  palette: {
    title: ({ title, sku, orderNumber, orderId }) =>
      `${title ?? sku ?? 'License'} of order ${orderNumber ?? orderId}`,
    hint: ({ email }) => email,
  },
  apis: [
    {
      surface: 'store',
      path: '/license-grants',
      item: 'licenseMint',
      type: 'LicenseMint',
      view: LicenseMintView,
      toViews: mintViews,
      without: ['bulk'],
    },
  ],
});
