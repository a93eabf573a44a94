import type { Ctx } from '#kernel/context.ts';
import { type Book, byKey, total } from '../daily/read.ts';
import { BY_STAFF } from '../facts/facts.ts';
import type { SumsOf } from '../measures.ts';
import { nameCountries } from '../names/countries.ts';
import { namePromotions, nameVariants } from '../names/queries.ts';
import { counted, idOf, money, pageOf, type Report, type ReportAsked, type Row } from './report.ts';

const productFigures = (sums: SumsOf<'products'>): Row => ({
  orders: sums.orders,
  units: sums.units,
  gross_cents: sums.grossCents,
  discount_cents: sums.discountCents,
  tax_cents: sums.taxCents,
  total_cents: sums.totalCents,
  refunded_units: sums.refundedUnits,
  refunds_cents: sums.refundsCents,
  net_cents: sums.totalCents - sums.refundsCents,
});
const productsTotals = async (ctx: Ctx, book: Book, asked: ReportAsked): Promise<Row> =>
  productFigures(await total(ctx, book, 'goods', asked));

export const products: Report = {
  title: 'Products',
  about: 'Best-selling variants. Gift cards count as products.',
  more: 'Canceled orders do not count. Refunds count on the day of the refund.',
  keyScope: 'orders:read',
  of: 'range',
  hasLimit: true,
  columns: [
    { name: 'title', head: 'Product', kind: 'text', link: pageOf('products', 'product_id') },
    { name: 'variant_title', head: 'Variant', kind: 'text', isNullable: true },
    { name: 'sku', head: 'SKU', kind: 'text', isNullable: true },
    counted('orders', 'Orders'),
    counted('units', 'Units'),
    money('gross_cents', 'Gross'),
    money('discount_cents', 'Discounts'),
    money('tax_cents', 'Tax'),
    money('total_cents', 'Total', 'After discounts, with tax'),
    counted('refunded_units', 'Refunded'),
    money('refunds_cents', 'Refunds'),
    money('net_cents', 'Net'),
    idOf('product_id'),
    idOf('variant_id'),
  ],
  drawn: { title: 'Best sellers', as: 'bars', label: 'title', parts: { total_cents: 'Total' } },
  empty: 'No products were sold in this range.',
  async run(ctx, book, asked) {
    const found = await byKey(ctx, book, 'products', asked, { by: 'totalCents', limit: asked.limit });
    const names = await nameVariants(
      ctx,
      found.map(({ variantId }) => variantId),
    );
    const rows = found.map(({ productId, variantId, ...sums }) => {
      const name = names.get(variantId);
      return {
        title: name?.title ?? 'Removed product',
        variant_title: name?.variantTitle ?? null,
        sku: name?.sku ?? null,
        ...productFigures(sums),
        product_id: productId || null,
        variant_id: variantId || null,
      };
    });
    return { rows, totals: await productsTotals(ctx, book, asked) };
  },
  compared: async (ctx, book, asked) => ({ totals: await productsTotals(ctx, book, asked) }),
};

const countryFigures = (sums: SumsOf<'countries'>): Row => ({
  orders: sums.orders,
  total_cents: sums.totalCents,
  tax_cents: sums.taxCents,
  refunds_cents: sums.refundsCents,
  net_cents: sums.totalCents - sums.refundsCents,
});
const countriesTotals = async (ctx: Ctx, book: Book, asked: ReportAsked): Promise<Row> =>
  countryFigures(await total(ctx, book, 'countries', asked));

export const countries: Report = {
  title: 'Countries',
  about: 'Orders by shipping country, or by billing country if nothing is shipped.',
  keyScope: 'orders:read',
  of: 'range',
  columns: [
    {
      name: 'country_name',
      head: 'Country',
      kind: 'text',
      link: ({ country }) =>
        country ? `/store/orders?country=${encodeURIComponent(String(country))}` : null,
    },
    { name: 'country', head: 'Code', kind: 'text', isNullable: true },
    counted('orders', 'Orders'),
    money('total_cents', 'Total'),
    money('tax_cents', 'Tax'),
    money('refunds_cents', 'Refunds'),
    money('net_cents', 'Net'),
  ],
  drawn: { title: 'Total by country', as: 'bars', label: 'country_name', parts: { total_cents: 'Total' } },
  empty: 'No orders in this range.',
  async run(ctx, book, asked) {
    const found = await byKey(ctx, book, 'countries', asked, { by: 'totalCents', limit: asked.limit });
    const nameOf = nameCountries();
    const rows = found.map(({ country, ...sums }) => ({
      country_name: nameOf(country),
      country: country || null,
      ...countryFigures(sums),
    }));
    return { rows, totals: await countriesTotals(ctx, book, asked) };
  },
  compared: async (ctx, book, asked) => ({ totals: await countriesTotals(ctx, book, asked) }),
};

const promotionFigures = (sums: SumsOf<'promotions'>): Row => ({
  orders: sums.orders,
  discount_cents: sums.discountCents,
  total_cents: sums.totalCents,
});
const promotionsTotals = async (ctx: Ctx, book: Book, asked: ReportAsked): Promise<Row> =>
  promotionFigures(await total(ctx, book, 'promotions', asked));

export const promotions: Report = {
  title: 'Promotions',
  about: 'How often each promotion was used, its discounts, and the total of these orders.',
  more: 'An order with two promotions counts for both, so the rows do not add up to the sales.',
  keyScope: 'orders:read',
  of: 'range',
  columns: [
    { name: 'name', head: 'Promotion', kind: 'text', link: pageOf('promotions', 'promotion_id') },
    counted('orders', 'Orders'),
    money('discount_cents', 'Discounts'),
    money('total_cents', 'Total of these orders'),
    idOf('promotion_id'),
  ],
  drawn: { title: 'Discounts', as: 'bars', label: 'name', parts: { discount_cents: 'Discounts' } },
  empty: 'No promotions were used in this range.',
  async run(ctx, book, asked) {
    const found = await byKey(ctx, book, 'promotions', asked, { by: 'discountCents', limit: asked.limit });
    const names = await namePromotions(
      ctx,
      found.map(({ promotionId }) => promotionId),
    );
    const rows = found.map(({ promotionId, ...sums }) => {
      const isByStaff = promotionId === BY_STAFF;
      return {
        name: isByStaff ? 'Discounts given by staff' : (names.get(promotionId) ?? 'Removed promotion'),
        ...promotionFigures(sums),
        promotion_id: isByStaff ? null : promotionId,
      };
    });
    return { rows, totals: await promotionsTotals(ctx, book, asked) };
  },
  compared: async (ctx, book, asked) => ({ totals: await promotionsTotals(ctx, book, asked) }),
};
