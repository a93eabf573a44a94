import { createHmac } from 'node:crypto';
import * as integrations from '#licensing/purchases/integrations/index.ts';
import type { AdminRows, ContractRows } from '../row.ts';

export const publicRows: ContractRows = {
  'POST /api/v1/webhooks/inbound/{configId}': {
    scopes: null,
    limit: 60,
    windowSeconds: 60,
    success: async (app) => {
      const { id: productId } = await app.product();
      const signingSecret = 'a secret of the processor';
      const { config } = await integrations.create(app.ctx, { processor: 'GENERIC', signingSecret });
      await integrations.mapProduct(app.ctx, config.id, { externalProductId: 'plan_1', productId });
      const body = JSON.stringify({ event: 'order.completed', productId: 'plan_1', email: 'ann@x.test' });
      const signature = createHmac('sha256', signingSecret).update(body).digest('hex');
      const headers = { 'X-Webhook-Signature': signature };
      return { status: 200, path: `/api/v1/webhooks/inbound/${config.id}`, body, headers };
    },
  },
};

export const adminRows: AdminRows = {
  'GET /integrations/{configId}/refusals': 'licensing:read',
  'POST /integrations/{configId}/simulate': 'licensing:read',
  'POST /integrations/{configId}/sample': 'licensing:secrets',
};
