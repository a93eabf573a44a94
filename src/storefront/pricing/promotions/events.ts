import { change, defineEvents } from '#kernel/events.ts';
import { type Promotion, type PromotionCode, promotionCodeRecord, promotionRecord } from './record.ts';

type Told = Pick<Promotion, 'name' | 'type' | 'status'>;

/** What staff does to promotions. */
export const promotionEvents = defineEvents(
  'store',
  {
    'promotion.created': change<Told>(),
    'promotion.updated': change<Told>(),
    'promotion.deleted': change<Told>(),
    /** Many at once: the codes themselves would fill the log. */
    'promotion.codes_added': change<{ readonly count: number }>(),
  },
  { target: 'shop-promotions', record: promotionRecord },
);

export const promotionCodeEvents = defineEvents(
  'store',
  { 'promotion_code.disabled': change<Pick<PromotionCode, 'code' | 'promotionId'>>() },
  { target: 'shop-promotion-codes', record: promotionCodeRecord },
);
