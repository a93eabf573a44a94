/** Files that were bought (storefront-api.md, G and M). */

import { z } from 'zod';
import { download, type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { optional, queryInteger, text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { storeFail } from '#platform/store-answers/index.ts';
import { limits } from '#storefront/contract/limits.ts';
import { ShopPagination, shopPagination } from '#storefront/contract/pagination.ts';
import { orderOfToken } from '#storefront/orders/orders/index.ts';
import { DownloadView, downloadView } from '#storefront/orders/orders/view.ts';
import { customerIdOf } from '#storefront/people/customers/index.ts';
import { customersGrant, ordersGrant } from './grants.ts';
import { type DownloadLink, linkTo, linkToRelease } from './links.ts';
import { openDownload } from './open.ts';
import { grantsOfCustomer } from './queries.ts';
import { deliveredFile } from './view.ts';

const PREFIX = '/api/shop/downloads';

const LinkView = later(() =>
  z
    .object({
      url: z.string().describe('Downloads the file once'),
      expires_at: z.string(),
    })
    .meta({ id: 'DownloadLink' }),
);
const linkView = ({ url, expiresAt }: DownloadLink): z.output<typeof LinkView> => ({
  url,
  expires_at: expiresAt,
});

const Id = z.object({ id: text({ min: 1, max: 40 }) });
const Token = z.object({ token: z.string().max(200) });

export const downloadEndpoints: readonly Endpoint[] = [
  endpoint({
    customer: true,
    method: 'get',
    path: PREFIX,
    summary: 'List the files that the customer has bought, newest first',
    scope: null,
    limit: null,
    query: () =>
      z.object({
        page: queryInteger({ min: 1, max: 1_000_000, fallback: 1 }),
        per_page: queryInteger({ min: 1, max: 100, fallback: 20 }),
      }),
    replies: () => ({ 200: z.object({ data: z.array(DownloadView), pagination: ShopPagination }) }),
    errors: ['VALIDATION_ERROR'],
    async handle(ctx, { query: { page, per_page: perPage } }) {
      const { grants, total } = await grantsOfCustomer(ctx, customerIdOf(ctx), { page, perPage });
      const data = grants.map((one) => downloadView(deliveredFile(one), one.orderNumber));
      return ok({ data, pagination: shopPagination(page, perPage, total) });
    },
  }),
  endpoint({
    customer: true,
    method: 'post',
    path: `${PREFIX}/{id}/link`,
    summary: 'Create a link that downloads a purchased file once, valid for 15 minutes',
    description: 'Creating a link does not count as a download; the first byte sent does.',
    scope: null,
    limit: limits.downloadLink,
    params: Id,
    replies: () => ({ 200: z.object({ data: LinkView }) }),
    errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
    handle: async (ctx, { params }) =>
      ok({ data: linkView(await linkTo(ctx, await customersGrant(ctx, customerIdOf(ctx), params.id))) }),
  }),
  endpoint({
    method: 'get',
    path: `${PREFIX}/file/{token}`,
    summary: 'Download the file of a link',
    description:
      'Sends the whole file once. A download that broke off can resume with Range for 60 minutes. HEAD does not count.',
    scope: null,
    limit: null,
    params: Token,
    content: {
      type: 'application/octet-stream',
      headers: {
        'Content-Disposition': 'Attachment, named after the file',
        'X-Bundle-SHA256': 'SHA-256 of the whole file, lowercase hex',
      },
    },
    replies: {},
    errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
    handle: async (ctx, { params }) => download(await openDownload(ctx, params.token)),
  }),
  endpoint({
    method: 'post',
    path: '/api/shop/orders/by-token/{token}/links',
    summary: 'Create a link to a file of an order, with the token from its emails',
    scope: null,
    limit: limits.orderDownloadLink,
    params: Token,
    description: 'Send download_id, or license_id and release_id.',
    body: () =>
      z
        .object({
          download_id: optional(text({ min: 1, max: 40 })),
          license_id: optional(text({ min: 1, max: 40 })),
          release_id: optional(text({ min: 1, max: 40 })),
        })
        .meta({ id: 'OrderLinkBody' }),
    replies: () => ({ 200: z.object({ data: LinkView }) }),
    errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
    async handle(ctx, { params, body }) {
      const order = await orderOfToken(ctx, params.token);
      const { download_id: id, license_id: licenseId, release_id: releaseId } = body;
      if (id !== undefined)
        return ok({ data: linkView(await linkTo(ctx, await ordersGrant(ctx, order.id, id))) });
      if (licenseId === undefined || releaseId === undefined)
        throw storeFail('VALIDATION_MISSING_FIELD', 'Send download_id, or license_id and release_id');
      return ok({ data: linkView(await linkToRelease(ctx, order, { licenseId, releaseId })) });
    },
  }),
];
