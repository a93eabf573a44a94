// R23: what is no picture, or more than one, is refused quickly and leaves nothing; what is served tells of nobody.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { type Hostile, hostileFiles, PLANTED, tellingFiles } from './parts/hostile-pictures.ts';
import { installationAt } from './parts/installation.ts';
import { jsonCommand, startServer } from './parts/processes.ts';
import { Complaints, type Outcome, type Proof, type ProofBench } from './parts/proof.ts';

/** Of the server, for one file. */
const MOST_EXTRA_MB = 64;
/** The job looks every five seconds. */
const RENDERED_WITHIN_MS = 30_000;
const MEGABYTE = 1024;

/** Who takes pictures: the program, or a fixture with a fault. */
interface Taker {
  readonly url: string;
  readonly pid: number;
  readonly secret: string;
  /** Files that it keeps. */
  stored(): number;
}

interface Media {
  id: string;
  status: string;
  variants: Record<string, { url: string }> | null;
}

class Verdict {
  readonly wrong = new Complaints();
  files = 0;
  slowestMs = 0;
  slowestSvgMs = 0;
  mostExtraMb = 0;
  variants = 0;

  outcome(): Outcome {
    const figures = {
      files: this.files,
      slowest_ms: Math.round(this.slowestMs),
      slowest_svg_ms: Math.round(this.slowestSvgMs),
      most_extra_mb: Math.round(this.mostExtraMb),
      variants: this.variants,
      wrong: this.wrong.count,
    };
    return { figures, passed: this.wrong.count === 0, notes: this.wrong.notes };
  }
}

const kilobytes = (pid: number, name: 'VmRSS' | 'VmHWM'): number =>
  Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

const headers = ({ secret }: Taker) => ({ Authorization: `Bearer ${secret}` });

const send = (taker: Taker, bytes: Buffer): Promise<Response> =>
  fetch(`${taker.url}/api/store/media`, {
    method: 'POST',
    headers: { ...headers(taker), 'Content-Type': 'application/octet-stream' },
    body: Buffer.from(bytes),
  });

async function refuse(taker: Taker, { name, bytes, withinMs }: Hostile, verdict: Verdict): Promise<void> {
  // The peak counts from here.
  writeFileSync(`/proc/${taker.pid}/clear_refs`, '5');
  const before = kilobytes(taker.pid, 'VmRSS');
  const begun = performance.now();
  const answer = await send(taker, bytes);
  const body = (await answer.json()) as { error_code?: string };
  const ms = performance.now() - begun;
  const extraMb = (kilobytes(taker.pid, 'VmHWM') - before) / MEGABYTE;
  verdict.files += 1;
  if (name.startsWith('svg')) verdict.slowestSvgMs = Math.max(verdict.slowestSvgMs, ms);
  else verdict.slowestMs = Math.max(verdict.slowestMs, ms);
  verdict.mostExtraMb = Math.max(verdict.mostExtraMb, extraMb);
  const isRefused = [400, 413].includes(answer.status) && body.error_code === 'VALIDATION_ERROR';
  verdict.wrong.unless(isRefused, () => `${name} was answered ${answer.status}`);
  verdict.wrong.unless(ms <= withinMs, () => `${name} took ${Math.round(ms)} ms`);
  verdict.wrong.unless(extraMb <= MOST_EXTRA_MB, () => `${name} took ${Math.round(extraMb)} MB`);
}

/** Small files first: the first of all pays for code that is loaded once. */
async function refuseAll(taker: Taker, files: readonly Hostile[], verdict: Verdict): Promise<void> {
  await send(taker, Buffer.from('warm'));
  const stored = taker.stored();
  for (const file of files) await refuse(taker, file, verdict);
  const left = taker.stored() - stored;
  verdict.wrong.unless(left === 0, () => `${left} files were left behind`);
}

async function read(taker: Taker, id: string): Promise<Media> {
  const answer = await fetch(`${taker.url}/api/store/media/${id}`, { headers: headers(taker) });
  return ((await answer.json()) as { data: Media }).data;
}

