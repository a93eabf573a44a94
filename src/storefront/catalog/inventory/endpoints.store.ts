/** What answers of stock otherwise than its resource (storefront-api.md, U). */

import { z } from 'zod';
import { download, type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { count, queryInteger } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { csvFile } from '#platform/audit/index.ts';
import { ShopPagination, shopPagination } from '#storefront/contract/pagination.ts';
import { bulkAdjust } from './bulk.ts';
import { levelRows, type Stocked } from './queries.ts';
import { BulkAdjustment } from './schemas.ts';
import { InventoryLevelView, inventoryLevelView } from './view.ts';

const Item = BulkAdjustment.shape.items.element.shape;

// Unknown fields of a body are ignored (Z2).
const Body = later(() =>
  z
    .object({
      items: z
        .array(
          z.object({
            variant_id: Item.variantId,
            sku: Item.sku,
            delta: Item.delta,
            set_to: Item.setTo,
          }),
          {
            error: ({ input }) => (input === undefined ? 'is required' : 'must be a list'),
          },
        )
        .min(1)
        .max(500),
      reason: BulkAdjustment.shape.reason,
      note: BulkAdjustment.shape.note,
    })
    .meta({ id: 'StockBulkAdjustBody' }),
);

const Done = later(() =>
  z.object({
    updated: count(),
    errors: z.array(
      z.object({
        index: count(),
        error_code: z.string(),
        reason: z.string().nullable(),
        message: z.string(),
      }),
    ),
  }),
);

const reasonOf = ({ reason }: Readonly<Record<string, unknown>>): string | null =>
  typeof reason === 'string' ? reason : null;

async function* countRows(pages: AsyncIterable<readonly Stocked[]>) {
  for await (const page of pages)
    yield page.map(({ sku, onHand, productTitle, title }) => ({
      sku,
      count: onHand,
      product: productTitle,
      variant: title,
    }));
}

export const inventoryEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/api/store/inventory/counts.csv',
    summary: 'Export SKU and stock of every variant, for counting',
    scope: 'inventory:read',
    limit: null,
    content: {
      type: 'text/csv',
      headers: { 'Content-Disposition': 'Attachment, named after its content' },
    },
    replies: {},
    errors: [],
    handle: async (ctx) => {
      const pages = countRows(levelRows.stream(ctx, {}));
      const about = { what: 'stock-counts', filter: {} };
      return download(csvFile(ctx, about, ['sku', 'count', 'product', 'variant'], pages));
    },
  }),
  endpoint({
    method: 'get',
    path: '/api/store/inventory/low-stock',
    summary: 'List variants at or below their threshold, lowest stock first',
    scope: 'inventory:read',
    limit: null,
    query: later(() =>
      z.object({
        page: queryInteger({ min: 1, max: 1_000_000_000, fallback: 1 }),
        per_page: queryInteger({ min: 1, max: 100, fallback: 20 }),
      }),
    ),
    replies: {
      200: z.object({
        data: z.array(InventoryLevelView),
        pagination: ShopPagination,
      }),
    },
    errors: ['VALIDATION_ERROR'],
    handle: async (ctx, { query: { page, per_page: perPage } }) => {
      const asked = { filters: { low: true }, sort: 'available' };
      const slice = { offset: (page - 1) * perPage, limit: perPage };
      const { items, total } = await levelRows.page(ctx, {
        ...asked,
        ...slice,
      });
      const data = items.map((one) => inventoryLevelView(one, ctx));
      return ok({ data, pagination: shopPagination(page, perPage, total) });
    },
  }),
  endpoint({
    method: 'post',
    path: '/api/store/inventory/bulk-adjust',
    summary: 'Change the stock of up to 500 variants',
    scope: 'inventory:write',
    limit: null,
    body: Body,
    replies: { 200: z.object({ data: Done }) },
    errors: ['VALIDATION_ERROR'],
    handle: async (ctx, { body: { items, reason, note } }) => {
      const named = items.map(({ variant_id: variantId, sku, delta, set_to: setTo }) => ({
        variantId,
        sku,
        delta,
        setTo,
      }));
      const { updated, errors } = await bulkAdjust(ctx, {
        items: named,
        reason,
        note,
      });
      const told = errors.map(({ index, error: { code, message, details } }) => ({
        index,
        error_code: code,
        reason: reasonOf(details),
        message,
      }));
      return ok({ data: { updated, errors: told } });
    },
  }),
];
