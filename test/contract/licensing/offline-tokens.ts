import { delegatedProduct } from '../../support/online-key.ts';
import { type AdminRows, type ContractRows, clients } from '../row.ts';

const machineId = 'machine-0001';

export const publicRows: ContractRows = {
  'POST /api/v1/license/offline-token': {
    scopes: clients,
    limit: 120,
    windowSeconds: 60,
    success: async (app) => {
      const product = await app.product();
      await delegatedProduct(app.ctx, product);
      const { key } = await app.license({ productId: product.id, features: { sso: true } });
      const secret = (await app.apiKey('FULL_ADMIN')).secret;
      await app.post('/api/v1/license/activate', { licenseKey: key, machineId }, secret);
      return {
        status: 200,
        body: { licenseKey: key, machineId, ttlSeconds: 3600, nonce: 'abcdefghijklmnop' },
      };
    },
  },
};

export const adminRows: AdminRows = {
  'POST /licenses/{id}/offline-token': 'licensing:secrets',
  'GET /licenses/{id}/offline-tokens': 'licensing:read',
};
