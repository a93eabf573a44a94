// What happens beside a download: sinks, displays, callers, the client itself (licensing.md 7.3).
import { describe, expect, test } from 'vitest';
import { beginDownload, bodyOf, bundle, collector, offering, sendBundle, ship, updates } from './releases.ts';
import type { Server } from './scripted.ts';

const shipped = ship();
const send: Server = (asked) => sendBundle(asked, bundle);

describe('what may happen meanwhile', () => {
  test('a newer release was verified: the older one is not committed', async () => {
    const newer = ship({ version: '2.2.0', sequence: 200 });
    const { client, offer, serve } = await beginDownload(send);
    const sink = collector({
      async write() {
        serve(offering(newer));
        await client.checkForUpdate();
      },
    });
    await expect(client.downloadUpdate(offer, sink)).rejects.toMatchObject({ code: 'ROLLBACK' });
    expect(sink.done).toEqual(['write', 'abort']);
  });

  test('the statement ended', async () => {
    const { client, offer, advance } = await beginDownload(send);
    const sink = collector({ write: async () => advance(400 * 86_400) });
    await expect(client.downloadUpdate(offer, sink)).rejects.toMatchObject({ code: 'STATEMENT_EXPIRED' });
    expect(sink.done).toEqual(['write', 'abort']);
    advance(-400 * 86_400);
    const again = client.downloadUpdate(offer, collector());
    await expect(again).rejects.toMatchObject({ code: 'STATEMENT_EXPIRED' });
  });

  test('the caller gives up, or the client is closed', async () => {
    const giveUp = new AbortController();
    const { client, offer, asked } = await beginDownload(() => ({
      status: 200,
      body: bodyOf(bundle, 'stays silent'),
    }));
    const sink = collector({ write: async () => giveUp.abort() });
    const options = { signal: giveUp.signal };
    await expect(client.downloadUpdate(offer, sink, options)).rejects.toMatchObject({ code: 'ABORTED' });
    expect([sink.done, asked[1]?.signal.aborted]).toEqual([['write', 'abort'], true]);
    const second = collector({ write: () => client.close() });
    await expect(client.downloadUpdate(offer, second)).rejects.toMatchObject({ code: 'ABORTED' });
    const third = collector();
    await expect(client.downloadUpdate(offer, third)).rejects.toMatchObject({ code: 'ABORTED' });
    expect([second.done, third.done]).toEqual([['write', 'abort'], ['abort']]);
    expect(asked).toHaveLength(3);
  });

  test('the caller gives up with the last byte', async () => {
    const giveUp = new AbortController();
    const { client, offer } = await beginDownload(send);
    const sink = collector({ write: async () => giveUp.abort() });
    const downloading = client.downloadUpdate(offer, sink, { signal: giveUp.signal });
    await expect(downloading).rejects.toMatchObject({ code: 'ABORTED' });
    expect(sink.done).toEqual(['write', 'abort']);
  });

  test.each(['write', 'commit'] as const)(
    '%s of the sink fails: its own error is thrown',
    async (operation) => {
      const full = new Error('the disk is full');
      const { client, offer, operations } = await beginDownload(send);
      const sink = collector({ [operation]: () => Promise.reject(full) });
      await expect(client.downloadUpdate(offer, sink)).rejects.toBe(full);
      expect(sink.done.at(-1)).toBe('abort');
      expect(operations()).toEqual(['check', 'download']);
    },
  );

  test('a sink that cannot clean up, and a display that fails, are told and hide nothing', async () => {
    const stuck = new Error('stuck');
    const evil = Buffer.from(bundle).fill(7);
    const machine = await beginDownload((asked) =>
      sendBundle(asked, evil, { 'X-Bundle-SHA256': String(shipped.answer.sha256) }),
    );
    const sink = collector({ abort: () => Promise.reject(stuck) });
    const onProgress = () => {
      throw new Error('no display');
    };
    const downloading = machine.client.downloadUpdate(machine.offer, sink, { onProgress });
    await expect(downloading).rejects.toMatchObject({ code: 'HASH_MISMATCH' });
    expect(machine.of('background-error')).toEqual([new Error('no display'), stuck]);
  });

  test('without the options that name the installed version the sink is told too', async () => {
    const { offer } = await beginDownload(send);
    const { client } = updates(send, { appVersion: undefined });
    const sink = collector();
    await expect(client.downloadUpdate(offer, sink)).rejects.toThrow(TypeError);
    expect(sink.done).toEqual(['abort']);
  });

  test('no offer at all, as a check may answer, leaves no sink open either', async () => {
    const sink = collector();
    await expect(updates(send).client.downloadUpdate(null as never, sink)).rejects.toThrow(TypeError);
    expect(sink.done).toEqual(['abort']);
  });
});
