import type { ContractRows } from '../row.ts';

export const publicRows: ContractRows = {
  'GET /api/v1/products': {
    scopes: ['CREATE_LICENSE', 'READ_ONLY', 'FULL_ADMIN'],
    limit: null,
    success: async (app) => {
      await app.product();
      return { status: 200 };
    },
  },
};
