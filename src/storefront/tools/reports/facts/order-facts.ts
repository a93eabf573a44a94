import type { TaxLine } from '#storefront/orders/orders/index.ts';

/** What reports read of a line of an order. */
export interface ItemFacts {
  readonly id: string;
  readonly productId: string | null;
  readonly variantId: string | null;
  readonly type: string;
  readonly quantity: number;
  readonly subtotalCents: number;
  readonly itemDiscountCents: number;
  readonly orderDiscountCents: number;
  readonly taxCents: number;
  readonly totalCents: number;
  readonly taxLines: readonly TaxLine[];
}

/** Money that came, and when. */
export interface PaymentFacts {
  readonly id: string;
  readonly processor: string;
  readonly currency: string;
  readonly capturedCents: number;
  readonly at: string;
}

/** Money that went back, the oldest first. */
export interface RefundFacts {
  readonly paymentId: string | null;
  readonly to: 'original' | 'gift_card' | 'offline';
  readonly amountCents: number;
  readonly adjustmentCents: number;
  readonly taxCents: number;
  readonly at: string;
  readonly items: readonly {
    readonly itemId: string;
    readonly quantity: number;
    readonly amountCents: number;
    readonly taxCents: number;
  }[];
}

/** All that reports count of an order that was placed. */
export interface OrderFacts {
  readonly id: string;
  readonly customerId: string | null;
  readonly isCancelled: boolean;
  readonly source: string;
  readonly currency: string;
  readonly pricesIncludeTax: boolean;
  readonly shippingCents: number;
  readonly shippingDiscountCents: number;
  readonly taxCents: number;
  readonly shippingTaxCents: number;
  readonly shippingTaxLines: readonly TaxLine[];
  readonly totalCents: number;
  readonly placedAt: string;
  /** The first order of whoever placed it. */
  readonly isNew: boolean;
  readonly country: string;
  readonly state: string;
  readonly items: readonly ItemFacts[];
  /** What was taken off, by promotion; null: by staff. Points are none. */
  readonly discounts: readonly { readonly promotionId: string | null; readonly cents: number }[];
  readonly payments: readonly PaymentFacts[];
  readonly refunds: readonly RefundFacts[];
}
