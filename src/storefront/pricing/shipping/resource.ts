import type { Ctx } from '#kernel/context.ts';
import { adminResource, type How } from '#platform/admin/index.ts';
import * as classes from './classes.ts';
import * as methods from './methods.ts';
import { methodsOfZones, shippingClassRows, shippingMethodRows, shippingZoneRows } from './queries.ts';
import type { ShippingClass, ShippingMethod, ShippingZone } from './record.ts';
import {
  ShippingClassCreate,
  ShippingClassUpdate,
  ShippingMethodCreate,
  ShippingMethodUpdate,
  ShippingZoneCreate,
  ShippingZoneUpdate,
} from './schemas.ts';
import { shippingClassScreen, shippingMethodScreen, shippingZoneScreen } from './screen.ts';
import {
  ShippingClassView,
  ShippingMethodView,
  ShippingZoneView,
  shippingClassView,
  shippingMethodViews,
  shippingZoneViews,
} from './view.ts';
import * as zones from './zones.ts';

const needs = { read: 'settings:read', write: 'settings:write' } as const;
const zoneOf = ({ named }: How): string => named.zoneId ?? '';

/** Where the shop ships to, for staff (storefront-api.md, AH). */
export const shippingZoneResource = adminResource<
  ShippingZone,
  typeof ShippingZoneCreate,
  typeof ShippingZoneUpdate
>({
  name: 'shop-shipping-zones',
  labels: { one: 'shipping zone', many: 'shipping zones' },
  about: 'Where the shop ships to, and how',
  needs,
  screen: shippingZoneScreen,
  rows: shippingZoneRows,
  create: { schema: ShippingZoneCreate, run: zones.createZone },
  edit: { schema: ShippingZoneUpdate, hasVersion: false, run: zones.changeZone },
  remove: {
    level: 'severe',
    summary: 'Remove a shipping zone and its methods',
    preview: async (ctx, id) =>
      ((await methodsOfZones(ctx, [id])).get(id) ?? []).map(
        ({ name }) => `Its method ${name} is removed too`,
      ),
    run: zones.removeZone,
  },
  apis: [
    {
      surface: 'store',
      path: '/shipping/zones',
      item: 'shippingZone',
      view: ShippingZoneView,
      toViews: shippingZoneViews,
      brief: ({ id, name }) => ({ id, name }),
      without: ['export', 'bulk'],
    },
  ],
});

/** The methods of a zone, for staff: below their zone, and one by one on a path of their own. */
export const shippingMethodResource = adminResource<
  ShippingMethod,
  typeof ShippingMethodCreate,
  typeof ShippingMethodUpdate
>({
  name: 'shop-shipping-methods',
  labels: { one: 'shipping method', many: 'shipping methods' },
  about: 'Methods of a shipping zone',
  needs,
  screen: shippingMethodScreen,
  rows: shippingMethodRows,
  create: {
    schema: ShippingMethodCreate,
    run: (ctx, input, how) => methods.addMethod(ctx, zoneOf(how), input),
  },
  edit: { schema: ShippingMethodUpdate, hasVersion: false, run: methods.changeMethod },
  remove: {
    level: 'moderate',
    summary: 'Remove a shipping method and its rates',
    run: methods.removeMethod,
  },
  apis: [
    {
      surface: 'store',
      path: '/shipping/zones/{zoneId}/methods',
      itemsAt: '/shipping/methods',
      parent: {
        name: 'zoneId',
        filter: 'zoneId',
        find: async (ctx: Ctx, id: string) => (await zones.getZone(ctx, id)).id,
      },
      item: 'shippingMethod',
      view: ShippingMethodView,
      toViews: shippingMethodViews,
      brief: ({ id, name }) => ({ id, name }),
      without: ['export', 'bulk'],
    },
  ],
});

/** What costs more to handle, for staff. */
export const shippingClassResource = adminResource<
  ShippingClass,
  typeof ShippingClassCreate,
  typeof ShippingClassUpdate
>({
  name: 'shop-shipping-classes',
  labels: { one: 'shipping class', many: 'shipping classes' },
  about: 'Variants with the same handling cost',
  needs,
  screen: shippingClassScreen,
  rows: shippingClassRows,
  create: { schema: ShippingClassCreate, run: classes.createClass },
  edit: { schema: ShippingClassUpdate, hasVersion: false, run: classes.changeClass },
  remove: {
    level: 'moderate',
    summary: 'Remove a shipping class that no variant uses',
    run: classes.removeClass,
  },
  apis: [
    {
      surface: 'store',
      path: '/shipping/classes',
      item: 'shippingClass',
      view: ShippingClassView,
      toView: shippingClassView,
      without: ['export', 'bulk'],
    },
  ],
});
