// The order of checks (D3): each step is asked only when those before it let the request pass.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ limits: 'on', proxyTrust: '127.0.0.1' });
});
afterAll(() => app.close());

it('a request with every fault loses one after the other in the documented order', async () => {
  const { key: licenseKey } = await app.license({ validUntil: '2026-01-01T00:00:00.000Z' });
  const wrong = await app.apiKey('VALIDATE_ONLY', { ipAllowlist: ['10.0.0.1'] });
  const limits = { write: { max: 1, windowSeconds: 900 } };
  const allowed = await app.apiKey('CREATE_LICENSE', { ipAllowlist: ['10.0.0.1'], limits });
  const roomy = await app.apiKey('CREATE_LICENSE', { ipAllowlist: ['10.0.0.1'] });
  const create = async (key: string | undefined, address: string, body: unknown) => {
    const reply = await app.post('/api/v1/license/create', body, key, { 'X-Forwarded-For': address });
    return reply.body.error?.code;
  };
  const broken = '{';
  expect(await create(undefined, '10.0.0.2', broken)).toBe('API_KEY_REQUIRED');
  expect(await create('alk_wrong', '10.0.0.2', broken)).toBe('INVALID_API_KEY');
  expect(await create(wrong.secret, '10.0.0.2', broken)).toBe('IP_NOT_ALLOWED');
  expect(await create(wrong.secret, '10.0.0.1', broken)).toBe('INSUFFICIENT_SCOPE');
  expect(await create(allowed.secret, '10.0.0.1', broken)).toBe('VALIDATION_ERROR');
  expect(await create(allowed.secret, '10.0.0.1', broken)).toBe('RATE_LIMITED');
  expect(await create(roomy.secret, '10.0.0.1', { productId: 'no-such', customerEmail: 5 })).toBe(
    'VALIDATION_ERROR',
  );
  expect(await create(roomy.secret, '10.0.0.1', { productId: 'no-such', customerEmail: 'a@x.test' })).toBe(
    'NOT_FOUND',
  );
  const activate = async (body: object) => {
    const headers = { 'X-Forwarded-For': '10.0.0.1' };
    return (await app.post('/api/v1/license/activate', body, roomy.secret, headers)).body.error?.code;
  };
  expect(await activate({ licenseKey: 'APP-0000-0000-0000', machineId: 'short' })).toBe('VALIDATION_ERROR');
  expect(await activate({ licenseKey: 'APP_0000_0000_0000', machineId: 'machine-0001' })).toBe('INVALID_KEY');
  expect(await activate({ licenseKey: 'APP-0000-0000-0000', machineId: 'machine-0001' })).toBe('NOT_FOUND');
  expect(await activate({ licenseKey, machineId: 'machine-0001' })).toBe('ACTIVATION_FAILED');
});

it('a body is not waited for when the answer is known before it', async () => {
  const head = ['POST /api/v1/license/create HTTP/1.1', 'Host: x', 'Content-Type: application/json'];
  const { status, text } = await app.raw(`${[...head, 'Content-Length: 100000'].join('\r\n')}\r\n\r\n`);
  expect(status).toBe(401);
  expect(text).toContain('API_KEY_REQUIRED');
});
