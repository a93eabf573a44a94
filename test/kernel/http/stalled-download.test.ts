// A client that asks for much and takes nothing: it holds little, and not for ever. A slow source is not its fault.
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sleep } from '#kernel/clock.ts';
import type { Content } from '#kernel/http/content.ts';
import type { Exchange } from '#kernel/http/exchange.ts';
import { type Sent, sendContent } from '#kernel/http/send-content.ts';
import { openSurface } from '../../support/endpoint-server.ts';

const CHUNK = 131_072;
const SIZE = 2 ** 30;
const STALLED_MS = 200;
let asked = 0;
let server: Server;
let told: (sent: Sent) => void;
const nextSent = () =>
  new Promise<Sent>((resolve) => {
    told = resolve;
  });

const content: Content = {
  type: 'application/octet-stream',
  size: SIZE,
  etag: '"abc"',
  headers: {},
  async *read() {
    const chunk = Buffer.alloc(CHUNK);
    for (let left = SIZE; left > 0; left -= CHUNK) {
      asked += 1;
      yield chunk;
    }
  },
  close: async () => undefined,
};

/** Its second half comes later than a client may be silent. */
const late: Content = {
  ...content,
  size: 10,
  async *read() {
    yield Buffer.from('first');
    await sleep(3 * STALLED_MS);
    yield Buffer.from(' last');
  },
};

beforeAll(async () => {
  server = createServer((req, res) => {
    const exchange = { req, res, headers: {}, requestId: 'req_1', route: '/' } as unknown as Exchange;
    const asksFor = req.url === '/late' ? late : content;
    void sendContent(openSurface([]), exchange, asksFor, STALLED_MS).then((sent) => told(sent));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => server.close());

it('is given up, and was asked for no more than the system took', async () => {
  const sent = nextSent();
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.pause().on('error', () => undefined);
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  expect(await sent).toEqual({ status: 200, code: 'ABORTED' });
  // The system's own buffers hold some megabytes of the gigabyte.
  expect(asked * CHUNK).toBeLessThan(SIZE / 16);
  socket.destroy();
});

it('is not given up while the source is slow', async () => {
  const sent = nextSent();
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('GET /late HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  expect(await text(socket)).toMatch(/\r\n\r\nfirst last$/);
  expect(await sent).toEqual({ status: 200, code: null });
});
