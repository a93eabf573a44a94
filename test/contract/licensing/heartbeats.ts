import { type ContractRows, clients } from '../row.ts';

const machineId = 'machine-0001';

export const publicRows: ContractRows = {
  'POST /api/v1/license/heartbeat': {
    scopes: clients,
    limit: 120,
    windowSeconds: 60,
    success: async (app) => {
      const policy = await app.policy({ heartbeatInterval: 5 });
      const { key } = await app.license({ policyId: policy.id });
      const secret = (await app.apiKey('FULL_ADMIN')).secret;
      await app.post('/api/v1/license/activate', { licenseKey: key, machineId }, secret);
      return { status: 200, body: { key, machineId, nonce: 'abcdefghijklmnop' } };
    },
  },
};
