// Fifty pictures of 12 megapixels uploaded at once while visitors look at pages.
import { setTimeout as sleep } from 'node:timers/promises';
import * as adminTokens from '#platform/admin-tokens/index.ts';
import type { LoadResult } from './load-job.ts';
import { residentBytesOfAll } from './process-figures.ts';
import type { Verdict } from './ratios.ts';
import { withInstance } from './seed.ts';
import type { ShopRow, ShopScene } from './shop.ts';
import { picture } from './shop-seed.ts';

const PICTURES = 50;
const DRAWN = 4;
const WIDTH = 4000;
const HEIGHT = 3000;
/** As many as a browser sends at once. */
const AT_ONCE = 6;
const SECONDS = 20;
const WARM_UP_SECONDS = 5;
const MOST_P99_MS = 60;
const MOST_MB = 400;
const SAMPLE_MS = 100;

/**
 * The memory is that of the server and of the processes that it started.
 *
 * @param visit looks at pages for some seconds, in a process of its own: what sends pictures has no time to measure
 * @throws Error when a picture is refused
 */
export async function measureUpload(
  { installation, server, say }: ShopScene,
  visit: (seconds: number) => Promise<LoadResult>,
): Promise<{ row: ShopRow; verdicts: Verdict[] }> {
  const { dataDir, databaseUrl } = installation;
  const { secret } = await withInstance(dataDir, databaseUrl, ({ ctx }) =>
    adminTokens.create(ctx, { name: 'bench-upload', role: 'owner' }),
  );
  const pictures = await different(PICTURES);
  const megabytes = pictures.reduce((sum, { length }) => sum + length, 0) / 1e6;
  say(
    `upload: ${PICTURES} pictures of ${((WIDTH * HEIGHT) / 1e6).toFixed(0)} megapixels, ${megabytes.toFixed(0)} MB`,
  );
  // The server has had visitors before.
  await visit(WARM_UP_SECONDS);
  let mostBytes = 0;
  let isOver = false;
  const watch = (async () => {
    while (!isOver) {
      mostBytes = Math.max(mostBytes, residentBytesOfAll(server.pid));
      await sleep(SAMPLE_MS);
    }
  })();
  const startedMs = performance.now();
  let tookMs = 0;
  const uploads = uploadAll(server.url, secret, pictures).then(() => {
    tookMs = performance.now() - startedMs;
  });
  const { acknowledged, seconds, p50Ms, p99Ms } = await visit(SECONDS);
  await uploads;
  isOver = true;
  await watch;
  const mb = mostBytes / 1e6;
  const name = `product page beside ${PICTURES} uploads (all taken after ${(tookMs / 1000).toFixed(1)} s)`;
  return {
    row: { name, requestsPerSecond: acknowledged / seconds, p50Ms, p99Ms },
    verdicts: [
      {
        what: `${name}: p99`,
        asked: `< ${MOST_P99_MS} ms`,
        measured: `${p99Ms.toFixed(1)} ms`,
        ok: p99Ms < MOST_P99_MS,
      },
      {
        what: 'memory of the server beside them',
        asked: `< ${MOST_MB} MB`,
        measured: `${mb.toFixed(0)} MB`,
        ok: mb < MOST_MB,
      },
    ],
  };
}

/** Pictures of which no two have the same bytes: a few, each with a note of its own behind its first marker. */
async function different(count: number): Promise<Buffer[]> {
  const drawn = await Promise.all(Array.from({ length: DRAWN }, (_, n) => picture(WIDTH, HEIGHT, 1000 + n)));
  return Array.from({ length: count }, (_, n) => {
    const bytes = drawn[n % DRAWN] as Buffer;
    const note = Buffer.from(`picture ${n}`);
    const marker = Buffer.from([0xff, 0xfe, 0, note.length + 2]);
    return Buffer.concat([bytes.subarray(0, 2), marker, note, bytes.subarray(2)]);
  });
}

async function uploadAll(url: string, token: string, pictures: readonly Buffer[]): Promise<void> {
  const waiting = [...pictures];
  const send = async () => {
    for (let bytes = waiting.pop(); bytes; bytes = waiting.pop()) {
      const { status } = await fetch(new URL('/api/store/media', url), {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/octet-stream' },
        body: new Uint8Array(bytes),
      });
      if (status !== 201) throw new Error(`a picture was answered ${status}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, send));
}
