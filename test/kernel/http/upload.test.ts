// Files as request bodies: as they are or as the only part of a form, while they arrive, up to a limit.
import { createHash, randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { AppError } from '#kernel/errors.ts';
import { endpoint, ok } from '#kernel/http/endpoint.ts';
import { type EndpointServer, serveEndpoints } from '../../support/endpoint-server.ts';

const MAX = 100_000;
const path = '/api/upload';
const refused = '/api/refused';
const json = '/api/json';
/** What the use case got to know of the last request. */
const seen: { sizes: number[]; fault: unknown; began: number } = { sizes: [], fault: null, began: 0 };

let server: EndpointServer;
beforeAll(async () => {
  const base = { method: 'post', summary: 'File', scope: null, limit: null, replies: {} } as const;
  server = await serveEndpoints([
    endpoint({
      ...base,
      path,
      upload: { maxBytes: () => MAX },
      query: z.object({ note: z.string().max(5).optional() }),
      async handle(_ctx, { raw }) {
        seen.began += 1;
        const hash = createHash('sha256');
        let size = 0;
        try {
          for await (const chunk of raw.stream) {
            size += chunk.length;
            hash.update(chunk);
          }
        } catch (fault) {
          seen.fault = fault;
          throw fault;
        }
        seen.sizes.push(size);
        return ok({ size, sha256: hash.digest('hex'), filename: raw.filename });
      },
    }),
    endpoint({ ...base, path: json, bodyBytes: 10_000, body: z.object({}), handle: async () => ok({}) }),
    endpoint({
      ...base,
      path: refused,
      upload: { maxBytes: () => 2 ** 40 },
      async handle(_ctx, { raw }) {
        for await (const _first of raw.stream) throw new AppError('CONFLICT', 409, 'not now');
        return ok({});
      },
    }),
  ]);
});
afterAll(() => server.close());
beforeEach(() => {
  Object.assign(seen, { sizes: [], fault: null, began: 0 });
  server.observed.length = 0;
});

const sha256 = (data: Uint8Array) => createHash('sha256').update(data).digest('hex');
const plain = (body: Uint8Array, headers: Record<string, string> = {}) =>
  server.send(path, { body, headers: { 'Content-Type': 'application/octet-stream', ...headers } });

type Part = { head: string; data: Uint8Array | string };
const filePart = (data: Uint8Array | string, filename = 'a.zip'): Part => ({
  head: `Content-Disposition: form-data; name="file"; filename="${filename}"\r\nContent-Type: application/zip`,
  data,
});
const fieldPart: Part = { head: 'Content-Disposition: form-data; name="note"', data: 'hello' };
const formOf = (...parts: Part[]) =>
  Buffer.concat([
    ...parts.flatMap(({ head, data }) =>
      [`--b0\r\n${head}\r\n\r\n`, data, '\r\n'].map((piece) => Buffer.from(piece as string)),
    ),
    Buffer.from('--b0--\r\n'),
  ]);
const form = (body: Uint8Array, type = 'multipart/form-data; boundary=b0') =>
  server.send(path, { body, headers: { 'Content-Type': type } });
const faultOf = ({ status, body }: Awaited<ReturnType<typeof plain>>) => [
  status,
  body.error?.code,
  body.error?.message,
];
const tooLarge = [413, 'VALIDATION_ERROR', `the file is larger than ${MAX} bytes`];

describe('application/octet-stream', () => {
  it.each([1, 65_536, MAX])('takes %i bytes as they are', async (size) => {
    const data = randomBytes(size);
    const { status, body } = await plain(data);
    expect([status, body]).toEqual([200, { success: true, size, sha256: sha256(data), filename: null }]);
  });

  it('refuses one byte more before it begins, when that is announced', async () => {
    expect(faultOf(await plain(Buffer.alloc(MAX + 1)))).toEqual(tooLarge);
    expect(seen.began).toBe(0);
  });

  it('refuses one byte more while it arrives, when nothing was announced', async () => {
    const body = Buffer.alloc(MAX + 1, 'x');
    const chunked = [`${body.length.toString(16)}\r\n`, body, '\r\n0\r\n\r\n'];
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/octet-stream\r\n`;
    const bytes = [`${head}Transfer-Encoding: chunked\r\n\r\n`, ...chunked].map((one) => Buffer.from(one));
    const { status, text } = await server.raw(Buffer.concat(bytes));
    expect(status).toBe(413);
    expect(text).toContain('the file is larger than 100000 bytes');
    expect(seen.sizes).toEqual([]);
  });

  it('accepts parameters and any case of the type', async () => {
    expect((await plain(Buffer.of(1), { 'Content-Type': 'Application/Octet-Stream; x=y' })).status).toBe(200);
  });

  it('is not begun when another part of the request is wrong', async () => {
    const type = { 'Content-Type': 'application/octet-stream' };
    const reply = await server.send(`${path}?note=too-long`, { body: Buffer.alloc(90_000), headers: type });
    expect([reply.status, seen.began]).toEqual([400, 0]);
  });
});

describe('multipart/form-data', () => {
  it.each([1, 65_536, MAX])('takes its only file of %i bytes', async (size) => {
    const data = randomBytes(size);
    const { status, body } = await form(formOf(filePart(data)));
    expect([status, body]).toEqual([200, { success: true, size, sha256: sha256(data), filename: 'a.zip' }]);
  });

  it('is as fetch sends it', async () => {
    const sent = new FormData();
    sent.append('file', new Blob(['abc']), 'größe 1.zip');
    const reply = await fetch(server.url + path, { method: 'POST', body: sent });
    expect(await reply.json()).toMatchObject({ size: 3, filename: 'größe 1.zip' });
  });

  it.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\temp\\a.zip', 'a.zip'],
    ['a b.zip', 'a b.zip'],
  ])('of the filename %s only the last part counts', async (given, filename) => {
    expect((await form(formOf(filePart('x', given)))).body).toMatchObject({ filename });
  });

  it('refuses a file that is too large, announced or not', async () => {
    expect(faultOf(await form(formOf(filePart(Buffer.alloc(MAX + 1)))))).toEqual(tooLarge);
    expect(seen.began).toBe(1);
    expect(faultOf(await form(formOf(filePart(Buffer.alloc(2 * MAX)))))).toEqual(tooLarge);
    expect(seen.began).toBe(1);
  });

  const only = 'the form must contain exactly one file and nothing else';
  it.each<[string, Buffer, string]>([
    ['two files', formOf(filePart('one'), filePart('two')), only],
    ['a field after the file', formOf(filePart('one'), fieldPart), only],
    ['a field before the file', formOf(fieldPart, filePart('one')), only],
    ['a field alone', formOf(fieldPart), only],
    ['nothing', Buffer.from('--b0--\r\n'), 'the form contains no file'],
    ['no end', formOf(filePart('one')).subarray(0, -8), 'the body cannot be read: Unexpected end of form'],
    ['no boundary in it', Buffer.from('abc'), 'the body cannot be read: Unexpected end of form'],
    [
      'a broken header',
      Buffer.from('--b0\r\nContent Disposition\u0000: x\r\n\r\nx\r\n--b0--\r\n'),
      'the body cannot be read: Malformed part header',
    ],
    [
      'a file in base64',
      formOf({ ...filePart('YWJj'), head: `${filePart('').head}\r\nContent-Transfer-Encoding: base64` }),
      'Content-Transfer-Encoding base64 is not supported',
    ],
  ])('a form with %s is refused', async (_what, body, message) => {
    expect(faultOf(await form(body))).toEqual([400, 'VALIDATION_ERROR', message]);
    expect(seen.sizes).toEqual([]);
  });

  it('needs a boundary', async () => {
    const message = 'the body cannot be read: Multipart: Boundary not found';
    expect(faultOf(await form(formOf(filePart('x')), 'multipart/form-data'))).toEqual([
      400,
      'VALIDATION_ERROR',
      message,
    ]);
  });
});

describe('other bodies', () => {
  const types = 'Content-Type must be application/octet-stream or multipart/form-data';
  it.each<[Record<string, string>, string]>([
    [{ 'Content-Type': 'application/json' }, types],
    [{ 'Content-Type': 'application/x-www-form-urlencoded' }, types],
    [{ 'Content-Type': '' }, types],
    [{ 'Content-Type': 'multipart/mixed; boundary=b0' }, types],
    [{ 'Content-Encoding': 'gzip' }, 'Content-Encoding is not supported for files'],
  ])('%j is refused', async (headers, message) => {
    expect(faultOf(await plain(Buffer.from('abc'), headers))).toEqual([400, 'VALIDATION_ERROR', message]);
    expect(seen.began).toBe(0);
  });

  it('no body at all is refused', async () => {
    const message = 'the body is empty: it must be the file';
    const headers = { 'Content-Type': 'application/octet-stream' };
    for (const more of [{}, { 'Content-Length': '0' }])
      expect(faultOf(await server.send(path, { method: 'POST', headers: { ...headers, ...more } }))).toEqual([
        400,
        'VALIDATION_ERROR',
        message,
      ]);
  });
});

describe('a connection', () => {
  it('that breaks ends the stream with an error, in both forms', async () => {
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\nContent-Type: `;
    for (const [index, start] of [
      `${head}application/octet-stream\r\n\r\nabc`,
      `${head}multipart/form-data; boundary=b0\r\n\r\n--b0\r\n${filePart('').head}\r\n\r\nabc`,
    ].entries()) {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1', () => socket.write(start));
      await vi.waitFor(() => expect(seen.began).toBe(index + 1));
      socket.destroy();
      await vi.waitFor(() => expect(server.observed).toHaveLength(index + 1));
      expect(seen).toMatchObject({ sizes: [], fault: { message: 'the body ended early', status: 400 } });
    }
  });

  const stalled = [400, 'no bytes of the file arrived for 20 seconds'] as const;
  it.each([
    ['in the middle of a file', path, 'application/octet-stream', 'abc', ...stalled],
    ['before the file of a form', path, 'multipart/form-data; boundary=b0', '--b0\r\n', ...stalled],
    [
      'after the file of a form',
      path,
      'multipart/form-data; boundary=b0',
      `--b0\r\n${filePart('').head}\r\n\r\nabc\r\n--b0`,
      ...stalled,
    ],
    [
      'in the middle of JSON',
      json,
      'application/json',
      '{',
      400,
      'the body did not arrive within 30 seconds',
    ],
    ['after a refusal', refused, 'application/octet-stream', 'abc', 409, 'not now'],
  ])('that falls silent %s is answered, then ended', async (_when, to, type, start, status, message) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const ended = vi.fn();
      let text = '';
      const head = `POST ${to} HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\nContent-Type: ${type}\r\n\r\n`;
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1', () => socket.write(head + start));
      socket
        .on('data', (chunk) => (text += chunk.toString('latin1')))
        .on('error', () => undefined)
        .on('close', ended);
      await sleep(100);
      vi.advanceTimersByTime(19_000);
      await sleep(20);
      expect(text.startsWith('HTTP')).toBe(status !== 400);
      vi.advanceTimersByTime(to === json ? 11_000 : 1000);
      await vi.waitFor(() => expect(text).toContain(message));
      expect(text).toContain(`HTTP/1.1 ${status} `);
      await vi.waitFor(() => {
        vi.advanceTimersByTime(10_000);
        expect(ended).toHaveBeenCalledOnce();
      });
    } finally {
      vi.useRealTimers();
    }
  });

  it('hears the refusal of a file that is still being sent, and is free for the next request', async () => {
    const size = 8_000_000;
    const head = `POST ${refused} HTTP/1.1\r\nHost: x\r\nContent-Type: application/octet-stream\r\n`;
    const next = `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: text/plain\r\n\r\n`;
    const bytes = [`${head}Content-Length: ${size}\r\n\r\n`, Buffer.alloc(size), next];
    const { port } = new URL(server.url);
    const text = await new Promise<string>((resolve) => {
      let received = '';
      const socket = connect(Number(port), '127.0.0.1', () => {
        for (const piece of bytes) socket.write(piece);
      });
      socket.on('data', (chunk) => (received += chunk.toString('latin1')));
      socket.on('close', () => resolve(received));
    });
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 409', 'HTTP/1.1 400']);
  });
});
