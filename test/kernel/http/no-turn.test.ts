// A request for which no connection to the database came free: the server is too busy, and says when to try again.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { NoTurn } from '#kernel/db/database.ts';
import { endpoint } from '#kernel/http/endpoint.ts';
import { pageError } from '#kernel/http/error-page.ts';
import { type EndpointServer, serveEndpoints } from '../../support/endpoint-server.ts';

const noTurn = () => new NoTurn('all connections to the database were in use for 15 s', null);

let server: EndpointServer;
beforeAll(async () => {
  server = await serveEndpoints([
    endpoint({
      method: 'get',
      path: '/api/busy',
      summary: 'Busy',
      scope: null,
      limit: null,
      replies: { 200: z.object({}) },
      handle: () => Promise.reject(noTurn()),
    }),
  ]);
});
afterAll(() => server.close());

it('is answered 503 with Retry-After, by APIs and by pages', async () => {
  const { status, headers, body } = await server.send('/api/busy');
  expect([status, headers['retry-after'], body.error]).toMatchObject([
    503,
    '1',
    { code: 'SERVER_ERROR', message: 'The server is too busy' },
  ]);
  expect(pageError(noTurn())).toMatchObject({ status: 503, details: { retryAfterSeconds: 1 } });
});
