// Answers with bytes (licensing D92): headers, ranges, and what becomes of broken sources and of clients that leave.
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Content, textContent } from '#kernel/http/content.ts';
import { download, endpoint, noContent } from '#kernel/http/endpoint.ts';
import { type EndpointServer, serveEndpoints } from '../../support/endpoint-server.ts';

const CHUNK = 65_536;
const bytes = Buffer.alloc(300_000, 'content of a bundle, ');
const seen = { asked: 0, begun: 0, closed: 0, left: 0 };
const unchanged = { ...seen };

/** Reads out of `bytes` with one buffer, which is overwritten as soon as the next chunk is asked for. */
async function* reused(start: number, end: number): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.alloc(CHUNK);
  try {
    for (let at = start; at <= end; at += CHUNK) {
      seen.asked += 1;
      const size = bytes.copy(buffer, 0, at, Math.min(at + CHUNK, end + 1));
      yield buffer.subarray(0, size);
      buffer.fill('!');
    }
  } finally {
    seen.left += 1;
  }
}

const contentOf = (change: Partial<Content> = {}): Content => ({
  type: 'application/octet-stream',
  size: bytes.length,
  etag: '"abc"',
  headers: { 'X-Bundle-SHA256': 'ab12', 'Content-Disposition': 'attachment; filename="a.bin"' },
  read: reused,
  begun: () => void (seen.begun += 1),
  close: async () => void (seen.closed += 1),
  ...change,
});

const endless = async function* (): AsyncGenerator<Uint8Array> {
  try {
    for (;;) {
      seen.asked += 1;
      yield Buffer.alloc(CHUNK);
    }
  } finally {
    seen.left += 1;
  }
};
const faulty = (give: number, fault?: Error) =>
  async function* (): AsyncGenerator<Uint8Array> {
    if (give > 0) yield bytes.subarray(0, give);
    if (fault) throw fault;
  };

const contents: Record<string, () => Content> = {
  whole: () => contentOf(),
  empty: () => contentOf({ size: 0 }),
  endless: () => contentOf({ size: 2 ** 40, read: endless }),
  unreadable: () => contentOf({ read: faulty(0, new Error('EIO at once')) }),
  none: () => contentOf({ read: faulty(0) }),
  breaks: () => contentOf({ read: faulty(1000, new Error('EIO later')) }),
  short: () => contentOf({ read: faulty(1000) }),
  long: () => contentOf({ size: 500, read: faulty(1000) }),
  text: () => textContent('text/yaml; charset=utf-8', 'größe: 1\n', { etag: '"t"' }),
  stays: () => contentOf({ close: () => Promise.reject(new Error('EBADF')) }),
};
const base = { method: 'get', summary: 'Bytes', scope: null, limit: null, replies: {} } as const;

let server: EndpointServer;
beforeAll(async () => {
  const told = { type: 'application/octet-stream', headers: {} };
  server = await serveEndpoints([
    ...Object.entries(contents).map(([name, make]) =>
      endpoint({ ...base, path: `/api/${name}`, content: told, handle: async () => download(make()) }),
    ),
    endpoint({ ...base, path: '/api/nothing', handle: async () => noContent() }),
  ]);
});
afterAll(() => server.close());
beforeEach(() => {
  Object.assign(seen, unchanged);
  server.observed.length = server.answered.length = server.logged.length = 0;
});

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  server.send(path, { method, headers });
/** What a client sees of a request whose connection breaks. */
const brokenOff = async (path: string) => {
  await expect(get(path)).rejects.toThrow(/aborted|socket hang up/);
  await vi.waitFor(() => expect(server.observed).toHaveLength(1));
};

const described = {
  'content-type': 'application/octet-stream',
  'content-disposition': 'attachment; filename="a.bin"',
  'x-bundle-sha256': 'ab12',
  'accept-ranges': 'bytes',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-request-id': expect.stringMatching(/^req_/),
  etag: '"abc"',
};

describe('GET', () => {
  it('sends the whole, and uses a buffer again only when its bytes have gone', async () => {
    const { status, headers, text } = await get('/api/whole');
    expect(status).toBe(200);
    expect(headers).toMatchObject({ ...described, 'content-length': String(bytes.length) });
    expect(headers['content-range']).toBeUndefined();
    expect(text).toBe(bytes.toString());
    expect(seen).toEqual({ asked: 5, begun: 1, closed: 1, left: 1 });
    expect(server.observed).toEqual([['GET', '/api/whole', 200, null]]);
    expect(server.answered).toMatchObject([{ method: 'GET', status: 200, code: null }]);
  });

  it('sends a range, and every header describes the whole but length and range', async () => {
    const { status, headers, text } = await get('/api/whole', { Range: 'bytes=70000-299998' });
    expect(status).toBe(206);
    const range = `bytes 70000-299998/${bytes.length}`;
    expect(headers).toMatchObject({ ...described, 'content-length': '229999', 'content-range': range });
    expect(text).toBe(bytes.subarray(70_000, 299_999).toString());
    expect(seen).toEqual({ asked: 4, begun: 0, closed: 1, left: 1 });
    expect(server.observed).toEqual([['GET', '/api/whole', 206, null]]);
  });

  it('begins when the first byte is part of the range', async () => {
    await get('/api/whole', { Range: 'bytes=0-0' });
    expect(seen.begun).toBe(1);
  });

  it('sends content without bytes, and a text', async () => {
    const empty = await get('/api/empty');
    expect([empty.status, empty.headers['content-length'], empty.text]).toEqual([200, '0', '']);
    expect(seen).toEqual({ asked: 0, begun: 1, closed: 1, left: 0 });
    const text = await get('/api/text');
    expect([text.headers['content-type'], text.text]).toEqual(['text/yaml; charset=utf-8', 'größe: 1\n']);
    expect((await get('/api/text', { Range: 'bytes=8-' })).text).toBe(' 1\n');
  });

  it('keeps its connection for the next request', async () => {
    const request = 'GET /api/whole HTTP/1.1\r\nHost: x\r\nRange: bytes=0-3\r\n\r\n';
    const last = request.replace('Range', 'Connection: close\r\nRange');
    const { text } = await server.raw(request + request + last);
    expect(text.match(/HTTP\/1\.1 206/g)).toHaveLength(3);
    expect(text.match(/\r\n\r\ncont/g)).toHaveLength(3);
  });
});

