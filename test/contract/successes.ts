// One request per declared operation that succeeds: the contract test sends them and judges the answers.
import { createHmac } from 'node:crypto';
import * as integrations from '#licensing/purchases/integrations/index.ts';
import type { TestApp } from '../support/app.ts';
import type { Sent } from '../support/http-client.ts';
import { delegatedProduct } from '../support/online-key.ts';
import { updateSuccesses } from './update-successes.ts';

/** The parts that vary of a request: what fills `{name}` in the path, the query, and what is sent. */
export type Success = Sent & { path?: string; status: number };

const machineId = 'machine-0001';

/**
 * By `METHOD path`. Each makes what its request needs, so that they run in any order.
 * @param app where it is made
 */
export const successes: Record<string, (app: TestApp) => Promise<Success>> = {
  ...updateSuccesses,
  'POST /api/v1/license/activate': async (app) => {
    const { key } = await app.license({ maxVersion: '2', features: { sso: true } });
    return {
      status: 200,
      body: { licenseKey: key, machineId, appVersion: '2.1', nonce: 'abcdefghijklmnop' },
    };
  },
  'POST /api/v1/license/deactivate': async (app) => {
    const { key } = await app.license();
    const secret = (await app.apiKey('FULL_ADMIN')).secret;
    await app.post('/api/v1/license/activate', { licenseKey: key, machineId }, secret);
    return { status: 200, body: { licenseKey: key, machineId } };
  },
  'POST /api/v1/license/validate': async (app) => {
    const product = await app.product({ defaultLicenseType: 'FLOATING' });
    const { key } = await app.license({ productId: product.id, maxUses: 5, maxVersion: '2' });
    const secret = (await app.apiKey('FULL_ADMIN')).secret;
    await app.post('/api/v1/license/activate', { licenseKey: key, machineId }, secret);
    return {
      status: 200,
      body: { licenseKey: key, machineId, appVersion: '1', nonce: 'abcdefghijklmnop' },
    };
  },
  'GET /api/v1/license/check/{key}': async (app) => {
    const { key } = await app.license({ features: { seats: 3 } });
    return { status: 200, path: `/api/v1/license/check/${key}?nonce=abcdefghijklmnop` };
  },
  'POST /api/v1/license/heartbeat': async (app) => {
    const policy = await app.policy({ heartbeatInterval: 5 });
    const { key } = await app.license({ policyId: policy.id });
    const secret = (await app.apiKey('FULL_ADMIN')).secret;
    await app.post('/api/v1/license/activate', { licenseKey: key, machineId }, secret);
    return { status: 200, body: { key, machineId, nonce: 'abcdefghijklmnop' } };
  },
  'POST /api/v1/license/record-usage': async (app) => {
    const { key } = await app.license({ maxUses: 5 });
    const body = { key, feature: 'export', quantity: 5, metadata: { pages: 3 }, nonce: 'abcdefghijklmnop' };
    return { status: 200, body };
  },
  'POST /api/v1/license/validate-entitlement': async (app) => {
    const { key } = await app.license({ features: { seats: { max: 3 } } });
    return { status: 200, body: { key, entitlement: 'seats', nonce: 'abcdefghijklmnop' } };
  },
  'POST /api/v1/license/offline-token': async (app) => {
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
  'POST /api/v1/license/checkout': async (app) => {
    const { key } = await app.license({ type: 'FLOATING', validUntil: null });
    const body = { key, machineId, machineName: 'desk', leaseDuration: 600, metadata: { user: 'ann' } };
    return { status: 200, body: { ...body, nonce: 'abcdefghijklmnop' } };
  },
  'POST /api/v1/license/checkin': async (app) => {
    const { key } = await app.license({ type: 'FLOATING', validUntil: null });
    const secret = (await app.apiKey('FULL_ADMIN')).secret;
    await app.post('/api/v1/license/checkout', { key, machineId }, secret);
    return { status: 200, body: { key, machineId, nonce: 'abcdefghijklmnop' } };
  },
  'GET /api/v1/license/by-order/{orderId}': async (app) => {
    await app.license({ orderId: 'A 1/2' });
    return { status: 200, path: '/api/v1/license/by-order/A%201%2F2' };
  },
  'POST /api/v1/license/revoke': async (app) => {
    const { id } = await app.license();
    return { status: 200, body: { licenseId: id, reason: 'refunded' } };
  },
  'POST /api/v1/license/renew': async (app) => {
    const { key } = await app.license();
    return { status: 200, body: { licenseKey: key, validUntil: '2031-05-06T07:08:09+02:00' } };
  },
  'POST /api/v1/license/create': async (app) => {
    const { id } = await app.product();
    return { status: 201, body: { productId: id, customerEmail: 'ann@x.test' } };
  },
  'POST /api/v1/license/create-bulk': async (app) => {
    const { id } = await app.product();
    const good = { productId: id, customerEmail: 'ann@x.test' };
    return { status: 207, body: { licenses: [good, { ...good, maxActivations: 0 }] } };
  },
  'GET /api/v1/products': async (app) => {
    await app.product();
    return { status: 200 };
  },
  'POST /api/v1/webhooks/inbound/{configId}': async (app) => {
    const { id: productId } = await app.product();
    const signingSecret = 'a secret of the processor';
    const { config } = await integrations.create(app.ctx, { processor: 'GENERIC', signingSecret });
    await integrations.mapProduct(app.ctx, config.id, { externalProductId: 'plan_1', productId });
    const body = JSON.stringify({ event: 'order.completed', productId: 'plan_1', email: 'ann@x.test' });
    const signature = createHmac('sha256', signingSecret).update(body).digest('hex');
    const headers = { 'X-Webhook-Signature': signature };
    return { status: 200, path: `/api/v1/webhooks/inbound/${config.id}`, body, headers };
  },
};
