// Requests that a client has sent behind one whose answer ends their connection: nothing is done that nobody is told of.
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { endpoint, ok } from '#kernel/http/endpoint.ts';
import { type EndpointServer, serveEndpoints } from '../../support/endpoint-server.ts';

let done = 0;
let server: EndpointServer;
beforeAll(async () => {
  server = await serveEndpoints([
    endpoint({
      method: 'get',
      path: '/api/count',
      summary: 'Count',
      scope: null,
      limit: null,
      replies: {},
      handle: async () => ok({ count: ++done }),
    }),
  ]);
});
afterAll(() => server.close());

/** Sends requests in one packet. @returns all that came until the server ended the connection */
async function sendAtOnce(count: number): Promise<string> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(`GET /api/count HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`.repeat(count));
  return text(socket);
}

it('of many in one packet, those behind the one that asks to leave are not begun', async () => {
  server.state.leaving.begin(0.5);
  // The first connection stays, as a part of those in use: its share is due with the second one.
  expect((await server.send('/api/count')).status).toBe(200);
  const before = done;
  const came = await sendAtOnce(5);
  expect(came.match(/HTTP\/1\.1 200/g)).toHaveLength(1);
  expect(came).toMatch(/Connection: close/i);
  expect(done - before).toBe(1);
});

it('nor while the server ends', async () => {
  server.state.leaving.begin(0);
  server.state.isDraining = true;
  const before = done;
  expect((await sendAtOnce(3)).match(/HTTP\/1\.1 200/g)).toHaveLength(1);
  expect(done - before).toBe(1);
});
