import { type AdminRows, type ContractRows, clients } from '../row.ts';

const machineId = 'machine-0001';

export const publicRows: ContractRows = {
  'POST /api/v1/license/validate': {
    scopes: clients,
    limit: 60,
    success: async (app) => {
      const product = await app.product({ defaultLicenseType: 'FLOATING' });
      const { key } = await app.license({ productId: product.id, maxUses: 5, maxVersion: '2' });
      const secret = (await app.apiKey('FULL_ADMIN')).secret;
      await app.post('/api/v1/license/activate', { licenseKey: key, machineId }, secret);
      return {
        status: 200,
        body: { licenseKey: key, machineId, appVersion: '1', nonce: 'abcdefghijklmnop' },
      };
    },
  },
  'GET /api/v1/license/check/{key}': {
    scopes: ['VALIDATE_ONLY', 'CREATE_LICENSE', 'READ_ONLY', 'FULL_ADMIN'],
    limit: 60,
    success: async (app) => {
      const { key } = await app.license({ features: { seats: 3 } });
      return { status: 200, path: `/api/v1/license/check/${key}?nonce=abcdefghijklmnop` };
    },
  },
  'POST /api/v1/license/validate-entitlement': {
    scopes: clients,
    limit: null,
    success: async (app) => {
      const { key } = await app.license({ features: { seats: { max: 3 } } });
      return { status: 200, body: { key, entitlement: 'seats', nonce: 'abcdefghijklmnop' } };
    },
  },
};

export const adminRows: AdminRows = { 'POST /licenses/validate': 'licensing:read' };
