import { type ContractRows, issuers } from '../row.ts';

export const publicRows: ContractRows = {
  'GET /api/v1/license/by-order/{orderId}': {
    scopes: issuers,
    limit: null,
    success: async (app) => {
      await app.license({ orderId: 'A 1/2' });
      return { status: 200, path: '/api/v1/license/by-order/A%201%2F2' };
    },
  },
  'POST /api/v1/license/revoke': {
    scopes: issuers,
    limit: 15,
    success: async (app) => {
      const { id } = await app.license();
      return { status: 200, body: { licenseId: id, reason: 'refunded' } };
    },
  },
  'POST /api/v1/license/renew': {
    scopes: issuers,
    limit: 15,
    success: async (app) => {
      const { key } = await app.license();
      return { status: 200, body: { licenseKey: key, validUntil: '2031-05-06T07:08:09+02:00' } };
    },
  },
  'POST /api/v1/license/create': {
    scopes: issuers,
    limit: 15,
    success: async (app) => {
      const { id } = await app.product();
      return { status: 201, body: { productId: id, customerEmail: 'ann@x.test' } };
    },
  },
  'POST /api/v1/license/create-bulk': {
    scopes: issuers,
    limit: 15,
    success: async (app) => {
      const { id } = await app.product();
      const good = { productId: id, customerEmail: 'ann@x.test' };
      return { status: 207, body: { licenses: [good, { ...good, maxActivations: 0 }] } };
    },
  },
};
