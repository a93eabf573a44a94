import type { Ctx } from '#kernel/context.ts';
import { adminResource, type How } from '#platform/admin/index.ts';
import * as classes from './classes.ts';
import { ratesOfZones, taxClassRows, taxRateRows, taxZoneRows } from './queries.ts';
import * as rates from './rates.ts';
import type { TaxClass, TaxRateRow, TaxZone } from './record.ts';
import {
  TaxClassCreate,
  TaxClassUpdate,
  TaxRateCreate,
  TaxRateUpdate,
  TaxZoneCreate,
  TaxZoneUpdate,
} from './schemas.ts';
import { taxClassScreen, taxRateScreen, taxZoneScreen } from './screen.ts';
import { TaxClassView, TaxRateView, TaxZoneView, taxClassView, taxRateViews, taxZoneViews } from './view.ts';
import * as zones from './zones.ts';

const needs = { read: 'settings:read', write: 'settings:write' } as const;
const zoneOf = ({ named }: How): string => named.zoneId ?? '';

/** What products are taxed alike, for staff (storefront-api.md, AI). */
export const taxClassResource = adminResource<TaxClass, typeof TaxClassCreate, typeof TaxClassUpdate>({
  name: 'shop-tax-classes',
  labels: { one: 'tax class', many: 'tax classes' },
  about: 'Products that are taxed alike',
  needs,
  screen: taxClassScreen,
  rows: taxClassRows,
  create: { schema: TaxClassCreate, run: classes.createClass },
  edit: { schema: TaxClassUpdate, hasVersion: false, run: classes.changeClass },
  remove: { level: 'moderate', summary: 'Remove a tax class that nothing uses', run: classes.removeClass },
  apis: [
    {
      surface: 'store',
      path: '/tax/classes',
      item: 'taxClass',
      view: TaxClassView,
      toView: taxClassView,
      without: ['export', 'bulk'],
    },
  ],
});

/** Where which tax is due, for staff. */
export const taxZoneResource = adminResource<TaxZone, typeof TaxZoneCreate, typeof TaxZoneUpdate>({
  name: 'shop-tax-zones',
  labels: { one: 'tax zone', many: 'tax zones' },
  about: 'Where taxes are due',
  needs,
  screen: taxZoneScreen,
  rows: taxZoneRows,
  create: { schema: TaxZoneCreate, run: zones.createZone },
  edit: { schema: TaxZoneUpdate, hasVersion: false, run: zones.changeZone },
  remove: {
    level: 'severe',
    summary: 'Remove a tax zone and its rates',
    preview: async (ctx, id) =>
      ((await ratesOfZones(ctx, [id])).get(id) ?? []).map(({ name }) => `Its rate ${name} is removed too`),
    run: zones.removeZone,
  },
  apis: [
    {
      surface: 'store',
      path: '/tax/zones',
      item: 'taxZone',
      view: TaxZoneView,
      toViews: taxZoneViews,
      brief: ({ id, name }) => ({ id, name }),
      without: ['export', 'bulk'],
    },
  ],
});

/** The rates of a zone, for staff: below their zone, and one by one on a path of their own. */
export const taxRateResource = adminResource<TaxRateRow, typeof TaxRateCreate, typeof TaxRateUpdate>({
  name: 'shop-tax-rates',
  labels: { one: 'tax rate', many: 'tax rates' },
  about: 'Rates of a tax zone',
  needs,
  screen: taxRateScreen,
  rows: taxRateRows,
  create: { schema: TaxRateCreate, run: (ctx, input, how) => rates.addRate(ctx, zoneOf(how), input) },
  edit: { schema: TaxRateUpdate, hasVersion: false, run: rates.changeRate },
  remove: { level: 'moderate', run: rates.removeRate },
  apis: [
    {
      surface: 'store',
      path: '/tax/zones/{zoneId}/rates',
      itemsAt: '/tax/rates',
      parent: {
        name: 'zoneId',
        filter: 'zoneId',
        find: async (ctx: Ctx, id: string) => (await zones.getZone(ctx, id)).id,
      },
      item: 'taxRate',
      view: TaxRateView,
      toViews: taxRateViews,
      without: ['export', 'bulk'],
    },
  ],
});
