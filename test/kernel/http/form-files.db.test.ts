// Forms with files: what is taken, and that nothing stays behind of what is refused.
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { text } from '#kernel/http/fields.ts';
import { goTo, page, refuseForm, show } from '#kernel/http/page.ts';
import type { StagedObject } from '#kernel/storage/types.ts';
import { openTestContext, type TestContext } from '../../support/context.ts';
import { changesBy } from '../../support/database-changes.ts';
import type { HttpReply } from '../../support/http-client.ts';
import { type PageServer, servePages, TOKEN } from '../../support/page-server.ts';

const MAX = 50_000;
type Seen = { form: unknown; files: Record<string, [name: string, type: string, size: number][]> };
const seen: Seen[] = [];
/** Called with each file that came; keeps it when the test wants that. */
let onFile: (object: StagedObject) => Promise<unknown> = async () => undefined;

const pictures = page({
  path: '/pictures',
  title: 'Pictures',
  audience: 'public',
  form: z.object({ title: text({ min: 1, max: 20 }), tags: z.array(z.string()) }),
  files: {
    picture: { maxCount: 3, maxBytes: () => MAX },
    notes: { maxCount: 1, maxBytes: () => 10 },
  },
  formBytes: 3000,
  show: async () => show('sample/form', {}),
  async submit(_ctx, { form, files }) {
    if (form.title === 'refused') throw refuseForm('Not this one.');
    const names: Seen['files'] = {};
    for (const [field, list] of Object.entries(files)) {
      names[field] = list.map(({ filename, claimedType, object }) => [filename, claimedType, object.size]);
      for (const { object } of list) await onFile(object);
    }
    seen.push({ form, files: names });
    return goTo('/pictures');
  },
});
const plain = page({
  path: '/plain',
  title: 'Plain',
  audience: 'public',
  form: z.object({ title: text({ min: 1, max: 20 }) }),
  show: async () => show('sample/form', {}),
  async submit(_ctx, { form }) {
    seen.push({ form, files: {} });
    return goTo('/plain');
  },
});

let context: TestContext;
let server: PageServer;
beforeAll(async () => {
  context = await openTestContext();
  const templates = {
    'sample/form': `<%- include('partials/error-summary') %><%- include('partials/field', {name: 'title', label: 'Title'}) %>`,
  };
  server = await servePages({ ctx: context.ctx, pages: [pictures, plain], templates });
});
afterAll(async () => {
  server.close();
  await context.close();
});
beforeEach(() => {
  seen.length = 0;
  onFile = async () => undefined;
});

type Part = [head: string, data: Uint8Array | string];
const field = (name: string, value: string | Uint8Array): Part => [`name="${name}"`, value];
const file = (name: string, data: Uint8Array | string, filename = 'a.png', type = 'image/png'): Part => [
  `name="${name}"; filename="${filename}"\r\nContent-Type: ${type}`,
  data,
];
/** A field that says how its value is written. */
const typed = (name: string, value: string, parameter: string, encoding = '8bit'): Part => [
  `name="${name}"\r\nContent-Type: text/plain; ${parameter}\r\nContent-Transfer-Encoding: ${encoding}`,
  value,
];
const token = field('_csrf', TOKEN);
const title = field('title', 'Cats');
const bodyOf = (...parts: Part[]): Buffer =>
  Buffer.concat([
    ...parts.flatMap(([head, data]) =>
      [`--b0\r\nContent-Disposition: form-data; ${head}\r\n\r\n`, data, '\r\n'].map((piece) =>
        Buffer.from(piece as string),
      ),
    ),
    Buffer.from('--b0--\r\n'),
  ]);
const TYPE = 'multipart/form-data; boundary=b0';
const post = (body: Uint8Array, headers: Record<string, string> = {}, path = '/pictures') =>
  server.send(path, { method: 'POST', body, headers: { 'Content-Type': TYPE, ...headers } });
const send = (...parts: Part[]) => post(bodyOf(...parts));

const bundles = (): string => join(context.runtime.dataDir, 'bundles');
/** Files in the storage, kept or on their way. */
const stored = (): string[] =>
  readdirSync(context.runtime.dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.parentPath.startsWith(bundles()))
    .map(({ name }) => name);

/** Sends something and demands that nothing was done, written to the database or left on the disk. */
async function refused(work: () => Promise<HttpReply>): Promise<HttpReply> {
  const { result, changes } = await changesBy(context.database, work);
  expect([seen, changes.rows, stored()]).toEqual([[], {}, []]);
  return result;
}