describe('without bytes', () => {
  it('HEAD tells what GET would, ignores Range, and does not begin', async () => {
    const { status, headers, text } = await get('/api/whole', { Range: 'bytes=5-6' }, 'HEAD');
    expect([status, text]).toEqual([200, '']);
    expect(headers).toMatchObject({ ...described, 'content-length': String(bytes.length) });
    expect(seen).toEqual({ asked: 0, begun: 0, closed: 1, left: 0 });
    expect(server.observed).toEqual([['HEAD', '/api/whole', 200, null]]);
  });

  it('304 repeats the tag and nothing of the content', async () => {
    const { status, headers, text } = await get('/api/whole', { 'If-None-Match': '"abc"' });
    expect([status, text, headers.etag]).toEqual([304, '', '"abc"']);
    for (const name of ['content-type', 'content-length', 'content-disposition', 'x-bundle-sha256'])
      expect(headers[name]).toBeUndefined();
    expect(seen).toEqual({ asked: 0, begun: 0, closed: 1, left: 0 });
    expect(server.observed).toEqual([['GET', '/api/whole', 304, null]]);
  });

  it.each([
    [416, 'Range', 'bytes=300000-', 'the content has 300000 bytes'],
    [412, 'If-Match', '"other"', 'the content is another one'],
  ])('%i is an error in the envelope', async (status, name, value, message) => {
    const reply = await get('/api/whole', { [name]: value });
    expect(reply.status).toBe(status);
    const issues = [{ path: name, rule: 'header', message }];
    expect(reply.body.error).toEqual({ code: 'VALIDATION_ERROR', message, details: { issues } });
    expect(reply.headers['content-range']).toBe(status === 416 ? 'bytes */300000' : undefined);
    expect(reply.headers.etag).toBeUndefined();
    expect(seen).toEqual({ asked: 0, begun: 0, closed: 1, left: 0 });
    expect(server.observed).toEqual([['GET', '/api/whole', status, 'VALIDATION_ERROR']]);
  });

  it('204 has neither type nor length', async () => {
    const { status, headers, text } = await get('/api/nothing');
    expect([status, text]).toEqual([204, '']);
    expect(headers['content-type']).toBeUndefined();
    expect(headers['content-length']).toBeUndefined();
    expect(server.observed).toEqual([['GET', '/api/nothing', 204, null]]);
  });
});

describe('a source that fails', () => {
  it.each(['unreadable', 'none'])('before its first byte is a 500 like any other (%s)', async (name) => {
    const { status, headers, body } = await get(`/api/${name}`);
    expect([status, body.error]).toEqual([500, { code: 'SERVER_ERROR', message: 'Unexpected error' }]);
    for (const header of ['etag', 'content-disposition', 'accept-ranges', 'x-bundle-sha256'])
      expect(headers[header]).toBeUndefined();
    expect(seen).toMatchObject({ begun: 0, closed: 1 });
    expect(server.observed).toEqual([['GET', `/api/${name}`, 500, 'SERVER_ERROR']]);
    expect(server.logged).toMatchObject([{ msg: 'request failed' }]);
  });

  it.each(['breaks', 'short', 'long'])('later breaks the connection (%s)', async (name) => {
    await brokenOff(`/api/${name}`);
    expect(seen).toMatchObject({ begun: 1, closed: 1 });
    expect(server.observed).toEqual([['GET', `/api/${name}`, 200, 'SERVER_ERROR']]);
    expect(server.logged).toMatchObject([{ msg: 'a download broke off' }]);
  });

  it('that cannot be closed has been sent all the same', async () => {
    expect((await get('/api/stays')).text).toHaveLength(bytes.length);
    expect(server.observed).toEqual([['GET', '/api/stays', 200, null]]);
    expect(server.logged).toMatchObject([{ msg: 'content was not closed' }]);
  });
});

describe('a client that leaves', () => {
  const leaveAfterFirstBytes = (requests: string) =>
    new Promise<void>((resolve) => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1', () => socket.write(requests));
      socket.once('data', () => socket.destroy());
      socket.once('close', () => resolve());
    });
  const request = 'GET /api/endless HTTP/1.1\r\nHost: x\r\n\r\n';

  it('ends the reading, closes the content, and is told of once', async () => {
    await leaveAfterFirstBytes(request);
    await vi.waitFor(() => expect(server.observed).toEqual([['GET', '/api/endless', 200, 'ABORTED']]));
    expect(seen).toMatchObject({ begun: 1, closed: 1, left: 1 });
    expect(server.logged).toEqual([]);
  });

  it('ends also what waited behind another answer on the same connection', async () => {
    await leaveAfterFirstBytes(request + request);
    await vi.waitFor(() => expect(seen).toMatchObject({ closed: 2, left: 2 }));
    expect(server.observed.map(([, , , code]) => code)).toEqual(['ABORTED', 'ABORTED']);
  });
});