/** Sends what is taken and searches what is served for what was planted. */
async function serveAll(taker: Taker, verdict: Verdict): Promise<void> {
  for (const { name, bytes } of await tellingFiles()) {
    const answer = await send(taker, bytes);
    const { data } = (await answer.json()) as { data?: Media };
    verdict.wrong.unless(data !== undefined, () => `${name} was answered ${answer.status}`);
    if (data) await serveOne(taker, name, data.id, verdict);
  }
}

async function serveOne(taker: Taker, name: string, id: string, verdict: Verdict): Promise<void> {
  const end = performance.now() + RENDERED_WITHIN_MS;
  let media = await read(taker, id);
  while (media.status === 'processing' && performance.now() < end) {
    await sleep(250);
    media = await read(taker, id);
  }
  verdict.wrong.unless(media.variants !== null, () => `${name} was not rendered: ${media.status}`);
  for (const { url } of Object.values(media.variants ?? {})) {
    const served = Buffer.from(await (await fetch(new URL(url, taker.url))).arrayBuffer());
    const { format, exif, xmp, iptc } = await sharp(served).metadata();
    verdict.variants += 1;
    verdict.wrong.unless(format === 'webp' && !exif && !xmp && !iptc, () => `${name}: ${url} has notes`);
    verdict.wrong.unless(
      !served.includes(PLANTED) && !served.includes('<script'),
      () => `${name}: ${url} holds what was planted`,
    );
  }
}

async function run(bench: ProofBench): Promise<Outcome> {
  const { dataDir, launch } = installationAt(bench, 'pictures', { APPCTL_RATE_LIMIT: 'off' });
  const server = await startServer(launch);
  const verdict = new Verdict();
  try {
    const words = ['apikey', 'create', '--service', 'store', '--name', 'proof', '--scope', 'products:write'];
    const { secret } = await jsonCommand<{ secret: string }>(launch, words);
    const stored = () =>
      readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter(
        (one) => one.isFile() && /\/(?:media|incoming|\.incoming)(?:\/|$)/.test(one.parentPath),
      ).length;
    const taker = { url: server.url, pid: server.pid, secret, stored };
    await refuseAll(taker, await hostileFiles(), verdict);
    await serveAll(taker, verdict);
  } finally {
    await server.stop();
  }
  return verdict.outcome();
}

/** A server of this process that answers each file in one faulty way. */
const fault =
  (answer: (bytes: Buffer) => Promise<number>, variant: () => Promise<Buffer>, isServing: boolean) =>
  async (): Promise<Outcome> => {
    let kept = 0;
    const media = { id: 'med_1', status: 'ready', variants: { large: { url: '/picture' } } };
    const server = createServer(async (req, res) => {
      const chunks: Buffer[] = [];
      for await (const part of req) chunks.push(part as Buffer);
      if (req.url === '/picture') {
        res.end(await variant());
        return;
      }
      const status = req.method === 'POST' ? await answer(Buffer.concat(chunks)) : 200;
      if (status === 201) kept += 1;
      res.statusCode = status;
      res.end(JSON.stringify(status >= 400 ? { error_code: 'VALIDATION_ERROR' } : { data: media }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const taker = { url, pid: process.pid, secret: 'none', stored: () => kept };
    const verdict = new Verdict();
    try {
      if (isServing) await serveAll(taker, verdict);
      else await refuseAll(taker, (await hostileFiles()).slice(7, 12), verdict);
    } finally {
      server.closeAllConnections();
      server.close();
    }
    return verdict.outcome();
  };

const clean = (): Promise<Buffer> =>
  sharp({ create: { width: 9, height: 9, channels: 3, background: '#369' } })
    .webp()
    .toBuffer();

export const r23: Proof = {
  id: 'R23',
  databases: ['sqlite', 'postgres'],
  needsQuiet: true,
  requireTools: () => undefined,
  faults: {
    'takes-everything': fault(async () => 201, clean, false),
    'decodes-before-it-judges': fault(
      async () => {
        const decoded = Buffer.alloc(150_000_000, 1);
        await sleep(300);
        return decoded.length > 0 ? 400 : 201;
      },
      clean,
      false,
    ),
    'keeps-what-a-camera-noted': fault(
      async () => 201,
      async () =>
        sharp(await clean())
          .withExif({ IFD0: { Artist: PLANTED } })
          .webp()
          .toBuffer(),
      true,
    ),
  },
  run,
};