describe('a form with files', () => {
  it('takes several files and fields, also fields that come after files', async () => {
    const big = Buffer.alloc(MAX, 7);
    const reply = await send(
      token,
      field('tags', 'a'),
      file('picture', big, 'one.png'),
      file('picture', 'x', 'two.png', 'text/html'),
      title,
      file('notes', '0123456789', 'n.txt'),
      field('tags', 'b'),
    );
    expect([reply.status, reply.headers.location]).toEqual([303, '/pictures']);
    expect(seen).toEqual([
      {
        form: { title: 'Cats', tags: ['a', 'b'] },
        files: {
          picture: [
            ['one.png', 'image/png', MAX],
            ['two.png', 'text/html', 1],
          ],
          notes: [['n.txt', 'image/png', 10]],
        },
      },
    ]);
    expect(stored()).toEqual([]);
  });

  it('keeps what its use case keeps, and nothing else', async () => {
    onFile = async (object) => (object.size === 3 ? await object.keep() : undefined);
    await send(token, title, file('picture', 'yes'), file('picture', 'no'));
    const names = stored();
    expect(names).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
    await context.ctx.storage.remove(`${names[0]?.slice(0, 2)}/${names[0]}`);
  });

  it('takes its token from a header too', async () => {
    const reply = await post(bodyOf(title, file('picture', 'x')), { 'X-CSRF-Token': TOKEN });
    expect([reply.status, seen.length]).toEqual([303, 1]);
  });

  it('may hold no file where none was chosen, and fields alone where a page has no files', async () => {
    await send(token, title, ['name="picture"; filename=""\r\nContent-Type: application/octet-stream', '']);
    expect(seen).toEqual([{ form: { title: 'Cats', tags: [] }, files: { picture: [], notes: [] } }]);
    expect((await post(bodyOf(token, title), {}, '/plain')).status).toBe(303);
  });

  it.each([
    ['../../x', 'x'],
    ['/etc/passwd', 'passwd'],
    ['C:\\\\Windows\\\\win.ini', 'win.ini'],
    ['a\u202egnp.exe', 'agnp.exe'],
    ['größe.png', 'größe.png'],
    [`${'x'.repeat(300)}.png`, 'x'.repeat(255)],
  ])('calls %j by its last part', async (name, expected) => {
    await send(token, title, file('picture', 'x', name));
    expect(seen[0]?.files.picture?.[0]?.[0]).toBe(expected);
  });
});

