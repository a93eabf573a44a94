// downloadUpdate: what is committed, and what is not (licensing.md 7.3).
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { UpdateOffer } from '../../src/client/types.ts';
import {
  beginDownload,
  bodyOf,
  bundle,
  collector,
  offering,
  offerOf,
  sendBundle,
  ship,
  updates,
} from './releases.ts';
import { type Answer, licenseKey, ok, refuse, type Server } from './scripted.ts';
import { newKey, online } from './signer.ts';

const shipped = ship();
const send: Server = (asked) => sendBundle(asked, bundle);

/** The download fails, the sink is told to abort, and nothing is committed. */
async function failsWith(
  error: object,
  download: Server,
  change: (offer: UpdateOffer) => UpdateOffer = (o) => o,
) {
  const { client, offer, sink, asked } = await beginDownload(download);
  await expect(client.downloadUpdate(change(offer), sink)).rejects.toMatchObject(error);
  expect(sink.done.at(-1)).toBe('abort');
  expect(sink.done).not.toContain('commit');
  expect(sink.bytes().length).toBeLessThanOrEqual(bundle.length);
  const downloads = asked.filter(({ operation }) => operation === 'download');
  // What is not wanted any more is not left to come.
  expect(downloads.every(({ signal }) => signal.aborted)).toBe(true);
  return { sink, downloads: downloads.length };
}

describe('a bundle', () => {
  test('is asked for with the license key alone, streamed into the sink and committed', async () => {
    const { client, offer, sink, asked } = await beginDownload(() => ({
      ...sendBundle(asked[1]!, bundle),
      body: bodyOf(bundle, 'ends'),
    }));
    const progress: number[][] = [];
    await client.downloadUpdate(offer, sink, { onProgress: (...now) => progress.push(now) });
    expect(sink.done).toEqual(['write', 'commit']);
    expect(sink.bytes()).toEqual(bundle);
    expect(progress).toEqual(Array.from({ length: 10 }, (_, index) => [(index + 1) * 100, 1000]));
    const { url, headers, redirect } = asked[1]!;
    expect(url).toBe(
      'https://licenses.test/base/api/v1/updates/download?release_id=rel_2.1.0&from_version=2.0.0',
    );
    expect([headers.get('X-License-Key'), headers.get('X-API-Key')]).toEqual([licenseKey, null]);
    expect([headers.get('Range'), redirect]).toEqual([null, 'error']);
  });

  test('an offer that was kept as text, or sent to another process, is as good', async () => {
    const { offer, stored } = await beginDownload(send);
    const restarted = updates(send, { stored });
    const sink = collector();
    await restarted.client.downloadUpdate(JSON.parse(JSON.stringify(offer)), sink);
    expect(sink.done).toEqual(['write', 'commit']);
  });

  test('of no bytes is one too', async () => {
    const empty = ship({}, { bytes: Buffer.alloc(0) });
    const machine = updates(offering(empty, {}, (asked) => sendBundle(asked, empty.bytes)));
    const sink = collector();
    await machine.client.downloadUpdate(await offerOf(machine), sink);
    expect(sink.done).toEqual(['commit']);
  });

  test('comes whole where a replaced fetch does not stream', async () => {
    const { client, offer, sink } = await beginDownload(send, {
      fetch: async (input) => {
        const check = String(input).includes('/check');
        const bytes = check ? Buffer.from(JSON.stringify(ok(shipped.answer).body)) : bundle;
        const arrayBuffer = async () => new Uint8Array(bytes).buffer;
        return { status: 200, headers: new Headers(), body: null, arrayBuffer } as unknown as Response;
      },
    });
    await client.downloadUpdate(offer, sink);
    expect(sink.bytes()).toEqual(bundle);
  });

  test('that was packed for the way may have another length there', async () => {
    const headers = { 'Content-Encoding': 'gzip', 'Content-Length': '17' };
    const { client, offer, sink } = await beginDownload((asked) => sendBundle(asked, bundle, headers));
    await client.downloadUpdate(offer, sink);
    expect(sink.done.at(-1)).toBe('commit');
  });

  test('an offer that is changed meanwhile changes nothing', async () => {
    const { client, offer, sink } = await beginDownload(send);
    const evil = Buffer.from(bundle).fill(7);
    const downloading = client.downloadUpdate(offer, {
      ...sink,
      write: (chunk) => {
        chunk.fill(0);
        Object.assign(offer, ship({}, { bytes: evil }).answer);
        return sink.write(chunk);
      },
    });
    await downloading;
    expect(sink.done.at(-1)).toBe('commit');
  });
});

const evil = Buffer.from(bundle);
evil[999] = (evil[999] as number) ^ 1;
const bare =
  (status: number, body: unknown, headers: Record<string, string> = {}): Server =>
  () =>
    ({ status, body, headers }) as Answer;

