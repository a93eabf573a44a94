import { type AdminRows, type ContractRows, clients } from '../row.ts';

const machineId = 'machine-0001';

export const publicRows: ContractRows = {
  'POST /api/v1/license/activate': {
    scopes: clients,
    limit: 15,
    success: async (app) => {
      const { key } = await app.license({ maxVersion: '2', features: { sso: true } });
      return {
        status: 200,
        body: { licenseKey: key, machineId, appVersion: '2.1', nonce: 'abcdefghijklmnop' },
      };
    },
  },
  'POST /api/v1/license/deactivate': {
    scopes: clients,
    limit: 15,
    success: async (app) => {
      const { key } = await app.license();
      const secret = (await app.apiKey('FULL_ADMIN')).secret;
      await app.post('/api/v1/license/activate', { licenseKey: key, machineId }, secret);
      return { status: 200, body: { licenseKey: key, machineId } };
    },
  },
};

export const adminRows: AdminRows = {
  'GET /licenses/{id}/activations': 'licensing:read',
  'POST /licenses/{id}/activations/clear': 'licensing:write',
};