describe('a form with files is refused, and nothing stays', () => {
  const forty = Array.from({ length: 40 }, (_, n) => file('picture', 'x', `${n}.png`));
  it.each<[string, Buffer, number, Record<string, string>?]>([
    ['without a token', bodyOf(title, file('picture', 'x')), 403],
    ['with a foreign token', bodyOf(field('_csrf', 'other'), title, file('picture', 'x')), 403],
    ['with a token behind its file', bodyOf(file('picture', 'x'), token, title), 403],
    ['with a token behind another field', bodyOf(title, token, file('picture', 'x')), 403],
    ['with a foreign token in the header', bodyOf(token, title), 403, { 'X-CSRF-Token': 'other' }],
    ['without any part', Buffer.from('--b0--\r\n'), 403],
    ['with forty files', bodyOf(token, title, ...forty), 400],
    ['with a file too many in one field', bodyOf(token, title, ...forty.slice(0, 4)), 400],
    ['with a file in a field that has none', bodyOf(token, title, file('other', 'x')), 400],
    ['with a file in a field named __proto__', bodyOf(token, title, file('__proto__', 'x')), 400],
    ['with a file above its limit', bodyOf(token, title, file('picture', Buffer.alloc(MAX + 1))), 413],
    [
      'with a second file above its limit',
      bodyOf(token, file('picture', 'x'), file('notes', 'x'.repeat(11))),
      413,
    ],
    ['with a name that is no name', bodyOf(token, title, file('picture', 'x', '..')), 400],
    [
      'with bytes of no name',
      bodyOf(token, title, ['name="picture"; filename=""\r\nContent-Type: application/octet-stream', 'x']),
      413,
    ],
    ['with fields that are too large', bodyOf(token, field('title', 'x'.repeat(3001))), 413],
    [
      'with many fields that are too large',
      bodyOf(token, ...Array.from({ length: 40 }, () => field('tags', 'x'.repeat(100)))),
      413,
    ],
    ['with too many fields', bodyOf(token, ...Array.from({ length: 501 }, () => field('tags', ''))), 400],
    ['with a field of a long name', bodyOf(token, field('n'.repeat(101), '1')), 400],
    ['with U+0000', bodyOf(token, field('title', 'a\0b')), 400],
    ['with a field that is not UTF-8', bodyOf(token, field('title', Buffer.from([0xff, 0xfe]))), 400],
    ['with a field without a name', bodyOf(token, title, ['x="y"', '1']), 400],
    ['with a file without a name', bodyOf(token, title, ['filename="a.png"', 'x']), 400],
    ['with a field whose name is encoded', bodyOf(token, ["name*=utf-8''title", 'Cats']), 400],
    ['with a token of an unknown charset', bodyOf(typed('_csrf', TOKEN, 'charset=x-none'), title), 403],
    ['with a field of an unknown charset', bodyOf(token, typed('title', 'Cats', 'charset=x-none')), 400],
    ['with a field that names UTF-8', bodyOf(token, typed('title', 'Łukasz', 'charset=utf-8')), 400],
    ['with a field of another charset', bodyOf(token, typed('title', 'łąęź', 'charset=utf-16le')), 400],
    ['with a field in base64', bodyOf(token, typed('title', 'Q2F0cw==', '', 'base64')), 400],
    [
      'with a file in base64',
      bodyOf(
        token,
        title,
        file('picture', 'eA==', 'a.png', 'image/png\r\nContent-Transfer-Encoding: base64'),
      ),
      400,
    ],
    [
      'with another boundary',
      bodyOf(token, title, file('picture', 'x')),
      400,
      { 'Content-Type': 'multipart/form-data; boundary=b1' },
    ],
    ['without a boundary', bodyOf(token, title), 400, { 'Content-Type': 'multipart/form-data' }],
    [
      'that is cut off in a file',
      bodyOf(token, title, file('picture', Buffer.alloc(2000))).subarray(0, 1500),
      400,
    ],
    ['that lacks its last line', bodyOf(token, title, file('picture', 'x')).subarray(0, -8), 400],
    [
      'that calls itself fields',
      bodyOf(token, title),
      403,
      { 'Content-Type': 'application/x-www-form-urlencoded' },
    ],
    ['that calls itself JSON', bodyOf(token, title), 400, { 'Content-Type': 'application/json' }],
    ['that is compressed', bodyOf(token, title), 400, { 'Content-Encoding': 'gzip' }],
    ['by its schema', bodyOf(token, file('picture', 'x'), field('title', '')), 400],
    ['by its use case', bodyOf(token, file('picture', 'x'), field('title', 'refused')), 400],
  ])('%s', async (_what, body, status, headers = {}) => {
    const reply = await refused(() => post(body, headers));
    expect(reply.status).toBe(status);
    expect(reply.text).toContain('<!doctype html>');
  });

  it('when it announces more than fits, before it was read', async () => {
    const head = (length: number) =>
      `POST /pictures HTTP/1.1\r\nHost: x\r\nContent-Type: ${TYPE}\r\nContent-Length: ${length}\r\n\r\n`;
    const reply = await server.raw(head(10_000_000));
    expect([reply.status, reply.text.includes('larger than')]).toEqual([413, true]);
  });

  it('when more stands before its parts than a whole form may take, though it announces nothing', async () => {
    const head = `POST /plain HTTP/1.1\r\nHost: x\r\nContent-Type: ${TYPE}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const chunk = `${(200_000).toString(16)}\r\n${'p'.repeat(200_000)}\r\n`;
    const reply = await server.raw(head + chunk);
    expect([reply.status, reply.text.includes('larger than')]).toEqual([413, true]);
  });

  it('by a page without files, when it holds one', async () => {
    const reply = await refused(() => post(bodyOf(token, title, file('picture', 'x')), {}, '/plain'));
    expect(reply.status).toBe(400);
  });

  it('when its client goes away in the middle of a file', async () => {
    const body = bodyOf(token, title, file('picture', Buffer.alloc(40_000)));
    const { port } = new URL(server.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(
      `POST /pictures HTTP/1.1\r\nHost: x\r\nContent-Type: ${TYPE}\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    socket.write(body.subarray(0, 30_000));
    while (stored().length === 0) await sleep(5);
    const before = server.observed.length;
    socket.destroy();
    while (server.observed.length === before) await sleep(5);
    expect([seen, stored()]).toEqual([[], []]);
  });
});

it('what a form with files said comes back without them', async () => {
  const reply = await send(token, file('picture', 'x'), field('title', 'a title that is much too long'));
  expect(reply.text).toContain('value="a title that is much too long"');
  expect(reply.text).toContain('Must have at most 20 characters');
});
