import { type AdminRows, type ContractRows, clients } from '../row.ts';

const machineId = 'machine-0001';

export const publicRows: ContractRows = {
  'POST /api/v1/license/checkout': {
    scopes: clients,
    limit: 15,
    success: async (app) => {
      const { key } = await app.license({ type: 'FLOATING', validUntil: null });
      const body = { key, machineId, machineName: 'desk', leaseDuration: 600, metadata: { user: 'ann' } };
      return { status: 200, body: { ...body, nonce: 'abcdefghijklmnop' } };
    },
  },
  'POST /api/v1/license/checkin': {
    scopes: clients,
    limit: 15,
    success: async (app) => {
      const { key } = await app.license({ type: 'FLOATING', validUntil: null });
      const secret = (await app.apiKey('FULL_ADMIN')).secret;
      await app.post('/api/v1/license/checkout', { key, machineId }, secret);
      return { status: 200, body: { key, machineId, nonce: 'abcdefghijklmnop' } };
    },
  },
};

export const adminRows: AdminRows = {
  'GET /events/stream': 'licensing:read',
  'GET /reports/{name}': 'licensing:read',
  'GET /stats/overview': 'licensing:read',
  'GET /stats/durations': 'licensing:read',
  'GET /stats/seats': 'licensing:read',
  'GET /stats/denials': 'licensing:read',
};
