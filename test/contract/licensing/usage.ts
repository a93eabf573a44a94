import { type AdminRows, type ContractRows, clients } from '../row.ts';

export const publicRows: ContractRows = {
  'POST /api/v1/license/record-usage': {
    scopes: clients,
    limit: 15,
    success: async (app) => {
      const { key } = await app.license({ maxUses: 5 });
      const body = { key, feature: 'export', quantity: 5, metadata: { pages: 3 }, nonce: 'abcdefghijklmnop' };
      return { status: 200, body };
    },
  },
};

export const adminRows: AdminRows = {
  'GET /licenses/{id}/usage': 'licensing:read',
  'POST /licenses/{id}/usage/reset': 'licensing:write',
  'POST /licenses/{id}/usage/set': 'licensing:write',
};
