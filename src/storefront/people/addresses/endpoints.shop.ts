/** The address book of a customer (storefront-api.md, C). */

import { z } from 'zod';
import { created, type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { flag, oneOf, optional, text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { AddressBody } from '#storefront/contract/address.ts';
import { customerIdOf } from '../customers/index.ts';
import * as book from './addresses.ts';
import { CustomerAddressView, customerAddressView } from './view.ts';

const PREFIX = '/api/shop/addresses';
const ONE = `${PREFIX}/{id}`;
const Params = z.object({ id: text({ min: 1, max: 30 }) });
const Body = later(() =>
  z
    .object({
      ...AddressBody.shape,
      label: optional(text({ max: 60, trim: true })),
      is_default_shipping: optional(flag()),
      is_default_billing: optional(flag()),
    })
    .meta({ id: 'CustomerAddressBody' }),
);
const Answer = { 200: z.object({ data: CustomerAddressView }) };

const own = { customer: true, scope: null, limit: null } as const;

export const addressEndpoints: readonly Endpoint[] = [
  endpoint({
    ...own,
    method: 'get',
    path: PREFIX,
    summary: 'List the addresses of the customer, defaults first',
    replies: { 200: z.object({ data: z.array(CustomerAddressView) }) },
    errors: [],
    handle: async (ctx) =>
      ok({ data: (await book.addressesOf(ctx, customerIdOf(ctx))).map(customerAddressView) }),
  }),
  endpoint({
    ...own,
    method: 'post',
    path: PREFIX,
    summary: 'Add an address; the first one becomes the default for shipping and billing',
    body: Body,
    replies: { 201: z.object({ data: CustomerAddressView }) },
    errors: ['VALIDATION_ERROR'],
    handle: async (ctx, { body }) =>
      created({ data: customerAddressView(await book.addAddress(ctx, customerIdOf(ctx), body)) }),
  }),
  endpoint({
    ...own,
    method: 'get',
    path: ONE,
    summary: 'Show an address of the customer',
    params: Params,
    replies: Answer,
    errors: ['NOT_FOUND'],
    handle: async (ctx, { params }) =>
      ok({ data: customerAddressView(await book.getAddress(ctx, customerIdOf(ctx), params.id)) }),
  }),
  endpoint({
    ...own,
    method: 'patch',
    path: ONE,
    summary: 'Change an address of the customer; fields that are not sent stay as they are',
    params: Params,
    body: Body,
    replies: Answer,
    errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
    handle: async (ctx, { params, body }) =>
      ok({ data: customerAddressView(await book.changeAddress(ctx, customerIdOf(ctx), params.id, body)) }),
  }),
  endpoint({
    ...own,
    method: 'delete',
    path: ONE,
    summary: 'Remove an address of the customer; existing orders keep it',
    params: Params,
    replies: { 200: z.object({ data: z.object({ deleted: z.literal(true) }) }) },
    errors: ['NOT_FOUND'],
    async handle(ctx, { params }) {
      await book.removeAddress(ctx, customerIdOf(ctx), params.id);
      return ok({ data: { deleted: true as const } });
    },
  }),
  endpoint({
    ...own,
    method: 'post',
    path: `${ONE}/default`,
    summary: 'Make an address the default',
    params: Params,
    body: z.object({ kind: oneOf(book.ADDRESS_KINDS) }).meta({ id: 'DefaultAddressBody' }),
    replies: Answer,
    errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
    handle: async (ctx, { params, body: { kind } }) =>
      ok({ data: customerAddressView(await book.makeDefault(ctx, customerIdOf(ctx), params.id, kind)) }),
  }),
];
