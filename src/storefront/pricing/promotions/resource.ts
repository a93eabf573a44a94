import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { count } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { action, adminResource, answering, type How } from '#platform/admin/index.ts';
import * as codes from './codes.ts';
import * as lifecycle from './lifecycle.ts';
import { promotionCodeScreen, redemptionScreen } from './part-screens.ts';
import * as promotions from './promotions.ts';
import { promotionCodeRows, promotionRows, type RedemptionOf, redemptionRows } from './queries.ts';
import type { Promotion, PromotionCode } from './record.ts';
import { CodesCreate, Copy, PromotionCreate, PromotionUpdate } from './schemas.ts';
import { promotionScreen } from './screen.ts';
import {
  PromotionCodeView,
  PromotionView,
  promotionCodeView,
  promotionViews,
  RedemptionView,
  redemptionView,
} from './view.ts';

const needs = {
  read: 'promotions:read',
  orRead: 'products:read',
  write: 'promotions:write',
  orWrite: 'products:write',
} as const;
/** Of an action. */
const changes = { needs: needs.write, or: needs.orWrite } as const;

/** An action that takes nothing but the version it is meant for. */
const Bare = z.strictObject({});
const Removed = later(() =>
  z.object({ deleted: z.literal(true), archived: z.boolean() }).meta({ id: 'PromotionRemoved' }),
);
const Added = later(() =>
  z.object({ created: count(), codes: z.array(z.string()) }).meta({ id: 'PromotionCodesAdded' }),
);

type Step = (ctx: Ctx, id: string, condition: promotions.Condition) => Promise<Promotion>;

const step = (
  label: string,
  summary: string,
  level: 'mild' | 'moderate',
  run: Step,
  when: (one: Promotion) => boolean,
) =>
  action<Promotion, typeof Bare>({
    label,
    summary,
    ...changes,
    level,
    where: 'both',
    input: Bare,
    conditional: true,
    when,
    run: (ctx, id, _input, how) => run(ctx, id, how),
  });

/** What lowers prices, for staff (storefront-api.md, Z). */
export const promotionResource = adminResource<Promotion, typeof PromotionCreate, typeof PromotionUpdate>({
  name: 'shop-promotions',
  labels: { one: 'promotion', many: 'promotions' },
  about: 'Coupons, automatic discounts, and buy X, get Y offers',
  needs,
  screen: promotionScreen,
  rows: promotionRows,
  create: { schema: PromotionCreate, run: promotions.create },
  edit: { schema: PromotionUpdate, run: promotions.change },
  actions: {
    activate: step(
      'Activate',
      'Activate a promotion, so that shoppers get it',
      'mild',
      lifecycle.activate,
      ({ status }) => lifecycle.may('activate', status),
    ),
    pause: step(
      'Pause',
      'Pause a promotion; carts lose it immediately',
      'moderate',
      lifecycle.pause,
      ({ status }) => lifecycle.may('pause', status),
    ),
    archive: step(
      'Archive',
      'Archive a promotion permanently; its codes can be used again',
      'moderate',
      lifecycle.archive,
      ({ status }) => lifecycle.may('archive', status),
    ),
    duplicate: action<Promotion, typeof Copy>({
      label: 'Duplicate',
      summary: 'Copy a promotion as a draft, without its codes',
      ...changes,
      level: 'mild',
      where: 'row',
      input: Copy,
      run: (ctx, id, { name }) => lifecycle.duplicate(ctx, id, name),
    }),
    // Its answer tells which of both it was, which the removal of the engine does not.
    remove: answering<Promotion, typeof Removed, typeof Bare>({
      label: 'Delete',
      summary: 'Delete a promotion; one that was used is archived',
      ...changes,
      level: 'severe',
      where: 'row',
      input: Bare,
      method: 'delete',
      path: '',
      conditional: true,
      output: Removed,
      run: async (ctx, id, _input, how) => ({ deleted: true, ...(await lifecycle.remove(ctx, id, how)) }),
    }),
  },
  apis: [
    {
      surface: 'store',
      path: '/promotions',
      item: 'promotion',
      view: PromotionView,
      toViews: promotionViews,
    },
  ],
});

const inPromotion = {
  name: 'promotionId',
  filter: 'promotionId',
  find: async (ctx: Ctx, id: string) => (await promotions.get(ctx, id)).id,
};
const above = ({ named }: How): string => named.promotionId ?? '';

/** The many codes of a promotion, for staff. */
export const promotionCodeResource = adminResource<PromotionCode>({
  name: 'shop-promotion-codes',
  labels: { one: 'code', many: 'codes' },
  about: 'Generated codes of a promotion',
  needs,
  screen: promotionCodeScreen,
  rows: promotionCodeRows,
  remove: {
    level: 'moderate',
    summary: 'Disable a code; it stays in the list',
    run: (ctx, id) => codes.disableCode(ctx, id),
  },
  actions: {
    generate: answering<PromotionCode, typeof Added, typeof CodesCreate>({
      label: 'Add codes',
      summary: 'Generate up to 1,000 codes, or add your own',
      ...changes,
      level: 'mild',
      where: 'page',
      path: '',
      status: 201,
      input: CodesCreate,
      output: Added,
      run: async (ctx, _id, input, how) => {
        const made = await codes.addCodes(ctx, above(how), input);
        return { created: made.length, codes: made.map(({ code }) => code) };
      },
    }),
  },
  apis: [
    {
      surface: 'store',
      path: '/promotions/{promotionId}/codes',
      parent: inPromotion,
      item: 'code',
      type: 'PromotionCode',
      view: PromotionCodeView,
      toView: promotionCodeView,
      without: ['create', 'change', 'bulk'],
    },
  ],
});

/** What orders took of a promotion, for staff. */
export const redemptionResource = adminResource<RedemptionOf>({
  name: 'shop-promotion-redemptions',
  labels: { one: 'use', many: 'uses' },
  about: 'Orders that used a promotion',
  needs,
  screen: redemptionScreen,
  rows: redemptionRows,
  apis: [
    {
      surface: 'store',
      path: '/promotions/{promotionId}/redemptions',
      parent: inPromotion,
      item: 'use',
      type: 'PromotionRedemption',
      view: RedemptionView,
      toView: redemptionView,
      without: ['get', 'create', 'change', 'remove', 'bulk'],
    },
  ],
});