describe('what a server may send instead', () => {
  test.each<[string, string, Server]>([
    ['a swapped bundle that is named as such', 'HASH_MISMATCH', (asked) => sendBundle(asked, evil)],
    ['a swapped bundle under the right name', 'HASH_MISMATCH', bare(200, new Uint8Array(evil))],
    ['a longer body', 'HASH_MISMATCH', bare(200, new Uint8Array([...bundle, 0]))],
    [
      'a body without end',
      'HASH_MISMATCH',
      () => ({ status: 200, body: bodyOf(Buffer.alloc(100_000), 'stays silent', 300) }),
    ],
    [
      'a huge Content-Length',
      'HASH_MISMATCH',
      (asked) => sendBundle(asked, bundle, { 'Content-Length': String(2 ** 50) }),
    ],
    [
      'a Content-Length that is none',
      'HASH_MISMATCH',
      (asked) => sendBundle(asked, bundle, { 'Content-Length': 'many' }),
    ],
    [
      'a part that nobody asked for',
      'BAD_RESPONSE',
      bare(206, new Uint8Array(bundle), { 'Content-Range': 'bytes 0-999/1000' }),
    ],
    ['a page', 'BAD_RESPONSE', bare(404, '<html>')],
    [
      'a redirect that a replaced fetch did not follow',
      'BAD_RESPONSE',
      bare(302, '', { Location: 'https://evil.test/' }),
    ],
    [
      'an endless refusal',
      'BAD_RESPONSE',
      () => ({
        status: 403,
        body: new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1000)) }),
      }),
    ],
  ])('%s is refused as %s after one request', async (_what, code, download) => {
    const { downloads } = await failsWith({ name: 'ClientError', code }, download);
    expect(downloads).toBe(1);
  });

  test('nothing beyond the size of the offer reaches the sink', async () => {
    const { sink } = await failsWith({ code: 'HASH_MISMATCH' }, () => ({
      status: 200,
      body: bodyOf(Buffer.alloc(100_000), 'ends', 300),
    }));
    expect(sink.bytes()).toHaveLength(900);
  });

  test('a redirect takes the license key nowhere', async () => {
    const met: string[] = [];
    const server = createServer((req, res) => {
      met.push(req.url ?? '');
      if (req.url?.includes('/check')) res.end(JSON.stringify(ok(shipped.answer).body));
      else res.writeHead(307, { Location: '/elsewhere' }).end();
    }).listen(0, '127.0.0.1');
    try {
      await new Promise((resolve) => server.once('listening', resolve));
      const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const machine = updates(send, { baseUrl, fetch: undefined, retry: { attempts: 1 } });
      const offer = await offerOf(machine);
      const sink = collector();
      await expect(machine.client.downloadUpdate(offer, sink)).rejects.toMatchObject({ code: 'NETWORK' });
      expect(sink.done).toEqual(['abort']);
      expect(met.map((url) => url.split('?')[0])).toEqual([
        '/api/v1/updates/check',
        '/api/v1/updates/download',
      ]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  test.each([
    ['another signed bundle', 'STATEMENT_MISMATCH', ship({}, { bytes: evil }).answer],
    [
      'a signature by the online key',
      'SIGNATURE_INVALID',
      { signature: ship({}, { key: online }).answer.signature },
    ],
    [
      'a signature by a stranger',
      'SIGNATURE_INVALID',
      { signature: ship({}, { key: newKey() }).answer.signature },
    ],
    ['no statement, although it says verified', 'STATEMENT_INVALID', { signedStatement: null }],
    ['another version', 'STATEMENT_MISMATCH', { version: '2.1.1' }],
    ['the installed version', 'ROLLBACK', { version: '2.0.0' }],
    ['no version', 'BAD_RESPONSE', { version: 7 }],
    ['no size', 'BAD_RESPONSE', { bundleSize: '1000' }],
  ])('an offer that was made up with %s is %s, and nothing is asked for', async (_what, code, change) => {
    const made = (offer: UpdateOffer) => ({ ...offer, ...change }) as UpdateOffer;
    const { downloads } = await failsWith({ name: 'ClientError', code }, send, made);
    expect(downloads).toBe(0);
  });
});

test.each([
  [401, 'INVALID_LICENSE'],
  [404, 'NOT_FOUND'],
  [400, 'VALIDATION_ERROR'],
])('%i is a LicenseApiError at once', async (status, code) => {
  const { downloads } = await failsWith({ name: 'LicenseApiError', code }, () => refuse(status, code));
  expect(downloads).toBe(1);
});

test('what was downloaded counts as seen, also by a machine that only got the offer', async () => {
  const { offer } = await beginDownload(send);
  const other = updates(send);
  await other.client.downloadUpdate(offer, collector());
  other.serve(offering(ship({ version: '2.0.5', sequence: 99 })));
  await expect(other.client.checkForUpdate()).rejects.toMatchObject({ code: 'ROLLBACK' });
});
